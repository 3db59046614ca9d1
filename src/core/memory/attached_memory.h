// SPDX-License-Identifier: BSD-3-Clause
// Memory of a rank's own (malloc, stack, static data) that it lets others access.
//
// Inside a node the directory in the node heap says what is attached. Of other nodes a rank knows
// what it has asked about: the answers are kept, and are hints only. A data server looks into its
// directory for every request, so what was detached meanwhile is refused there.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "core/progress/progress.h"
#include "node/attachments.h"
#include "node/word_atomics.h"
#include "pipeline/costs/transfer.h"

namespace armci::core {

class KnownAttachments {
  public:
    // Returns the owner of the range, wire::kGlobal if it is not known to be attached.
    uint32_t find(int rank, uint64_t address, uint64_t bytes) const;
    void add(int rank, uint32_t owner, uint64_t begin, uint64_t end);

  private:
    static constexpr size_t kMax = 4096;
    struct Range {
        uint64_t end;
        uint32_t owner;
    };
    std::map<std::pair<int, uint64_t>, Range> ranges_;  // by rank and begin; disjoint
};

// Memory that ranks have attached, this one and others. An error ends the job with a message that
// begins with `function`.
class AttachedMemory {
  public:
    AttachedMemory(Progress& progress, NodeShare& node) : progress_(progress), node_(node) {}

    // Is called when the node's heap exists.
    void start();
    int own_rank() const { return progress_.world().rank; }

    void attach(const char* function, void* memory, size_t bytes);
    void detach(const char* function, void* memory);

    // Returns wire::kGlobal when the range is not inside memory that the rank has attached,
    // otherwise the owner's number as frames have it. It may ask the rank's data server.
    uint32_t find(const char* function, int rank, uint64_t address, int64_t bytes);

    // These are for targets on this node other than the caller.
    void run(const pipeline::Transfer& transfer);
    void store(const char* function, int* flag, int value, uint32_t owner);
    // This is for targets on this node, the caller included. One lock makes the word the same for
    // all of them.
    int64_t read_modify_write(const char* function, node::WordOperation operation, void* address,
                              int64_t operand, uint32_t owner);

  private:
    bool may_be_attached(int rank, uint64_t address, uint64_t bytes) const;
    uint32_t ask_server(const char* function, int rank, uint64_t address, uint64_t bytes);
    node::Attachment process_of(const char* function, uint32_t owner);

    Progress& progress_;
    NodeShare& node_;
    node::Attachments directory_;  // of this node
    KnownAttachments known_;       // of other nodes
};

}  // namespace armci::core

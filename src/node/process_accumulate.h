// SPDX-License-Identifier: BSD-3-Clause
// Accumulate and read-modify-write in the private memory of another process: it is read, changed
// and written back under the stripe locks of the node. The owner of the memory takes the same
// locks.
#pragma once

#include <cstdint>

#include "node/accumulate.h"
#include "node/process_memory.h"
#include "node/shared_lock.h"
#include "node/word_atomics.h"

namespace armci::node {

// Adds blocks. Blocks that ascend and lie in one stripe are read together, and written together.
// After a failure it does nothing more. One thread at a time may use it.
class ProcessAccumulator {
  public:
    ProcessAccumulator(StripedLocks& locks, const strided::AccScale& scale,
                       const Attachment& process)
        : locks_(locks), scale_(scale), process_(process) {}
    ProcessAccumulator(const ProcessAccumulator&) = delete;
    ProcessAccumulator& operator=(const ProcessAccumulator&) = delete;

    // Adds a block as LockedAccumulator::add() does; `source` stays in use until finish().
    void add(const void* source, void* target, int64_t bytes);
    // Adds what is still collected. Returns false if anything failed since the beginning.
    bool finish();
    const AccessFailure& failure() const { return failure_; }

  private:
    static constexpr int kMaxBlocks = 128;

    struct Block {
        char* target;
        const char* source;
        int64_t bytes;
    };

    bool fits(const char* target, int64_t bytes) const;
    void apply(const strided::AccScale& scale);

    StripedLocks& locks_;
    const strided::AccScale& scale_;
    const Attachment process_;
    AccessFailure failure_;
    Block blocks_[kMaxBlocks];
    int block_count_ = 0;
    int64_t block_bytes_ = 0;  // of all collected blocks
    alignas(64) char copy_[StripedLocks::kGranuleBytes];
};

// Does ARMCI_Rmw on a word of the process, atomic with accumulate and with all other calls of this
// function. Returns false if the memory could not be accessed.
bool read_modify_write(StripedLocks& locks, const Attachment& process, WordOperation operation,
                       void* address, int64_t operand, int64_t* old, AccessFailure* failure);

}  // namespace armci::node

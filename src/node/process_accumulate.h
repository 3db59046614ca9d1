// SPDX-License-Identifier: BSD-3-Clause
// Accumulate and read-modify-write in the private memory of another process: read, change, written
// back, under the stripe locks of the node. The owner of the memory takes the same locks.
#pragma once

#include <cstdint>

#include "node/accumulate.h"
#include "node/process_memory.h"
#include "node/shared_lock.h"
#include "node/word_atomics.h"

namespace armci::node {

// Blocks that ascend and lie in one stripe are read together, and written together. After a failure
// nothing more is done. One thread at a time.
class ProcessAccumulator {
  public:
    ProcessAccumulator(StripedLocks& locks, const strided::AccScale& scale,
                       const Attachment& process)
        : locks_(locks), scale_(scale), process_(process) {}
    ProcessAccumulator(const ProcessAccumulator&) = delete;
    ProcessAccumulator& operator=(const ProcessAccumulator&) = delete;

    // As LockedAccumulator::add(); `source` stays in use until finish().
    void add(const void* source, void* target, int64_t bytes);
    // Adds what is still collected; false if anything failed since the beginning.
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
    int64_t block_bytes_ = 0;  // of all of them
    alignas(64) char copy_[StripedLocks::kGranuleBytes];
};

// ARMCI_Rmw on a word of the process, atomic with all others by this function and with accumulate.
// False: the memory could not be accessed.
bool read_modify_write(StripedLocks& locks, const Attachment& process, WordOperation operation,
                       void* address, int64_t operand, int64_t* old, AccessFailure* failure);

}  // namespace armci::node

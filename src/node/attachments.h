// SPDX-License-Identifier: BSD-3-Clause
// The directory of attached memory: ranges of the ranks' own memory (heap, stack, static data) that
// other ranks may access. It lies in the node heap, for the ranks of the node and its data server.
//
// The table is sorted by owner and address and guarded by its lock. A reader searches a copy of its
// own, and renews it when `generation` has changed. `generation` changes under the lock and is read
// without it, so a lookup costs a load and a search, and no reader sees a table that changes. The
// release of `generation` and its acquire go with the synchronisation that a program needs anyway.
// So a process that is synchronised after a change sees the change.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "node/shared_lock.h"

namespace armci::node {

struct Attachment {
    uint64_t begin;  // [begin, end) in the owner's address space
    uint64_t end;
    uint64_t pid_namespace;  // the namespace in which pid means the owner
    int32_t pid;
    int32_t rank;    // the owner in the world, for messages
    uint32_t owner;  // the owner's index among the ranks of the node
    uint32_t padding;
};

struct AttachmentTable {
    static constexpr uint32_t kMax = 1 << 13;  // per node, at a time
    SharedLock lock;
    uint32_t count = 0;
    std::atomic<uint64_t> generation{0};
    Attachment entries[kMax];  // not initialised, so that unused pages stay untouched
};

// Says whether memory of a rank can be attached. Its node heap is [heap_begin, heap_begin +
// heap_bytes). Global memory cannot be attached, nor can addresses that no program has.
bool is_attachable(uint64_t begin, uint64_t bytes, uint64_t heap_begin, uint64_t heap_bytes);

// Returns a number that tells a pid from an equal one in another container, or 0 if the system does
// not provide one.
uint64_t own_pid_namespace();

// Gives one process access to the directory. One thread at a time may use it.
class Attachments {
  public:
    Attachments() = default;
    explicit Attachments(AttachmentTable* table) : table_(table) {}

    enum class Added : uint8_t { yes, overlaps, full };
    // Adds an entry with `entry.begin` < `entry.end`. *overlapped becomes the owner's range that is
    // in the way.
    Added add(const Attachment& entry, Attachment* overlapped);
    // Returns false if no range of that owner begins there.
    bool remove(uint32_t owner, uint64_t begin);

    // Returns the owner's range that contains [address, address + bytes), bytes > 0, or nullptr.
    // The pointer is valid until the next call.
    const Attachment* find(uint32_t owner, uint64_t address, uint64_t bytes);
    // Returns any range of the owner, which identifies the owner's process.
    const Attachment* any_of(uint32_t owner);

  private:
    void renew();

    AttachmentTable* table_ = nullptr;
    uint64_t seen_generation_ = 0;
    std::vector<Attachment> entries_;  // sorted by owner and begin
};

}  // namespace armci::node

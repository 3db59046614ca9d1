// SPDX-License-Identifier: BSD-3-Clause
// The directory of attached memory: ranges of the ranks' own memory (heap, stack, static data) that
// other ranks may access. It lies in the node heap, for the ranks of the node and its data server.
//
// The table is sorted by owner and address and guarded by its lock. Whoever looks up works on a
// copy of his own, which he renews when `generation` has moved on; it moves under the lock and is
// read without. So a lookup costs a load and a search, and nobody reads a table that changes. A
// range that comes or goes is seen by whoever has been told of it: the release of `generation` and
// its acquire go with the synchronisation that a program needs anyway.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "node/shared_lock.h"

namespace armci::node {

struct Attachment {
    uint64_t begin;  // [begin, end) in the owner's address space
    uint64_t end;
    uint64_t pid_namespace;  // in which pid means the owner
    int32_t pid;
    int32_t rank;    // of the owner in the world, for messages
    uint32_t owner;  // its number among the ranks of the node
    uint32_t padding;
};

struct AttachmentTable {
    static constexpr uint32_t kMax = 1 << 13;  // per node, at a time
    SharedLock lock;
    uint32_t count = 0;
    std::atomic<uint64_t> generation{0};
    Attachment entries[kMax];  // not initialised: pages that nobody needs stay untouched
};

// Whether memory of a rank whose node heap is [heap_begin, heap_begin + heap_bytes) can be attached
// at all: it is not global memory, and such addresses exist.
bool is_attachable(uint64_t begin, uint64_t bytes, uint64_t heap_begin, uint64_t heap_bytes);

// What tells one pid from an equal one in another container; 0 when the system does not say.
uint64_t own_pid_namespace();

// One process's access to the directory; one thread at a time.
class Attachments {
  public:
    Attachments() = default;
    explicit Attachments(AttachmentTable* table) : table_(table) {}

    enum class Added : uint8_t { yes, overlaps, full };
    // `entry.begin` < `entry.end`. *overlapped is the owner's range that is in the way.
    Added add(const Attachment& entry, Attachment* overlapped);
    // False when no range of that owner begins there.
    bool remove(uint32_t owner, uint64_t begin);

    // The owner's range that [address, address + bytes) lies in, bytes > 0; nullptr if there is
    // none. Good until the next call.
    const Attachment* find(uint32_t owner, uint64_t address, uint64_t bytes);
    // Any range of the owner, to know its process by.
    const Attachment* any_of(uint32_t owner);

  private:
    void renew();

    AttachmentTable* table_ = nullptr;
    uint64_t seen_generation_ = 0;
    std::vector<Attachment> entries_;  // by owner and begin
};

}  // namespace armci::node

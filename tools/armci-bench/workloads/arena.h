// SPDX-License-Identifier: BSD-3-Clause
// The memory that all rows of a run share: one global allocation and one local buffer per rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace armci::bench {

// Global memory of one rank: a page with the release word, then the area. Rows that are measured
// together have a part of the area each: a page with the counter, then the row's data.
class Arena {
  public:
    static constexpr int64_t kPageBytes = 4096;

    // What a row with this much data needs of the area, and of the local buffer: whole pages.
    static int64_t part_remote_bytes(int64_t data_bytes);
    static int64_t part_local_bytes(int64_t data_bytes);

    // Collective over world. The area of every rank gets remote_bytes, its local buffer
    // local_bytes, from malloc or from ARMCI_Malloc_local. Returns whether all ranks got theirs.
    bool create(int64_t remote_bytes, int64_t local_bytes, bool local_malloc);

    // Collective over world, also after a failed create.
    void destroy();

    // The part that begins at these offsets: a view of this arena's memory, which is not to be
    // destroyed and does not outlive it.
    Arena part(int64_t remote_offset, int64_t local_offset) const;

    // Of the part.
    char* local() const { return local_ + local_offset_; }
    char* data(int rank) const { return area(rank) + remote_offset_ + kPageBytes; }
    long* counter(int rank) const;  // of atomic operations

    // Of the whole arena: the memory of all parts, and the word that ends a busy target's work.
    char* area(int rank) const { return static_cast<char*>(bases_[index(rank)]) + kPageBytes; }
    int64_t area_bytes() const { return remote_bytes_; }
    char* local_buffer() const { return local_; }
    int64_t local_buffer_bytes() const { return local_bytes_; }
    long* release_word(int rank) const { return static_cast<long*>(bases_[index(rank)]); }

  private:
    static size_t index(int rank) { return static_cast<size_t>(rank); }

    std::vector<void*> bases_;
    char* local_ = nullptr;
    int64_t remote_bytes_ = 0;
    int64_t local_bytes_ = 0;
    int64_t remote_offset_ = 0;  // of the part
    int64_t local_offset_ = 0;
    bool local_malloc_ = false;
    bool global_ = false;  // ARMCI_Malloc has succeeded
    int rank_ = 0;
};

// Brackets direct loads and stores to the caller's own part of global memory.
class DirectAccess {
  public:
    explicit DirectAccess(void* own_memory);
    ~DirectAccess();
    DirectAccess(const DirectAccess&) = delete;
    DirectAccess& operator=(const DirectAccess&) = delete;

  private:
    void* own_memory_;
};

}  // namespace armci::bench

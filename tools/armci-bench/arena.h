// The memory that all rows of a run share: one global allocation and one local buffer per rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace armci::bench {

// Global memory of one rank: two words on cache lines of their own, then the data area.
class Arena {
  public:
    // Collective over world. The data area of every rank gets remote_bytes, its local buffer
    // local_bytes, from malloc or from ARMCI_Malloc_local. Returns whether all ranks got theirs.
    bool create(int64_t remote_bytes, int64_t local_bytes, bool local_malloc);

    // Collective over world, also after a failed create.
    void destroy();

    char* local() const { return local_; }
    char* data(int rank) const { return static_cast<char*>(bases_[index(rank)]) + kDataOffset; }

    // Word that ends a busy target's work, and counter of atomic operations.
    long* release_word(int rank) const { return static_cast<long*>(bases_[index(rank)]); }
    long* counter(int rank) const;

  private:
    static constexpr int64_t kCounterOffset = 256;
    static constexpr int64_t kDataOffset = 4096;

    static size_t index(int rank) { return static_cast<size_t>(rank); }

    std::vector<void*> bases_;
    char* local_ = nullptr;
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

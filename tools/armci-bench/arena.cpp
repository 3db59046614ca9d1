#include "armci-bench/arena.h"

#include "armci-bench/armci_api.h"

#include <cstdlib>

namespace armci::bench {

namespace {

constexpr int64_t kPageBytes = 4096;

}  // namespace

bool Arena::create(int64_t remote_bytes, int64_t local_bytes, bool local_malloc) {
    int rank_count = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &rank_count);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    bases_.assign(index(rank_count), nullptr);
    global_ = ARMCI_Malloc(bases_.data(), kDataOffset + remote_bytes) == 0;

    local_malloc_ = local_malloc;
    const int64_t rounded = (local_bytes / kPageBytes + 1) * kPageBytes;
    local_ = static_cast<char*>(local_malloc
                                    ? std::aligned_alloc(kPageBytes, static_cast<size_t>(rounded))
                                    : ARMCI_Malloc_local(rounded));
    int ok = global_ && local_ != nullptr ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &ok, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (ok == 1) {
        const DirectAccess access(bases_[index(rank_)]);
        *release_word(rank_) = 0;
        *counter(rank_) = 0;
    }
    return ok == 1;
}

void Arena::destroy() {
    if (local_ != nullptr) {
        if (local_malloc_) {
            std::free(local_);
        } else {
            ARMCI_Free_local(local_);
        }
        local_ = nullptr;
    }
    if (global_) {
        ARMCI_Free(bases_[index(rank_)]);
        global_ = false;
    }
}

long* Arena::counter(int rank) const {
    return reinterpret_cast<long*>(static_cast<char*>(bases_[index(rank)]) + kCounterOffset);
}

DirectAccess::DirectAccess(void* own_memory) : own_memory_(own_memory) {
    ARMCI_Access_begin(own_memory_);
}

DirectAccess::~DirectAccess() {
    ARMCI_Access_end(own_memory_);
}

}  // namespace armci::bench

// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/workloads/arena.h"

#include "armci-bench/workloads/implementation.h"

#include "armci-bench/workloads/armci_api.h"

#include <algorithm>
#include <cstdlib>

namespace armci::bench {

namespace {

int64_t round_up_to_pages(int64_t bytes) {
    return (bytes + Arena::kPageBytes - 1) / Arena::kPageBytes * Arena::kPageBytes;
}

}  // namespace

int64_t Arena::part_remote_bytes(int64_t data_bytes) {
    return kPageBytes + round_up_to_pages(data_bytes);
}

int64_t Arena::part_local_bytes(int64_t data_bytes) {
    return std::max(round_up_to_pages(data_bytes), kPageBytes);
}

bool Arena::create(int64_t remote_bytes, int64_t local_bytes, bool local_malloc) {
    int rank_count = 0;
    MPI_Comm_size(world(), &rank_count);
    MPI_Comm_rank(world(), &rank_);
    bases_.assign(index(rank_count), nullptr);
    remote_bytes_ = remote_bytes;
    global_ = ARMCI_Malloc(bases_.data(), kPageBytes + remote_bytes) == 0;

    local_malloc_ = local_malloc;
    local_bytes_ = part_local_bytes(local_bytes);
    local_ = static_cast<char*>(
        local_malloc ? std::aligned_alloc(kPageBytes, static_cast<size_t>(local_bytes_))
                     : ARMCI_Malloc_local(local_bytes_));
    int ok = global_ && local_ != nullptr ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &ok, 1, MPI_INT, MPI_MIN, world());
    if (ok == 1) {
        const DirectAccess access(bases_[index(rank_)]);
        *release_word(rank_) = 0;
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

Arena Arena::part(int64_t remote_offset, int64_t local_offset) const {
    Arena view = *this;
    view.remote_offset_ = remote_offset;
    view.local_offset_ = local_offset;
    return view;
}

long* Arena::counter(int rank) const {
    return reinterpret_cast<long*>(area(rank) + remote_offset_);
}

DirectAccess::DirectAccess(void* own_memory) : own_memory_(own_memory) {
#if ARMCI_BENCH_ACCESS
    ARMCI_Access_begin(own_memory_);
#endif
}

DirectAccess::~DirectAccess() {
#if ARMCI_BENCH_ACCESS
    ARMCI_Access_end(own_memory_);
#endif
}

}  // namespace armci::bench

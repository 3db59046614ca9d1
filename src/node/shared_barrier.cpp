// SPDX-License-Identifier: BSD-3-Clause
#include "node/shared_barrier.h"

#include <algorithm>
#include <new>

namespace armci::node {

size_t SharedBarrier::bytes(int rank_count) {
    return sizeof(Memory) + static_cast<size_t>(rank_count) * sizeof(BarrierFlag);
}

SharedBarrier SharedBarrier::make(NodeHeap& heap, const NodeHeap::Range& range, int rank_count) {
    static_assert(sizeof(Memory) % alignof(BarrierFlag) == 0);
    if (range.data == nullptr) {
        return {};
    }
    auto* memory = new (range.data) Memory;
    memory->users = rank_count;
    memory->rank_count = rank_count;
    memory->record = range.record;
    std::fill_n(memory->flags(), rank_count, BarrierFlag{});
    return {memory, heap};
}

SharedBarrier SharedBarrier::join(NodeHeap& heap, uint64_t address) {
    return {reinterpret_cast<Memory*>(address), heap};
}

NodeBarrier SharedBarrier::barrier(int rank) const {
    return {&memory_->state, memory_->flags(), rank, memory_->rank_count};
}

void SharedBarrier::Leave::operator()(Memory* memory) const {
    const uint32_t record = memory->record;
    if (memory->users.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        heap->release(record);
    }
}

}  // namespace armci::node

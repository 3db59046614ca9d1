// SPDX-License-Identifier: BSD-3-Clause
// The memory of a barrier among some ranks of a node, in the node heap. One of these ranks makes
// it and tells the others where it is. Each leaves when it destroys its object, after its last
// barrier there, and the last one to leave releases the memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "node/barrier.h"
#include "node/heap.h"

namespace armci::node {

class SharedBarrier {
  public:
    // Is for no barrier.
    SharedBarrier() = default;
    // Returns how much of the heap one for so many ranks takes.
    static size_t bytes(int rank_count);
    // Makes one for so many ranks in memory of the heap, which it gives back. It is_valid() if the
    // heap had room.
    static SharedBarrier make(NodeHeap& heap, const NodeHeap::Range& range, int rank_count);
    // `address` is what address() of the rank that has made it returns. Each other rank calls this
    // once.
    static SharedBarrier join(NodeHeap& heap, uint64_t address);

    bool is_valid() const { return memory_ != nullptr; }
    uint64_t address() const { return reinterpret_cast<uint64_t>(memory_.get()); }
    // `rank` is the number among the ranks that use it.
    NodeBarrier barrier(int rank) const;

  private:
    struct Memory {
        BarrierState state;
        std::atomic<int> users{0};  // ranks that have not left
        int rank_count = 0;
        uint32_t record = 0;  // of the heap
        BarrierFlag* flags() { return reinterpret_cast<BarrierFlag*>(this + 1); }
    };
    struct Leave {
        NodeHeap* heap;
        void operator()(Memory* memory) const;
    };

    SharedBarrier(Memory* memory, NodeHeap& heap) : memory_(memory, Leave{&heap}) {}

    std::unique_ptr<Memory, Leave> memory_;
};

}  // namespace armci::node

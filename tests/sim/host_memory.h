// SPDX-License-Identifier: BSD-3-Clause
// The node heaps of a simulated job, which are all in this process: parts of one file and of one
// mapping, because the system has few of either for a process.
#pragma once

#include <cstddef>

#include "node/heap.h"
#include "node/node_memory.h"

namespace armci::sim {

class HostMemory {
  public:
    HostMemory(int node_count, size_t data_bytes_each);
    ~HostMemory();
    HostMemory(const HostMemory&) = delete;
    HostMemory& operator=(const HostMemory&) = delete;

    // Makes the heap of that node in its part.
    node::NodeHeap make_heap(int node);
    char* base_of(int node) const { return base_ + static_cast<size_t>(node) * bytes_each_; }
    size_t bytes_each() const { return bytes_each_; }

  private:
    size_t bytes_each_;
    size_t bytes_;
    base::Descriptor memory_;
    node::HostAccount account_;
    char* base_ = nullptr;
};

}  // namespace armci::sim

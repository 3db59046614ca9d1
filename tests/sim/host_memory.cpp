// SPDX-License-Identifier: BSD-3-Clause
#include "host_memory.h"

#include "simulation.h"
#include "test_heap.h"

namespace armci::sim {

HostMemory::HostMemory(int node_count, size_t data_bytes_each)
    : bytes_each_(node::NodeHeap::mapping_bytes(data_bytes_each)),
      bytes_(bytes_each_ * static_cast<size_t>(node_count)),
      memory_(node::create_node_memory(bytes_)),
      base_(static_cast<char*>(test::TestHeap::free_range(bytes_))) {
    account_.part_bytes = bytes_each_;
    if (!memory_.valid() || !node::map_shared(memory_, base_, bytes_)) {
        violation("no memory for %d nodes", node_count);
    }
}

HostMemory::~HostMemory() {
    node::unmap_shared(base_, bytes_);
}

node::NodeHeap HostMemory::make_heap(int node) {
    const auto offset = static_cast<uint64_t>(base_of(node) - base_);
    return node::NodeHeap::create(base_of(node), bytes_each_, {memory_.get(), offset, &account_});
}

}  // namespace armci::sim

// SPDX-License-Identifier: BSD-3-Clause
// A node heap for one test: an anonymous file, mapped somewhere in this process. Children made by
// fork() share it at the same address, like the ranks of a node.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdint>
#include <utility>

#include "node/heap.h"
#include "node/node_memory.h"

namespace armci::test {

class TestHeap {
  public:
    explicit TestHeap(size_t data_bytes)
        : bytes_(node::NodeHeap::mapping_bytes(data_bytes)),
          memory_(node::create_node_memory(bytes_)) {
        EXPECT_TRUE(memory_.valid());
        base_ = free_range(bytes_);
        EXPECT_TRUE(node::map_shared(memory_, base_, bytes_));
        heap_ = node::NodeHeap::create(base_, bytes_, {memory_.get()});
    }
    ~TestHeap() { node::unmap_shared(base_, bytes_); }
    TestHeap(const TestHeap&) = delete;
    TestHeap& operator=(const TestHeap&) = delete;

    node::NodeHeap& operator*() { return heap_; }
    node::NodeHeap* operator->() { return &heap_; }
    char* base() const { return static_cast<char*>(base_); }
    size_t mapping_bytes() const { return bytes_; }
    const base::Descriptor& memory() const { return memory_; }

    // Addresses that are not in use, aligned to huge pages as node memory is. They are below those
    // that the system assigns next, in this process or a child.
    static void* free_range(size_t bytes) {
        constexpr size_t kGivenOutNext = size_t{1} << 30;
        const size_t reserved = bytes + node::kHugePageBytes + kGivenOutNext;
        void* found =
            mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        EXPECT_NE(found, MAP_FAILED);
        munmap(found, reserved);
        const auto address = reinterpret_cast<uintptr_t>(found) + node::kHugePageBytes - 1;
        return reinterpret_cast<void*>(address & ~(uintptr_t{node::kHugePageBytes} - 1));
    }

  private:
    size_t bytes_;
    base::Descriptor memory_;
    void* base_ = nullptr;
    node::NodeHeap heap_;
};

}  // namespace armci::test

// SPDX-License-Identifier: BSD-3-Clause
#include "counted_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace armci::sim {
namespace {

bool g_is_counting = false;
int64_t g_heap_bytes = 0;
int64_t g_most_heap_bytes = 0;
std::map<void*, size_t>* g_mappings = nullptr;

// Before each block from the heap.
struct alignas(std::max_align_t) BlockHead {
    size_t bytes = 0;
    bool is_counted = false;
};

}  // namespace

CountedMemory::CountedMemory() {
    g_heap_bytes = 0;
    g_most_heap_bytes = 0;
    g_mappings = &mappings_;
}

CountedMemory::~CountedMemory() {
    g_mappings = nullptr;
}

CountedMemory::Scope::Scope() {
    g_is_counting = true;
}

CountedMemory::Scope::~Scope() {
    g_is_counting = false;
}

int64_t CountedMemory::heap_bytes() const {
    return g_heap_bytes;
}

void CountedMemory::forget_most() {
    g_most_heap_bytes = g_heap_bytes;
}

int64_t CountedMemory::most_heap_bytes() const {
    return g_most_heap_bytes;
}

int64_t CountedMemory::mapped_bytes() const {
    int64_t bytes = 0;
    for (const auto& [begin, length] : mappings_) {
        bytes += static_cast<int64_t>(length);
    }
    return bytes;
}

}  // namespace armci::sim

// Not inlined into each other's callers, where the compiler would see that new and free meet.
[[gnu::noinline]] void* operator new(size_t bytes) {
    using namespace armci::sim;
    auto* head = static_cast<BlockHead*>(std::malloc(sizeof(BlockHead) + bytes));
    if (head == nullptr) {
        std::abort();
    }
    head->bytes = bytes;
    head->is_counted = g_is_counting;
    if (head->is_counted) {
        g_heap_bytes += static_cast<int64_t>(bytes);
        g_most_heap_bytes = std::max(g_most_heap_bytes, g_heap_bytes);
    }
    return head + 1;
}

[[gnu::noinline]] void operator delete(void* block) noexcept {
    using namespace armci::sim;
    if (block == nullptr) {
        return;
    }
    BlockHead* head = static_cast<BlockHead*>(block) - 1;
    if (head->is_counted) {
        g_heap_bytes -= static_cast<int64_t>(head->bytes);
    }
    std::free(head);
}

void operator delete(void* block, size_t) noexcept {
    operator delete(block);
}

extern "C" {

void* __real_mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset);
int __real_munmap(void* address, size_t bytes);

void* __wrap_mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset) {
    void* mapped = __real_mmap(address, bytes, protection, flags, file, offset);
    if (armci::sim::g_is_counting && mapped != MAP_FAILED) {
        (*armci::sim::g_mappings)[mapped] = bytes;
    }
    return mapped;
}

int __wrap_munmap(void* address, size_t bytes) {
    if (armci::sim::g_mappings != nullptr) {
        armci::sim::g_mappings->erase(address);
    }
    return __real_munmap(address, bytes);
}

}  // extern "C"

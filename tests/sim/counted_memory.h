// SPDX-License-Identifier: BSD-3-Clause
// Counts what one part of the program allocates: blocks from the heap, and mappings. The program
// has its own operator new and operator delete for that, and the linker wraps mmap and munmap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace armci::sim {

// At most one exists at a time.
class CountedMemory {
  public:
    CountedMemory();
    ~CountedMemory();
    CountedMemory(const CountedMemory&) = delete;
    CountedMemory& operator=(const CountedMemory&) = delete;

    // What is allocated while one exists is counted, until it is freed anywhere.
    class Scope {
      public:
        Scope();
        ~Scope();
    };

    int64_t heap_bytes() const;
    int64_t most_heap_bytes() const;  // so far, or since forget_most()
    void forget_most();
    int64_t mapped_bytes() const;

  private:
    std::map<void*, size_t> mappings_;
};

}  // namespace armci::sim

// SPDX-License-Identifier: BSD-3-Clause
// A global allocation that exists as long as the object. Construction and destruction are
// collective. With TEST_MEMORY=attached it is memory of malloc that every rank attaches, so that
// all tests also run on such memory. A test that needs one kind selects it.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "armci/armci.h"
#include "armci/armcix.h"
#include "support/job.h"

namespace armci::mp {

enum class MemoryKind { allocated, attached };

inline MemoryKind chosen_memory_kind() {
    const char* memory = std::getenv("TEST_MEMORY");
    return memory != nullptr && std::string(memory) == "attached" ? MemoryKind::attached
                                                                  : MemoryKind::allocated;
}

class GlobalMemory {
  public:
    // Every rank contributes `bytes`, which may differ.
    explicit GlobalMemory(int64_t bytes, MemoryKind kind = chosen_memory_kind())
        : kind_(kind), slices_(static_cast<size_t>(nproc()), nullptr) {
        if (kind_ == MemoryKind::attached) {
            attach(bytes);
        } else if (ARMCI_Malloc(slices_.data(), bytes) != 0) {
            give_up("ARMCI_Malloc failed");
        }
    }
    ~GlobalMemory() {
        void* mine = slices_[static_cast<size_t>(me())];
        if (kind_ == MemoryKind::allocated) {
            ARMCI_Free(mine);
            return;
        }
        ARMCI_Barrier();  // as ARMCI_Free does
        if (mine != nullptr) {
            ARMCIX_Detach(mine);
            std::free(mine);
        }
    }
    GlobalMemory(const GlobalMemory&) = delete;
    GlobalMemory& operator=(const GlobalMemory&) = delete;

    char* at(int proc, int64_t offset_bytes = 0) const {
        return static_cast<char*>(slices_[static_cast<size_t>(proc)]) + offset_bytes;
    }
    char* mine() const { return at(me()); }

    template <typename T>
    T* element(int proc, int64_t index = 0) const {
        return static_cast<T*>(slices_[static_cast<size_t>(proc)]) + index;
    }

  private:
    void attach(int64_t bytes) {
        void* mine = nullptr;
        if (bytes > 0) {
            constexpr size_t kAlignment = 64;
            const size_t rounded = (static_cast<size_t>(bytes) + kAlignment - 1) / kAlignment;
            mine = std::aligned_alloc(kAlignment, rounded * kAlignment);
            ARMCIX_Attach(mine, static_cast<size_t>(bytes));
        }
        MPI_Allgather(&mine, sizeof mine, MPI_BYTE, slices_.data(), sizeof mine, MPI_BYTE,
                      harness_comm());
    }

    MemoryKind kind_;
    std::vector<void*> slices_;
};

}  // namespace armci::mp

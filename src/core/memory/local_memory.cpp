// SPDX-License-Identifier: BSD-3-Clause
#include "core/memory/local_memory.h"

#include <cstdlib>
#include <unordered_map>

#include "base/log.h"

namespace armci::core {
namespace {

// The sizes in bytes by address; the API lock guards them. The memory is the program's until the
// program frees it. It may be used after ARMCI_Finalize and freed after another ARMCI_Init, because
// Global Arrays can keep its stack and heap there.
std::unordered_map<void*, size_t> g_memory;

}  // namespace

void* allocate_local(int64_t bytes) {
    constexpr size_t kAlignment = 64;
    if (bytes <= 0) {
        return nullptr;
    }
    void* memory = nullptr;
    if (posix_memalign(&memory, kAlignment, static_cast<size_t>(bytes)) != 0) {
        return nullptr;
    }
    g_memory[memory] = static_cast<size_t>(bytes);
    return memory;
}

void free_local(Checking& checking, const char* function, void* pointer) {
    if (pointer == nullptr) {
        return;
    }
    const auto found = g_memory.find(pointer);
    if (found == g_memory.end()) {
        base::fatal(function, "argument ptr = %p: not from ARMCI_Malloc_local, or freed already",
                    pointer);
    }
    const size_t bytes = found->second;
    g_memory.erase(found);
    if (!checking->free_local_later(pointer, bytes)) {
        std::free(pointer);
    }
}

}  // namespace armci::core

#include "core/local_memory.h"

#include <cstdlib>

#include "base/log.h"
#include "core/checks.h"

namespace armci::core {

void* allocate_local(Runtime& runtime, int64_t bytes) {
    constexpr size_t kAlignment = 64;
    if (bytes <= 0) {
        return nullptr;
    }
    void* memory = nullptr;
    if (posix_memalign(&memory, kAlignment, static_cast<size_t>(bytes)) != 0) {
        return nullptr;
    }
    runtime.local_memory[memory] = static_cast<size_t>(bytes);
    return memory;
}

void free_local(Runtime& runtime, const char* function, void* pointer) {
    if (pointer == nullptr) {
        return;
    }
    const auto found = runtime.local_memory.find(pointer);
    if (found == runtime.local_memory.end()) {
        base::fatal(function, "argument ptr = %p: not from ARMCI_Malloc_local, or freed already",
                    pointer);
    }
    const size_t bytes = found->second;
    runtime.local_memory.erase(found);
    if (runtime.checks != nullptr) {
        runtime.checks->free_local_later(pointer, bytes);
    } else {
        std::free(pointer);
    }
}

}  // namespace armci::core

#include "core/local_memory.h"

#include <cstdlib>

#include "base/log.h"

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
    runtime.local_memory.insert(memory);
    return memory;
}

void free_local(Runtime& runtime, const char* function, void* pointer) {
    if (pointer == nullptr) {
        return;
    }
    if (runtime.local_memory.erase(pointer) == 0) {
        base::fatal(function, "argument ptr = %p: not from ARMCI_Malloc_local, or freed already",
                    pointer);
    }
    std::free(pointer);
}

}  // namespace armci::core

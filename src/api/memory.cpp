// SPDX-License-Identifier: BSD-3-Clause
// Global and local memory.
#include <atomic>
#include <cstring>

#include "api/arguments.h"
#include "base/log.h"
#include "core/memory/global_memory.h"
#include "core/memory/local_memory.h"

namespace armci::api {
namespace {

int allocate(Call call, const core::GroupRef& group, void** base_ptrs, armci_size_t bytes) {
    Runtime& runtime = call.runtime;
    check_not_null(call.function, "base_ptrs", base_ptrs);
    check_not_negative(call.function, "bytes", bytes);
    runtime.checking->meet(call.function, *group, core::Collective::allocate);
    return runtime.memory.allocate(call.function, group, bytes, base_ptrs, nullptr) ? 0 : 1;
}

// Checks that `ptr` is in this rank's global memory, for the calls that enclose direct access.
void check_my_memory(Call call, void* ptr) {
    Runtime& runtime = call.runtime;
    const auto address = reinterpret_cast<uint64_t>(ptr);
    const int rank = runtime.world.rank;
    if (runtime.segments.find(rank, address, 1).segment == nullptr &&
        runtime.attached.find(call.function, rank, address, 1) == wire::kGlobal) {
        base::fatal(call.function, "argument ptr = %p: not in this rank's global memory: %s", ptr,
                    runtime.segments.explain(runtime.world.rank, address, 1).c_str());
    }
}

}  // namespace
}  // namespace armci::api

using armci::core::Entry;
namespace api = armci::api;

extern "C" int PARMCI_Malloc(void** base_ptrs, armci_size_t bytes) {
    Entry entry("ARMCI_Malloc");
    return api::allocate({*entry, "ARMCI_Malloc"}, entry->groups.world(), base_ptrs, bytes);
}
ARMCI_ALIAS(int, ARMCI_Malloc, (void**, armci_size_t), PARMCI_Malloc);

extern "C" int PARMCI_Malloc_memdev(void** base_ptrs, armci_size_t bytes, const char*) {
    Entry entry("ARMCI_Malloc_memdev");
    return api::allocate({*entry, "ARMCI_Malloc_memdev"}, entry->groups.world(), base_ptrs, bytes);
}
ARMCI_ALIAS(int, ARMCI_Malloc_memdev, (void**, armci_size_t, const char*), PARMCI_Malloc_memdev);

extern "C" int ARMCI_Malloc_group(void** base_ptrs, armci_size_t bytes, ARMCI_Group* group) {
    Entry entry("ARMCI_Malloc_group");
    const api::Call call{*entry, "ARMCI_Malloc_group"};
    return api::allocate(call, api::check_group(call, "group", group), base_ptrs, bytes);
}

extern "C" int PARMCI_Malloc_group_memdev(void** base_ptrs, armci_size_t bytes, ARMCI_Group* group,
                                          const char*) {
    Entry entry("ARMCI_Malloc_group_memdev");
    const api::Call call{*entry, "ARMCI_Malloc_group_memdev"};
    return api::allocate(call, api::check_group(call, "group", group), base_ptrs, bytes);
}
ARMCI_ALIAS(int, ARMCI_Malloc_group_memdev, (void**, armci_size_t, ARMCI_Group*, const char*),
            PARMCI_Malloc_group_memdev);

extern "C" int PARMCI_Free(void* ptr) {
    Entry entry("ARMCI_Free");
    entry->memory.free("ARMCI_Free", entry->groups.world(), ptr);
    return 0;
}
ARMCI_ALIAS(int, ARMCI_Free, (void*), PARMCI_Free);

extern "C" int PARMCI_Free_memdev(void* ptr) {
    Entry entry("ARMCI_Free_memdev");
    entry->memory.free("ARMCI_Free_memdev", entry->groups.world(), ptr);
    return 0;
}
ARMCI_ALIAS(int, ARMCI_Free_memdev, (void*), PARMCI_Free_memdev);

// Global Arrays frees a group before the memory on it, so a group that is gone is no error.
extern "C" int ARMCI_Free_group(void* ptr, ARMCI_Group* group) {
    Entry entry("ARMCI_Free_group");
    api::check_not_null("ARMCI_Free_group", "group", group);
    entry->memory.free("ARMCI_Free_group", entry->groups.find_for_free(api::group_id(*group)), ptr);
    return 0;
}

extern "C" void* PARMCI_Malloc_local(armci_size_t bytes) {
    Entry entry("ARMCI_Malloc_local");
    api::check_not_negative("ARMCI_Malloc_local", "bytes", bytes);
    return armci::core::allocate_local(bytes);
}
ARMCI_ALIAS(void*, ARMCI_Malloc_local, (armci_size_t), PARMCI_Malloc_local);

extern "C" int PARMCI_Free_local(void* ptr) {
    Entry entry("ARMCI_Free_local");
    armci::core::free_local(entry->checking, "ARMCI_Free_local", ptr);
    return 0;
}
ARMCI_ALIAS(int, ARMCI_Free_local, (void*), PARMCI_Free_local);

extern "C" void PARMCI_Access_begin(void* ptr) {
    Entry entry("ARMCI_Access_begin");
    api::check_my_memory({*entry, "ARMCI_Access_begin"}, ptr);
    std::atomic_thread_fence(std::memory_order_seq_cst);
}
ARMCI_ALIAS(void, ARMCI_Access_begin, (void*), PARMCI_Access_begin);

extern "C" void PARMCI_Access_end(void* ptr) {
    Entry entry("ARMCI_Access_end");
    api::check_my_memory({*entry, "ARMCI_Access_end"}, ptr);
    std::atomic_thread_fence(std::memory_order_seq_cst);
}
ARMCI_ALIAS(void, ARMCI_Access_end, (void*), PARMCI_Access_end);

extern "C" void ARMCI_Set_shm_limit(unsigned long bytes) {
    armci::core::set_memory_limit(bytes);
}

// Both tell Global Arrays whether it may treat other ranks' memory as its own; by default it may
// not (see armci_domain_*).
extern "C" int ARMCI_Uses_shm(void) {
    return 0;
}
extern "C" int ARMCI_Uses_shm_grp(ARMCI_Group*) {
    return 0;
}

extern "C" void ARMCI_Copy(void* src, void* dst, int bytes) {
    api::check_not_negative("ARMCI_Copy", "bytes", bytes);
    if (bytes > 0) {
        api::check_not_null("ARMCI_Copy", "src", src);
        api::check_not_null("ARMCI_Copy", "dst", dst);
        std::memmove(dst, src, static_cast<size_t>(bytes));
    }
}

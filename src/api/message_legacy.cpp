// SPDX-License-Identifier: BSD-3-Clause
// Parts of the message layer that few programs still use.
#include "core/messages/messages.h"

#include <vector>

#include "api/arguments.h"
#include "api/scope.h"
#include "base/log.h"
#include "strided/kernels.h"

// These two are weak, because Global Arrays' own tests define them.
extern "C" __attribute__((weak)) void armci_msg_init(int* argc, char*** argv) {
    int initialized = 0;
    MPI_Initialized(&initialized);
    if (initialized == 0) {
        MPI_Init(argc, argv);
    }
}

extern "C" __attribute__((weak)) void armci_msg_finalize(void) {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized == 0) {
        MPI_Finalize();
    }
}

namespace armci::api {
namespace {

// Every rank has filled its own entry and left the others zero.
void exchange(Call call, const core::Group& group, void* pointers[], int n) {
    check_not_negative(call.function, "n", n);
    check_not_null(call.function, "ptr_ar", pointers);
    static_assert(sizeof(long) == sizeof(void*));
    std::vector<long> values(n);
    for (int i = 0; i < n; ++i) {
        values[i] = reinterpret_cast<long>(pointers[i]);
    }
    call.runtime.messages.reduce(call.function, group, values.data(), n, "+",
                                 core::MessageType::int64);
    for (int i = 0; i < n; ++i) {
        pointers[i] = reinterpret_cast<void*>(values[i]);
    }
}

// An array with strides, as the callers pass it.
struct StridedArray {
    void* base;
    int levels;
    const int* stride;
    const int* count;
};

// The layout of the array; false if it is empty.
bool make_layout(const char* function, const StridedArray& array, strided::Layout* layout) {
    if (!check_counts(function, array.count, array.levels)) {
        return false;
    }
    if (array.levels > 0) {
        check_not_null(function, "stride_arr", array.stride);
    }
    strided::PairLayout pair;
    // Only one side has strides. The buffer's canonical form is a single block.
    const strided::LayoutStatus status =
        strided::make_pair(array.stride, array.stride, array.count, array.levels, &pair);
    if (status != strided::LayoutStatus::ok) {
        base::fatal(function,
                    "arguments count and stride_arr: too many levels, or more than 64 bits "
                    "of address space");
    }
    *layout = strided::local_side(pair);
    return true;
}

enum class Copy : bool { to_buffer, from_buffer };

void copy_packed(const char* function, const StridedArray& array, char* buffer, Copy copy) {
    strided::Layout layout;
    if (!make_layout(function, array, &layout)) {
        return;
    }
    check_not_null(function, "ptr", array.base);
    check_not_null(function, "buf", buffer);
    strided::StridedCursor cursor(array.base, layout);
    if (copy == Copy::to_buffer) {
        strided::pack(cursor, buffer, cursor.remaining());
    } else {
        strided::unpack(cursor, buffer, cursor.remaining());
    }
}

}  // namespace
}  // namespace armci::api

using armci::core::Entry;
namespace api = armci::api;

extern "C" void armci_exchange_address(void* ptr_ar[], int n) {
    Entry entry("armci_exchange_address");
    api::exchange({*entry, "armci_exchange_address"}, *entry->groups.world(), ptr_ar, n);
}

extern "C" void armci_exchange_address_grp(void* ptr_arr[], int n, ARMCI_Group* group) {
    constexpr const char* kFunction = "armci_exchange_address_grp";
    Entry entry(kFunction);
    const api::Call call{*entry, kFunction};
    api::exchange(call, *api::check_group(call, "group", group), ptr_arr, n);
}

// Broadcasts from the first rank of the caller's domain.
extern "C" void armci_msg_clus_brdcst(void* buf, int len) {
    armci_msg_bcast_scope(
        SCOPE_NODE, buf, len,
        armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, armci_domain_my_id(ARMCI_DOMAIN_SMP), 0));
}

// Broadcasts from the first member of the group there.
extern "C" void armci_grp_clus_brdcst(void* buf, int len, int, int, ARMCI_Group* mastergroup) {
    constexpr const char* kFunction = "armci_grp_clus_brdcst";
    Entry entry(kFunction);
    const api::ScopeOfGroup part(kFunction, SCOPE_NODE,
                                 api::check_group({*entry, kFunction}, "mastergroup", mastergroup),
                                 *entry);
    api::check_not_negative(kFunction, "len", len);
    if (len > 0) {
        api::check_not_null(kFunction, "buf", buf);
        entry->messages.broadcast(*part.ranks(), buf, len, 0);
    }
}

extern "C" void armci_msg_clus_igop(int* x, int n, char* op) {
    armci_msg_gop_scope(SCOPE_NODE, x, n, op, ARMCI_INT);
}

extern "C" void armci_msg_clus_lgop(long* x, int n, char* op) {
    armci_msg_gop_scope(SCOPE_NODE, x, n, op, ARMCI_LONG);
}

extern "C" void armci_msg_clus_llgop(long long* x, int n, char* op) {
    armci_msg_gop_scope(SCOPE_NODE, x, n, op, ARMCI_LONG_LONG);
}

extern "C" void armci_msg_clus_fgop(float* x, int n, char* op) {
    armci_msg_gop_scope(SCOPE_NODE, x, n, op, ARMCI_FLOAT);
}

extern "C" void armci_msg_clus_dgop(double* x, int n, char* op) {
    armci_msg_gop_scope(SCOPE_NODE, x, n, op, ARMCI_DOUBLE);
}

// Packing between a strided array and a contiguous buffer; the names say what happens to the
// buffer.
extern "C" void armci_write_strided(void* ptr, int stride_levels, int stride_arr[], int count[],
                                    char* buf) {
    api::copy_packed("armci_write_strided", {ptr, stride_levels, stride_arr, count}, buf,
                     api::Copy::to_buffer);
}

extern "C" void armci_read_strided(void* ptr, int stride_levels, int stride_arr[], int count[],
                                   char* buf) {
    api::copy_packed("armci_read_strided", {ptr, stride_levels, stride_arr, count}, buf,
                     api::Copy::from_buffer);
}

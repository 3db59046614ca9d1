// SPDX-License-Identifier: BSD-3-Clause
// Parts of the message layer that few programs still use.
#include "core/messages.h"

#include <string>
#include <vector>

#include "api/arguments.h"
#include "api/scope.h"
#include "base/log.h"
#include "strided/kernels.h"

// Weak: Global Arrays' own tests bring these two themselves.
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
void exchange(const char* function, void* pointers[], int n, Runtime& runtime,
              const core::Group& group) {
    check_not_negative(function, "n", n);
    check_not_null(function, "ptr_ar", pointers);
    static_assert(sizeof(long) == sizeof(void*));
    std::vector<long> values(n);
    for (int i = 0; i < n; ++i) {
        values[i] = reinterpret_cast<long>(pointers[i]);
    }
    runtime.messages.reduce(runtime, function, group, values.data(), n, "+",
                            core::MessageType::int64);
    for (int i = 0; i < n; ++i) {
        pointers[i] = reinterpret_cast<void*>(values[i]);
    }
}

void copy_packed(const char* function, void* strided, int levels, const int* stride,
                 const int* count, char* buffer, bool to_buffer) {
    check_not_negative(function, "stride_levels", levels);
    check_not_null(function, "count", count);
    for (int level = 0; level <= levels; ++level) {
        check_not_negative(function, ("count[" + std::to_string(level) + "]").c_str(),
                           count[level]);
    }
    strided::PairLayout pair;
    // Only one side has strides; the buffer's canonical form is a single block.
    const strided::LayoutStatus status = strided::make_pair(stride, stride, count, levels, &pair);
    if (status == strided::LayoutStatus::empty) {
        return;
    }
    if (status != strided::LayoutStatus::ok) {
        base::fatal(function,
                    "arguments count and stride_arr: too many levels, or more than 64 bits "
                    "of address space");
    }
    check_not_null(function, "ptr", strided);
    check_not_null(function, "buf", buffer);
    strided::StridedCursor cursor(strided, strided::local_side(pair));
    if (to_buffer) {
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
    api::exchange("armci_exchange_address", ptr_ar, n, *entry, *entry->groups.world());
}

extern "C" void armci_exchange_address_grp(void* ptr_arr[], int n, ARMCI_Group* group) {
    constexpr const char* kFunction = "armci_exchange_address_grp";
    Entry entry(kFunction);
    api::exchange(kFunction, ptr_arr, n, *entry,
                  *api::check_group(kFunction, "group", group, *entry));
}

// From the first rank of the caller's domain.
extern "C" void armci_msg_clus_brdcst(void* buf, int len) {
    armci_msg_bcast_scope(
        SCOPE_NODE, buf, len,
        armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, armci_domain_my_id(ARMCI_DOMAIN_SMP), 0));
}

// From the first member of the group there.
extern "C" void armci_grp_clus_brdcst(void* buf, int len, int, int, ARMCI_Group* mastergroup) {
    constexpr const char* kFunction = "armci_grp_clus_brdcst";
    Entry entry(kFunction);
    const api::ScopeOfGroup part(kFunction, SCOPE_NODE,
                                 api::check_group(kFunction, "mastergroup", mastergroup, *entry),
                                 *entry);
    api::check_not_negative(kFunction, "len", len);
    if (len > 0) {
        api::check_not_null(kFunction, "buf", buf);
        entry->messages.broadcast(*entry, *part.ranks(), buf, len, 0);
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
    api::copy_packed("armci_write_strided", ptr, stride_levels, stride_arr, count, buf, true);
}

extern "C" void armci_read_strided(void* ptr, int stride_levels, int stride_arr[], int count[],
                                   char* buf) {
    api::copy_packed("armci_read_strided", ptr, stride_levels, stride_arr, count, buf, false);
}

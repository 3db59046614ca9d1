// SPDX-License-Identifier: BSD-3-Clause
// Strided put, get and accumulate, blocking and not, and the put with a flag.
#include "api/transfer_calls.h"

using armci::api::AccArguments;
using armci::api::OneBlockArguments;
using armci::api::StridedArguments;
using armci::base::OpKind;
namespace api = armci::api;

namespace {

// A call without levels moves one block, and goes as short a way as a contiguous one.
[[gnu::always_inline]] inline bool is_one_block(const StridedArguments& arguments) {
    return arguments.stride_levels == 0 && arguments.count != nullptr;
}

[[gnu::always_inline]] inline OneBlockArguments one_block(const StridedArguments& arguments) {
    return {{arguments.src, arguments.dst, arguments.count[0], arguments.proc}};
}

template <OpKind kOp, class... Acc>
[[gnu::always_inline]] inline int run_strided(const char* function,
                                              const StridedArguments& arguments, Acc... acc) {
    return is_one_block(arguments) ? api::run<kOp>(function, one_block(arguments), acc...)
                                   : api::run<kOp>(function, arguments, acc...);
}

template <OpKind kOp, class... Acc>
[[gnu::always_inline]] inline int start_strided(const char* function, armci_hdl_t* handle,
                                                const StridedArguments& arguments, Acc... acc) {
    return is_one_block(arguments) ? api::start<kOp>(function, handle, one_block(arguments), acc...)
                                   : api::start<kOp>(function, handle, arguments, acc...);
}

}  // namespace

extern "C" int PARMCI_PutS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                           int count[], int stride_levels, int proc) {
    return run_strided<OpKind::put>(
        "ARMCI_PutS", {src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc});
}
ARMCI_ALIAS(int, ARMCI_PutS, (void*, int[], void*, int[], int[], int, int), PARMCI_PutS);

extern "C" int PARMCI_GetS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                           int count[], int stride_levels, int proc) {
    return run_strided<OpKind::get>(
        "ARMCI_GetS", {src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc});
}
ARMCI_ALIAS(int, ARMCI_GetS, (void*, int[], void*, int[], int[], int, int), PARMCI_GetS);

extern "C" int PARMCI_AccS(int datatype, void* scale, void* src_ptr, int src_stride_ar[],
                           void* dst_ptr, int dst_stride_ar[], int count[], int stride_levels,
                           int proc) {
    return run_strided<OpKind::acc>(
        "ARMCI_AccS", {src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc},
        AccArguments{datatype, scale});
}
ARMCI_ALIAS(int, ARMCI_AccS, (int, void*, void*, int[], void*, int[], int[], int, int),
            PARMCI_AccS);

extern "C" int PARMCI_NbPutS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                             int count[], int stride_levels, int proc, armci_hdl_t* hdl) {
    return start_strided<OpKind::put>(
        "ARMCI_NbPutS", hdl,
        {src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc});
}
ARMCI_ALIAS(int, ARMCI_NbPutS, (void*, int[], void*, int[], int[], int, int, armci_hdl_t*),
            PARMCI_NbPutS);

extern "C" int PARMCI_NbGetS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                             int count[], int stride_levels, int proc, armci_hdl_t* hdl) {
    return start_strided<OpKind::get>(
        "ARMCI_NbGetS", hdl,
        {src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc});
}
ARMCI_ALIAS(int, ARMCI_NbGetS, (void*, int[], void*, int[], int[], int, int, armci_hdl_t*),
            PARMCI_NbGetS);

extern "C" int PARMCI_NbAccS(int datatype, void* scale, void* src_ptr, int src_stride_ar[],
                             void* dst_ptr, int dst_stride_ar[], int count[], int stride_levels,
                             int proc, armci_hdl_t* hdl) {
    return start_strided<OpKind::acc>(
        "ARMCI_NbAccS", hdl,
        {src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc},
        AccArguments{datatype, scale});
}
ARMCI_ALIAS(int, ARMCI_NbAccS,
            (int, void*, void*, int[], void*, int[], int[], int, int, armci_hdl_t*), PARMCI_NbAccS);

extern "C" int PARMCI_PutS_flag(void* src_ptr, int src_stride_ar[], void* dst_ptr,
                                int dst_stride_ar[], int count[], int stride_levels, int* flag,
                                int value, int proc) {
    return api::put_with_flag("ARMCI_PutS_flag",
                              StridedArguments{src_ptr, src_stride_ar, dst_ptr, dst_stride_ar,
                                               count, stride_levels, proc},
                              {flag, value});
}
ARMCI_ALIAS(int, ARMCI_PutS_flag, (void*, int[], void*, int[], int[], int, int*, int, int),
            PARMCI_PutS_flag);

extern "C" int ARMCI_PutS_flag_dir(void* src_ptr, int src_stride_ar[], void* dst_ptr,
                                   int dst_stride_ar[], int count[], int stride_levels, int* flag,
                                   int value, int proc) {
    return PARMCI_PutS_flag(src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels,
                            flag, value, proc);
}

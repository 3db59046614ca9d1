// SPDX-License-Identifier: BSD-3-Clause
// Strided put, get and accumulate, blocking and not, and the put with a flag.
#include "api/arguments.h"
#include "api/fast_path.h"
#include "api/small_patch.h"
#include "core/transfers.h"

using armci::base::OpKind;
using armci::core::Entry;
using armci::pipeline::Transfer;
namespace api = armci::api;

namespace {

using api::Threads;
using armci::core::Runtime;

[[gnu::noinline]] void run_long_strided(Runtime& runtime, const char* function, OpKind op,
                                        void* src, const int* src_stride, void* dst,
                                        const int* dst_stride, const int* count, int stride_levels,
                                        int proc, const armci::strided::AccScale* scale) {
    api::name_call(runtime, function);
    Transfer transfer;
    if (api::make_strided(runtime, function, op, src, src_stride, dst, dst_stride, count,
                          stride_levels, proc, scale, &transfer)) {
        armci::core::run_blocking(runtime, std::move(transfer));
    }
}

// Without levels a transfer is contiguous, and goes as short a way. Each form has functions of its
// own, with equal parameters, so that choosing between them is a jump and neither saves registers
// for both.
enum class Levels : bool { none, some };

// Put or get by the short way. The local side comes first of a put, second of a get.
template <Threads kThreads, OpKind kOp, Levels kLevels>
[[gnu::always_inline]] inline bool moved_on_node(Runtime& runtime, void* src, int* src_stride,
                                                 void* dst, int* dst_stride, int* count,
                                                 int stride_levels, int proc) {
    constexpr bool kIsPut = kOp == OpKind::put;
    char* local = static_cast<char*>(kIsPut ? src : dst);
    char* remote = static_cast<char*>(kIsPut ? dst : src);
    if constexpr (kLevels == Levels::none) {
        return count != nullptr &&
               api::copied_on_node<kThreads>(runtime, kOp, local, remote, count[0], proc);
    } else {
        return api::copied_on_node<kThreads>(runtime, kOp, local, kIsPut ? src_stride : dst_stride,
                                             remote, kIsPut ? dst_stride : src_stride, count,
                                             stride_levels, proc);
    }
}

template <Threads kThreads, Levels kLevels>
[[gnu::always_inline]] inline bool added_on_node(Runtime& runtime, int datatype, const void* scale,
                                                 void* src, int* src_stride, void* dst,
                                                 int* dst_stride, int* count, int stride_levels,
                                                 int proc) {
    if constexpr (kLevels == Levels::none) {
        return count != nullptr &&
               api::added_on_node<kThreads>(runtime, datatype, scale, src, dst, count[0], proc);
    } else {
        return api::added_on_node<kThreads>(runtime, datatype, scale, static_cast<char*>(src),
                                            src_stride, static_cast<char*>(dst), dst_stride, count,
                                            stride_levels, proc);
    }
}

template <Threads kThreads, OpKind kOp, Levels kLevels>
[[gnu::always_inline]] inline int move_strided(Runtime& runtime, void* src, int* src_stride,
                                               void* dst, int* dst_stride, int* count,
                                               int stride_levels, int proc) {
    if (!moved_on_node<kThreads, kOp, kLevels>(runtime, src, src_stride, dst, dst_stride, count,
                                               stride_levels, proc)) {
        run_long_strided(runtime, kOp == OpKind::put ? "ARMCI_PutS" : "ARMCI_GetS", kOp, src,
                         src_stride, dst, dst_stride, count, stride_levels, proc, nullptr);
    }
    return 0;
}

template <Threads kThreads, Levels kLevels>
[[gnu::always_inline]] inline int acc_strided(Runtime& runtime, int datatype, void* scale,
                                              void* src, int* src_stride, void* dst,
                                              int* dst_stride, int* count, int stride_levels,
                                              int proc) {
    if (!added_on_node<kThreads, kLevels>(runtime, datatype, scale, src, src_stride, dst,
                                          dst_stride, count, stride_levels, proc)) {
        const auto factor = api::check_scale("ARMCI_AccS", datatype, scale);
        run_long_strided(runtime, "ARMCI_AccS", OpKind::acc, src, src_stride, dst, dst_stride,
                         count, stride_levels, proc, api::pointer_to(factor));
    }
    return 0;
}

[[gnu::noinline]] void start_long_strided(Runtime& runtime, const char* function, OpKind op,
                                          void* src, const int* src_stride, void* dst,
                                          const int* dst_stride, const int* count,
                                          int stride_levels, int proc,
                                          const armci::strided::AccScale* scale,
                                          armci_hdl_t* handle) {
    api::name_call(runtime, function);
    Transfer transfer;
    const bool any = api::make_strided(runtime, function, op, src, src_stride, dst, dst_stride,
                                       count, stride_levels, proc, scale, &transfer);
    api::start_or_skip(runtime, any, std::move(transfer), handle);
}

// With a copy engine non-blocking operations are its business.
template <Threads kThreads>
[[gnu::always_inline]] inline bool is_for_engine(const Runtime& runtime) {
    return kThreads == Threads::several && runtime.copies.are_possible();
}

template <Threads kThreads, OpKind kOp, Levels kLevels>
[[gnu::always_inline]] inline int nb_move_strided(Runtime& runtime, void* src, int* src_stride,
                                                  void* dst, int* dst_stride, int* count,
                                                  int stride_levels, int proc, armci_hdl_t* hdl) {
    if (!is_for_engine<kThreads>(runtime) &&
        moved_on_node<kThreads, kOp, kLevels>(runtime, src, src_stride, dst, dst_stride, count,
                                              stride_levels, proc)) {
        api::skip(runtime, hdl);
    } else {
        start_long_strided(runtime, kOp == OpKind::put ? "ARMCI_NbPutS" : "ARMCI_NbGetS", kOp, src,
                           src_stride, dst, dst_stride, count, stride_levels, proc, nullptr, hdl);
    }
    return 0;
}

template <Threads kThreads, Levels kLevels>
[[gnu::always_inline]] inline int nb_acc_strided(Runtime& runtime, int datatype, void* scale,
                                                 void* src, int* src_stride, void* dst,
                                                 int* dst_stride, int* count, int stride_levels,
                                                 int proc, armci_hdl_t* hdl) {
    if (!is_for_engine<kThreads>(runtime) &&
        added_on_node<kThreads, kLevels>(runtime, datatype, scale, src, src_stride, dst, dst_stride,
                                         count, stride_levels, proc)) {
        api::skip(runtime, hdl);
    } else {
        const auto factor = api::check_scale("ARMCI_NbAccS", datatype, scale);
        start_long_strided(runtime, "ARMCI_NbAccS", OpKind::acc, src, src_stride, dst, dst_stride,
                           count, stride_levels, proc, api::pointer_to(factor), hdl);
    }
    return 0;
}

template <OpKind kOp, Levels kLevels>
[[gnu::noinline]] int move_by_threads(void* src, int* src_stride, void* dst, int* dst_stride,
                                      int* count, int stride_levels, int proc) {
    return api::by_threads<move_strided<Threads::one, kOp, kLevels>,
                           move_strided<Threads::several, kOp, kLevels>>(
        kOp == OpKind::put ? "ARMCI_PutS" : "ARMCI_GetS", src, src_stride, dst, dst_stride, count,
        stride_levels, proc);
}

template <Levels kLevels>
[[gnu::noinline]] int acc_by_threads(int datatype, void* scale, void* src, int* src_stride,
                                     void* dst, int* dst_stride, int* count, int stride_levels,
                                     int proc) {
    return api::by_threads<acc_strided<Threads::one, kLevels>,
                           acc_strided<Threads::several, kLevels>>("ARMCI_AccS", datatype, scale,
                                                                   src, src_stride, dst, dst_stride,
                                                                   count, stride_levels, proc);
}

template <OpKind kOp, Levels kLevels>
[[gnu::noinline]] int nb_move_by_threads(void* src, int* src_stride, void* dst, int* dst_stride,
                                         int* count, int stride_levels, int proc,
                                         armci_hdl_t* hdl) {
    return api::by_threads<nb_move_strided<Threads::one, kOp, kLevels>,
                           nb_move_strided<Threads::several, kOp, kLevels>, Entry::Copies::leave>(
        kOp == OpKind::put ? "ARMCI_NbPutS" : "ARMCI_NbGetS", src, src_stride, dst, dst_stride,
        count, stride_levels, proc, hdl);
}

template <Levels kLevels>
[[gnu::noinline]] int nb_acc_by_threads(int datatype, void* scale, void* src, int* src_stride,
                                        void* dst, int* dst_stride, int* count, int stride_levels,
                                        int proc, armci_hdl_t* hdl) {
    return api::by_threads<nb_acc_strided<Threads::one, kLevels>,
                           nb_acc_strided<Threads::several, kLevels>, Entry::Copies::leave>(
        "ARMCI_NbAccS", datatype, scale, src, src_stride, dst, dst_stride, count, stride_levels,
        proc, hdl);
}

}  // namespace

extern "C" int PARMCI_PutS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                           int count[], int stride_levels, int proc) {
    return stride_levels == 0
               ? move_by_threads<OpKind::put, Levels::none>(
                     src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc)
               : move_by_threads<OpKind::put, Levels::some>(
                     src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc);
}
ARMCI_ALIAS(int, ARMCI_PutS, (void*, int[], void*, int[], int[], int, int), PARMCI_PutS);

extern "C" int PARMCI_GetS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                           int count[], int stride_levels, int proc) {
    return stride_levels == 0
               ? move_by_threads<OpKind::get, Levels::none>(
                     src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc)
               : move_by_threads<OpKind::get, Levels::some>(
                     src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc);
}
ARMCI_ALIAS(int, ARMCI_GetS, (void*, int[], void*, int[], int[], int, int), PARMCI_GetS);

extern "C" int PARMCI_AccS(int datatype, void* scale, void* src_ptr, int src_stride_ar[],
                           void* dst_ptr, int dst_stride_ar[], int count[], int stride_levels,
                           int proc) {
    return stride_levels == 0
               ? acc_by_threads<Levels::none>(datatype, scale, src_ptr, src_stride_ar, dst_ptr,
                                              dst_stride_ar, count, stride_levels, proc)
               : acc_by_threads<Levels::some>(datatype, scale, src_ptr, src_stride_ar, dst_ptr,
                                              dst_stride_ar, count, stride_levels, proc);
}
ARMCI_ALIAS(int, ARMCI_AccS, (int, void*, void*, int[], void*, int[], int[], int, int),
            PARMCI_AccS);

extern "C" int PARMCI_NbPutS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                             int count[], int stride_levels, int proc, armci_hdl_t* hdl) {
    return stride_levels == 0
               ? nb_move_by_threads<OpKind::put, Levels::none>(src_ptr, src_stride_ar, dst_ptr,
                                                               dst_stride_ar, count, stride_levels,
                                                               proc, hdl)
               : nb_move_by_threads<OpKind::put, Levels::some>(src_ptr, src_stride_ar, dst_ptr,
                                                               dst_stride_ar, count, stride_levels,
                                                               proc, hdl);
}
ARMCI_ALIAS(int, ARMCI_NbPutS, (void*, int[], void*, int[], int[], int, int, armci_hdl_t*),
            PARMCI_NbPutS);

extern "C" int PARMCI_NbGetS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                             int count[], int stride_levels, int proc, armci_hdl_t* hdl) {
    return stride_levels == 0
               ? nb_move_by_threads<OpKind::get, Levels::none>(src_ptr, src_stride_ar, dst_ptr,
                                                               dst_stride_ar, count, stride_levels,
                                                               proc, hdl)
               : nb_move_by_threads<OpKind::get, Levels::some>(src_ptr, src_stride_ar, dst_ptr,
                                                               dst_stride_ar, count, stride_levels,
                                                               proc, hdl);
}
ARMCI_ALIAS(int, ARMCI_NbGetS, (void*, int[], void*, int[], int[], int, int, armci_hdl_t*),
            PARMCI_NbGetS);

extern "C" int PARMCI_NbAccS(int datatype, void* scale, void* src_ptr, int src_stride_ar[],
                             void* dst_ptr, int dst_stride_ar[], int count[], int stride_levels,
                             int proc, armci_hdl_t* hdl) {
    return stride_levels == 0
               ? nb_acc_by_threads<Levels::none>(datatype, scale, src_ptr, src_stride_ar, dst_ptr,
                                                 dst_stride_ar, count, stride_levels, proc, hdl)
               : nb_acc_by_threads<Levels::some>(datatype, scale, src_ptr, src_stride_ar, dst_ptr,
                                                 dst_stride_ar, count, stride_levels, proc, hdl);
}
ARMCI_ALIAS(int, ARMCI_NbAccS,
            (int, void*, void*, int[], void*, int[], int[], int, int, armci_hdl_t*), PARMCI_NbAccS);

extern "C" int PARMCI_PutS_flag(void* src_ptr, int src_stride_ar[], void* dst_ptr,
                                int dst_stride_ar[], int count[], int stride_levels, int* flag,
                                int value, int proc) {
    Entry entry("ARMCI_PutS_flag", Entry::Lock::on_demand);
    Transfer transfer;
    const bool any =
        api::make_strided(*entry, "ARMCI_PutS_flag", OpKind::put, src_ptr, src_stride_ar, dst_ptr,
                          dst_stride_ar, count, stride_levels, proc, nullptr, &transfer);
    api::put_with_flag(*entry, "ARMCI_PutS_flag", any, std::move(transfer), flag, value, proc);
    return 0;
}
ARMCI_ALIAS(int, ARMCI_PutS_flag, (void*, int[], void*, int[], int[], int, int*, int, int),
            PARMCI_PutS_flag);

extern "C" int ARMCI_PutS_flag_dir(void* src_ptr, int src_stride_ar[], void* dst_ptr,
                                   int dst_stride_ar[], int count[], int stride_levels, int* flag,
                                   int value, int proc) {
    return PARMCI_PutS_flag(src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels,
                            flag, value, proc);
}

// Strided put, get and accumulate, blocking and not, and the put with a flag.
#include "api/arguments.h"
#include "api/run.h"
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

// Put or get by the short way. The local side comes first of a put, second of a get.
template <Threads kThreads, OpKind kOp>
[[gnu::always_inline]] inline bool moved_on_node(Runtime& runtime, void* src, int* src_stride,
                                                 void* dst, int* dst_stride, int* count,
                                                 int stride_levels, int proc) {
    constexpr bool kIsPut = kOp == OpKind::put;
    return api::copied_on_node<kThreads>(
        runtime, kOp, static_cast<char*>(kIsPut ? src : dst), kIsPut ? src_stride : dst_stride,
        static_cast<char*>(kIsPut ? dst : src), kIsPut ? dst_stride : src_stride, count,
        stride_levels, proc);
}

template <Threads kThreads, OpKind kOp>
[[gnu::always_inline]] inline int move_strided(Runtime& runtime, void* src, int* src_stride,
                                               void* dst, int* dst_stride, int* count,
                                               int stride_levels, int proc) {
    if (!moved_on_node<kThreads, kOp>(runtime, src, src_stride, dst, dst_stride, count,
                                      stride_levels, proc)) {
        run_long_strided(runtime, kOp == OpKind::put ? "ARMCI_PutS" : "ARMCI_GetS", kOp, src,
                         src_stride, dst, dst_stride, count, stride_levels, proc, nullptr);
    }
    return 0;
}

template <Threads kThreads>
[[gnu::always_inline]] inline int acc_strided(Runtime& runtime, int datatype, void* scale,
                                              void* src, int* src_stride, void* dst,
                                              int* dst_stride, int* count, int stride_levels,
                                              int proc) {
    if (!api::added_on_node<kThreads>(runtime, datatype, scale, static_cast<const char*>(src),
                                      src_stride, static_cast<char*>(dst), dst_stride, count,
                                      stride_levels, proc)) {
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

template <Threads kThreads, OpKind kOp>
[[gnu::always_inline]] inline int nb_move_strided(Runtime& runtime, void* src, int* src_stride,
                                                  void* dst, int* dst_stride, int* count,
                                                  int stride_levels, int proc, armci_hdl_t* hdl) {
    if (!is_for_engine<kThreads>(runtime) &&
        moved_on_node<kThreads, kOp>(runtime, src, src_stride, dst, dst_stride, count,
                                     stride_levels, proc)) {
        api::skip(runtime, hdl);
    } else {
        start_long_strided(runtime, kOp == OpKind::put ? "ARMCI_NbPutS" : "ARMCI_NbGetS", kOp, src,
                           src_stride, dst, dst_stride, count, stride_levels, proc, nullptr, hdl);
    }
    return 0;
}

template <Threads kThreads>
[[gnu::always_inline]] inline int nb_acc_strided(Runtime& runtime, int datatype, void* scale,
                                                 void* src, int* src_stride, void* dst,
                                                 int* dst_stride, int* count, int stride_levels,
                                                 int proc, armci_hdl_t* hdl) {
    if (!is_for_engine<kThreads>(runtime) &&
        api::added_on_node<kThreads>(runtime, datatype, scale, static_cast<const char*>(src),
                                     src_stride, static_cast<char*>(dst), dst_stride, count,
                                     stride_levels, proc)) {
        api::skip(runtime, hdl);
    } else {
        const auto factor = api::check_scale("ARMCI_NbAccS", datatype, scale);
        start_long_strided(runtime, "ARMCI_NbAccS", OpKind::acc, src, src_stride, dst, dst_stride,
                           count, stride_levels, proc, api::pointer_to(factor), hdl);
    }
    return 0;
}

}  // namespace

extern "C" int PARMCI_PutS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                           int count[], int stride_levels, int proc) {
    return api::by_threads<move_strided<Threads::one, OpKind::put>,
                           move_strided<Threads::several, OpKind::put>>(
        "ARMCI_PutS", src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc);
}
ARMCI_ALIAS(int, ARMCI_PutS, (void*, int[], void*, int[], int[], int, int), PARMCI_PutS);

extern "C" int PARMCI_GetS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                           int count[], int stride_levels, int proc) {
    return api::by_threads<move_strided<Threads::one, OpKind::get>,
                           move_strided<Threads::several, OpKind::get>>(
        "ARMCI_GetS", src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc);
}
ARMCI_ALIAS(int, ARMCI_GetS, (void*, int[], void*, int[], int[], int, int), PARMCI_GetS);

extern "C" int PARMCI_AccS(int datatype, void* scale, void* src_ptr, int src_stride_ar[],
                           void* dst_ptr, int dst_stride_ar[], int count[], int stride_levels,
                           int proc) {
    return api::by_threads<acc_strided<Threads::one>, acc_strided<Threads::several>>(
        "ARMCI_AccS", datatype, scale, src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count,
        stride_levels, proc);
}
ARMCI_ALIAS(int, ARMCI_AccS, (int, void*, void*, int[], void*, int[], int[], int, int),
            PARMCI_AccS);

extern "C" int PARMCI_NbPutS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                             int count[], int stride_levels, int proc, armci_hdl_t* hdl) {
    return api::by_threads<nb_move_strided<Threads::one, OpKind::put>,
                           nb_move_strided<Threads::several, OpKind::put>, Entry::Copies::leave>(
        "ARMCI_NbPutS", src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc,
        hdl);
}
ARMCI_ALIAS(int, ARMCI_NbPutS, (void*, int[], void*, int[], int[], int, int, armci_hdl_t*),
            PARMCI_NbPutS);

extern "C" int PARMCI_NbGetS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                             int count[], int stride_levels, int proc, armci_hdl_t* hdl) {
    return api::by_threads<nb_move_strided<Threads::one, OpKind::get>,
                           nb_move_strided<Threads::several, OpKind::get>, Entry::Copies::leave>(
        "ARMCI_NbGetS", src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc,
        hdl);
}
ARMCI_ALIAS(int, ARMCI_NbGetS, (void*, int[], void*, int[], int[], int, int, armci_hdl_t*),
            PARMCI_NbGetS);

extern "C" int PARMCI_NbAccS(int datatype, void* scale, void* src_ptr, int src_stride_ar[],
                             void* dst_ptr, int dst_stride_ar[], int count[], int stride_levels,
                             int proc, armci_hdl_t* hdl) {
    return api::by_threads<nb_acc_strided<Threads::one>, nb_acc_strided<Threads::several>,
                           Entry::Copies::leave>("ARMCI_NbAccS", datatype, scale, src_ptr,
                                                 src_stride_ar, dst_ptr, dst_stride_ar, count,
                                                 stride_levels, proc, hdl);
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

// SPDX-License-Identifier: BSD-3-Clause
// Contiguous put, get and accumulate, blocking and not, and the put with a flag.
#include "api/arguments.h"
#include "api/fast_path.h"
#include "core/transfers.h"

using armci::api::Threads;
using armci::base::OpKind;
using armci::core::Entry;
using armci::core::Runtime;
using armci::pipeline::Transfer;
namespace api = armci::api;

namespace {

// The long way of a blocking transfer; apart, so that the short way has little to save and restore.
[[gnu::noinline]] void run_long(Runtime& runtime, const char* function, OpKind op, void* src,
                                void* dst, int bytes, int proc,
                                const armci::strided::AccScale* scale) {
    api::name_call(runtime, function);
    Transfer transfer;
    if (api::make_contiguous(runtime, function, op, src, dst, bytes, proc, scale, &transfer)) {
        armci::core::run_blocking(runtime, std::move(transfer));
    }
}

[[gnu::noinline]] void start_long(Runtime& runtime, const char* function, OpKind op, void* src,
                                  void* dst, int bytes, int proc,
                                  const armci::strided::AccScale* scale, armci_hdl_t* handle) {
    api::name_call(runtime, function);
    Transfer transfer;
    const bool any =
        api::make_contiguous(runtime, function, op, src, dst, bytes, proc, scale, &transfer);
    api::start_or_skip(runtime, any, std::move(transfer), handle);
}

// Put or get. The local side comes first of a put, second of a get.
template <Threads kThreads, OpKind kOp>
[[gnu::always_inline]] inline int move(Runtime& runtime, void* src, void* dst, int bytes,
                                       int proc) {
    constexpr bool kIsPut = kOp == OpKind::put;
    if (!api::copied_on_node<kThreads>(runtime, kOp, kIsPut ? src : dst, kIsPut ? dst : src, bytes,
                                       proc)) {
        run_long(runtime, kIsPut ? "ARMCI_Put" : "ARMCI_Get", kOp, src, dst, bytes, proc, nullptr);
    }
    return 0;
}

template <Threads kThreads>
[[gnu::always_inline]] inline int acc(Runtime& runtime, int datatype, void* scale, void* src,
                                      void* dst, int bytes, int proc) {
    if (!api::added_on_node<kThreads>(runtime, datatype, scale, src, dst, bytes, proc)) {
        const auto factor = api::check_scale("ARMCI_Acc", datatype, scale);
        run_long(runtime, "ARMCI_Acc", OpKind::acc, src, dst, bytes, proc, api::pointer_to(factor));
    }
    return 0;
}

template <Threads kThreads>
[[gnu::always_inline]] inline bool is_for_engine(const Runtime& runtime, int bytes) {
    return kThreads == Threads::several && runtime.copies.want(bytes);
}

template <Threads kThreads, OpKind kOp>
[[gnu::always_inline]] inline int nb_move(Runtime& runtime, void* src, void* dst, int bytes,
                                          int proc, armci_hdl_t* hdl) {
    constexpr bool kIsPut = kOp == OpKind::put;
    if (!is_for_engine<kThreads>(runtime, bytes) &&
        api::copied_on_node<kThreads>(runtime, kOp, kIsPut ? src : dst, kIsPut ? dst : src, bytes,
                                      proc)) {
        api::skip(runtime, hdl);
    } else {
        start_long(runtime, kIsPut ? "ARMCI_NbPut" : "ARMCI_NbGet", kOp, src, dst, bytes, proc,
                   nullptr, hdl);
    }
    return 0;
}

template <Threads kThreads>
[[gnu::always_inline]] inline int nb_acc(Runtime& runtime, int datatype, void* scale, void* src,
                                         void* dst, int bytes, int proc, armci_hdl_t* hdl) {
    if (!is_for_engine<kThreads>(runtime, bytes) &&
        api::added_on_node<kThreads>(runtime, datatype, scale, src, dst, bytes, proc)) {
        api::skip(runtime, hdl);
    } else {
        const auto factor = api::check_scale("ARMCI_NbAcc", datatype, scale);
        start_long(runtime, "ARMCI_NbAcc", OpKind::acc, src, dst, bytes, proc,
                   api::pointer_to(factor), hdl);
    }
    return 0;
}

}  // namespace

extern "C" int PARMCI_Put(void* src, void* dst, int bytes, int proc) {
    return api::by_threads<move<Threads::one, OpKind::put>, move<Threads::several, OpKind::put>>(
        "ARMCI_Put", src, dst, bytes, proc);
}
ARMCI_ALIAS(int, ARMCI_Put, (void*, void*, int, int), PARMCI_Put);

extern "C" int PARMCI_Get(void* src, void* dst, int bytes, int proc) {
    return api::by_threads<move<Threads::one, OpKind::get>, move<Threads::several, OpKind::get>>(
        "ARMCI_Get", src, dst, bytes, proc);
}
ARMCI_ALIAS(int, ARMCI_Get, (void*, void*, int, int), PARMCI_Get);

extern "C" int PARMCI_Acc(int datatype, void* scale, void* src, void* dst, int bytes, int proc) {
    return api::by_threads<acc<Threads::one>, acc<Threads::several>>("ARMCI_Acc", datatype, scale,
                                                                     src, dst, bytes, proc);
}
ARMCI_ALIAS(int, ARMCI_Acc, (int, void*, void*, void*, int, int), PARMCI_Acc);

extern "C" int PARMCI_NbPut(void* src, void* dst, int bytes, int proc, armci_hdl_t* hdl) {
    return api::by_threads<nb_move<Threads::one, OpKind::put>,
                           nb_move<Threads::several, OpKind::put>, Entry::Copies::leave>(
        "ARMCI_NbPut", src, dst, bytes, proc, hdl);
}
ARMCI_ALIAS(int, ARMCI_NbPut, (void*, void*, int, int, armci_hdl_t*), PARMCI_NbPut);

extern "C" int PARMCI_NbGet(void* src, void* dst, int bytes, int proc, armci_hdl_t* hdl) {
    return api::by_threads<nb_move<Threads::one, OpKind::get>,
                           nb_move<Threads::several, OpKind::get>, Entry::Copies::leave>(
        "ARMCI_NbGet", src, dst, bytes, proc, hdl);
}
ARMCI_ALIAS(int, ARMCI_NbGet, (void*, void*, int, int, armci_hdl_t*), PARMCI_NbGet);

extern "C" int PARMCI_NbAcc(int datatype, void* scale, void* src, void* dst, int bytes, int proc,
                            armci_hdl_t* hdl) {
    return api::by_threads<nb_acc<Threads::one>, nb_acc<Threads::several>, Entry::Copies::leave>(
        "ARMCI_NbAcc", datatype, scale, src, dst, bytes, proc, hdl);
}
ARMCI_ALIAS(int, ARMCI_NbAcc, (int, void*, void*, void*, int, int, armci_hdl_t*), PARMCI_NbAcc);

extern "C" int PARMCI_Put_flag(void* src, void* dst, int bytes, int* flag, int value, int proc) {
    Entry entry("ARMCI_Put_flag", Entry::Lock::on_demand);
    Transfer transfer;
    const bool any = api::make_contiguous(*entry, "ARMCI_Put_flag", OpKind::put, src, dst, bytes,
                                          proc, nullptr, &transfer);
    api::put_with_flag(*entry, "ARMCI_Put_flag", any, std::move(transfer), flag, value, proc);
    return 0;
}
ARMCI_ALIAS(int, ARMCI_Put_flag, (void*, void*, int, int*, int, int), PARMCI_Put_flag);

// SPDX-License-Identifier: BSD-3-Clause
// The code of the entry points that put, get or accumulate one contiguous or strided piece. They
// take the fast path inside the node where they may. Otherwise they take the slow one, which checks
// the arguments and runs a transfer. `Acc` is an AccArguments for accumulates, and empty for the
// others.
#pragma once

#include <utility>

#include "api/arguments.h"
#include "api/fast_path.h"
#include "api/small_patch.h"
#include "core/routing/transfers.h"

namespace armci::api {

// The fast path. Returns false when nothing was done.
template <Threads kThreads, OpKind kOp, class Arguments>
[[gnu::always_inline]] inline bool done_on_node(Runtime& runtime, const Arguments& arguments) {
    return copied_on_node<kThreads>(runtime, kOp, arguments);
}
template <Threads kThreads, OpKind kOp, class Arguments>
[[gnu::always_inline]] inline bool done_on_node(Runtime& runtime, const Arguments& arguments,
                                                AccArguments acc) {
    return added_on_node<kThreads>(runtime, acc, arguments);
}

// The first part of the slow path: the checks. Returns false when nothing is to be moved.
template <class Arguments>
bool make_checked(Call call, OpKind op, const Arguments& arguments, Transfer* transfer) {
    return make_transfer(call, op, arguments, nullptr, transfer);
}
template <class Arguments>
bool make_checked(Call call, OpKind op, const Arguments& arguments, Transfer* transfer,
                  AccArguments acc) {
    check_type(call.function, acc);
    return make_transfer(call, op, arguments, &acc, transfer);
}

// Returns whether a copy engine takes the operation, if it is non-blocking.
inline bool is_for_engine(const Runtime& runtime, const ContiguousArguments& arguments) {
    return runtime.progress.copies().want(arguments.bytes);
}
inline bool is_for_engine(const Runtime& runtime, const StridedArguments&) {
    return runtime.progress.copies().are_possible();
}

// A blocking call, in the forms that by_threads() needs. The slow path is separate, so that the
// fast one has little to save and restore.
template <OpKind kOp, class Arguments, class... Acc>
struct Blocking {
    template <Threads kThreads, class... Fields>
    [[gnu::always_inline]] static int call(Call call, Acc... acc, Fields... fields) {
        if (!done_on_node<kThreads, kOp>(call.runtime, Arguments{fields...}, acc...)) {
            run_long(call.copy(), acc..., fields...);
        }
        return 0;
    }

  private:
    template <class... Fields>
    [[gnu::noinline]] static void run_long(Call call, Acc... acc, Fields... fields) {
        name_call(call);
        Transfer transfer;
        if (make_checked(call, kOp, Arguments{fields...}, &transfer, acc...)) {
            call.runtime.transfers.run_blocking(std::move(transfer));
        }
    }
};

// A non-blocking call.
template <OpKind kOp, class Arguments, class... Acc>
struct Nonblocking {
    template <Threads kThreads, class... Fields>
    [[gnu::always_inline]] static int call(Call call, armci_hdl_t* handle, Acc... acc,
                                           Fields... fields) {
        const Arguments arguments{fields...};
        const bool leave = kThreads == Threads::several && is_for_engine(call.runtime, arguments);
        if (!leave && done_on_node<kThreads, kOp>(call.runtime, arguments, acc...)) {
            skip(call.runtime, handle);
        } else {
            start_long(call.copy(), handle, acc..., fields...);
        }
        return 0;
    }

  private:
    template <class... Fields>
    [[gnu::noinline]] static void start_long(Call call, armci_hdl_t* handle, Acc... acc,
                                             Fields... fields) {
        name_call(call);
        Transfer transfer;
        if (make_checked(call, kOp, Arguments{fields...}, &transfer, acc...)) {
            call.runtime.transfers.run_nonblocking(std::move(transfer), handle);
        } else {
            skip(call.runtime, handle);
        }
    }
};

// The entry points call these.
template <OpKind kOp, class Arguments, class... Acc>
[[gnu::always_inline]] inline int run(const char* function, const Arguments& arguments,
                                      Acc... acc) {
    using Form = Blocking<kOp, Arguments, Acc...>;
    return arguments.spread([&](auto... fields) __attribute__((always_inline)) {
        return by_threads<Form::template call<Threads::one, decltype(fields)...>,
                          Form::template call<Threads::several, decltype(fields)...>>(
            function, acc..., fields...);
    });
}
template <OpKind kOp, class Arguments, class... Acc>
[[gnu::always_inline]] inline int start(const char* function, armci_hdl_t* handle,
                                        const Arguments& arguments, Acc... acc) {
    using Form = Nonblocking<kOp, Arguments, Acc...>;
    return arguments.spread([&](auto... fields) __attribute__((always_inline)) {
        return by_threads<Form::template call<Threads::one, decltype(fields)...>,
                          Form::template call<Threads::several, decltype(fields)...>,
                          core::Entry::Copies::leave>(function, handle, acc..., fields...);
    });
}

// Runs the entry point of a put with a flag. All checks come before the first byte is put.
template <class Arguments>
int put_with_flag(const char* function, const Arguments& arguments, FlagArguments flag) {
    const core::Entry entry(function, core::Entry::Lock::on_demand);
    const Call call{*entry, function};
    Transfer transfer;
    const bool any = make_transfer(call, OpKind::put, arguments, nullptr, &transfer);
    check_rank(call, "proc", arguments.proc);
    check_aligned(function, "flag", flag.flag, sizeof *flag.flag);
    const RemotePlace place = check_remote(
        call, "flag", {reinterpret_cast<uint64_t>(flag.flag), sizeof *flag.flag, arguments.proc});
    if (any) {
        call.runtime.transfers.run_blocking(std::move(transfer));
    }
    call.runtime.transfers.store_flag(function, flag.flag, flag.value, arguments.proc, place);
    return 0;
}

}  // namespace armci::api

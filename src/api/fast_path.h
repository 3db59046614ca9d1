// SPDX-License-Identifier: BSD-3-Clause
// The fast paths of calls between ranks of one node, and the checks that decide whether a call
// takes one.
#pragma once

#include <cstring>

#include "api/call.h"
#include "core/progress/thread_stats.h"
#include "core/routing/transfers.h"
#include "node/accumulate.h"

namespace armci::api {

// Nothing is under way for this call, so the handle becomes idle unless earlier operations are
// still on it. The own words of most handles say already that they are idle.
[[gnu::always_inline]] inline void skip(Runtime& runtime, armci_hdl_t* handle) {
    if (handle != nullptr && core::Handles::names_slot(*handle)) [[unlikely]] {
        runtime.completion.set_idle_unless_active(handle);
    }
}

// Returns whether a contiguous transfer is between ranks of this node and all of its arguments are
// valid. These checks are most of the work of the fast path. What they refuse, the slow path checks
// again to find the error.
//
// Fast paths exist twice, so that a thread that is alone does not pay for the possibility of
// others. An entry point is a template of this, and by_threads() calls one of both. With a copy
// engine it calls the second, too.
enum class Threads : bool { one, several };

template <auto kCall, core::Entry::Copies kCopies, class... Arguments>
[[gnu::noinline]] int call_with_entry(const char* function, Arguments... arguments) {
    const core::Entry entry(function, core::Entry::Lock::on_demand, kCopies);
    return kCall(Call{*entry, function}, arguments...);
}

// Runs a whole entry point. A thread that is alone needs only one thing of an Entry: to know that
// the library is running.
template <auto kAlone, auto kAmongThreads,
          core::Entry::Copies kCopies = core::Entry::Copies::settle, class... Arguments>
[[gnu::always_inline]] inline int by_threads(const char* function, Arguments... arguments) {
    Runtime* runtime = core::running();
    if (runtime == nullptr || runtime->threads.is_concurrent()) [[unlikely]] {
        const int result = call_with_entry<kAmongThreads, kCopies>(function, arguments...);
        asm volatile("");  // no jump there instead of a call: the caller is in backtraces
        return result;
    }
    return kAlone(Call{*runtime, function}, arguments...);
}

// Is called where a fast path ends, for a thread that is alone, because the slow path may wait and
// be reported.
inline void name_call(Call call) {
    if (!call.runtime.threads.is_concurrent()) {
        call.runtime.threads.enter_alone(call.function);
    }
}

// For a thread that is alone, and without checks, it returns whether there is nothing to wait for
// and nothing that a wait would send. The handle is nullptr for implicit operations.
[[gnu::always_inline]] inline bool nothing_is_under_way(const Runtime& runtime,
                                                        const armci_hdl_t* handle) {
    if (runtime.world.fast_path_ranks == 0) {
        return false;
    }
    if (runtime.network == nullptr) {
        return true;
    }
    const pipeline::Origin& origin = runtime.network->origin;
    return handle != nullptr && !core::Handles::names_slot(*handle) &&
           origin.batches().have_left_for_long();
}

template <Threads kThreads>
[[gnu::always_inline]] inline bool is_plain_on_node(Runtime& runtime, const void* local,
                                                    const void* remote, int bytes, int proc) {
    const auto address = reinterpret_cast<uint64_t>(remote);
    return bytes > 0 && local != nullptr &&
           static_cast<unsigned>(proc) < static_cast<unsigned>(runtime.world.fast_path_ranks) &&
           runtime.world.on_my_node(proc) &&
           (kThreads == Threads::one ? runtime.segments.find(proc, address, bytes)
                                     : runtime.segments.find_by_thread(proc, address, bytes))
                   .segment != nullptr;
}

template <Threads kThreads>
[[gnu::always_inline]] inline void count_on_node(Runtime& runtime, OpKind op, int bytes) {
    if (kThreads == Threads::one) {
        runtime.stats.count(op, base::Route::local, bytes);
    } else {
        core::count_by_thread(op, bytes);
    }
}

// The fast path of a contiguous put or get. Returns false when nothing was done.
template <Threads kThreads>
[[gnu::always_inline]] inline bool copied_on_node(Runtime& runtime, OpKind op,
                                                  const ContiguousArguments& arguments) {
    void* local = local_of(op, arguments);
    void* remote = remote_of(op, arguments);
    const int bytes = arguments.bytes;
    if (!is_plain_on_node<kThreads>(runtime, local, remote, bytes, arguments.proc)) {
        return false;
    }
    void* to = op == OpKind::put ? remote : local;
    const void* from = op == OpKind::put ? local : remote;
    if (bytes == sizeof(uint64_t)) {
        std::memcpy(to, from, sizeof(uint64_t));
    } else {
        strided::copy_contiguous(from, to, bytes);
    }
    count_on_node<kThreads>(runtime, op, bytes);
    return true;
}

// The fast path of a contiguous accumulate. Returns false when nothing was done.
template <Threads kThreads>
[[gnu::always_inline]] inline bool added_on_node(Runtime& runtime, AccArguments acc,
                                                 const ContiguousArguments& arguments) {
    const int bytes = arguments.bytes;
    if (!strided::is_acc_type(acc.datatype) || acc.scale == nullptr ||
        !is_plain_on_node<kThreads>(runtime, arguments.src, arguments.dst, bytes, arguments.proc)) {
        return false;
    }
    const auto type = static_cast<strided::AccType>(acc.datatype);
    if ((bytes & (strided::element_bytes(type) - 1)) != 0) {  // a power of two
        return false;
    }
    const strided::AccScale factor = strided::make_scale(type, acc.scale);
    node::LockedAccumulator(runtime.node.heap.stripes(), factor)
        .add(arguments.src, arguments.dst, bytes);
    count_on_node<kThreads>(runtime, OpKind::acc, bytes);
    return true;
}

}  // namespace armci::api

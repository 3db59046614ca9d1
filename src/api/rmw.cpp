// SPDX-License-Identifier: BSD-3-Clause
// ARMCI_Rmw.

#include <cstring>

#include "api/arguments.h"
#include "api/fast_path.h"
#include "base/log.h"

namespace armci::api {
namespace {

using node::WordOperation;

constexpr const char* kFunction = "ARMCI_Rmw";  // as a constant it takes no register

// The values of enum ARMCI_Rmw_e.
WordOperation checked_operation(int op) {
    switch (op) {
        case ARMCI_FETCH_AND_ADD:
            return WordOperation::fetch_add_int;
        case ARMCI_FETCH_AND_ADD_LONG:
            return WordOperation::fetch_add_long;
        case ARMCI_SWAP:
            return WordOperation::swap_int;
        case ARMCI_SWAP_LONG:
            return WordOperation::swap_long;
        default:
            base::fatal(kFunction,
                        "argument op = %d: use ARMCI_FETCH_AND_ADD, "
                        "ARMCI_FETCH_AND_ADD_LONG, ARMCI_SWAP or ARMCI_SWAP_LONG",
                        op);
    }
}

// Handles what is not a word in global memory of this node, or is not valid.
[[gnu::noinline]] int64_t run_long(Runtime& runtime, WordOperation operation, void* prem,
                                   int64_t operand, int proc) {
    const Call call{runtime, kFunction};
    name_call(call);
    const RemotePlace place = check_remote(
        call, "prem", {reinterpret_cast<uint64_t>(prem), node::word_bytes(operation), proc});
    return runtime.transfers.read_modify_write(kFunction, operation, prem, operand, proc, place);
}

// `T` is the type of the word: the operand of a swap is read from ploc, which gets the old value.
template <Threads kThreads, class T>
void run(Runtime& runtime, WordOperation operation, void* ploc, void* prem, int value, int proc) {
    check_aligned(kFunction, "prem", prem, sizeof(T));
    T operand = static_cast<T>(value);
    if (operation == WordOperation::swap_int || operation == WordOperation::swap_long) {
        std::memcpy(&operand, ploc, sizeof operand);
    }
    int64_t old = 0;
    if (is_plain_on_node<kThreads>(runtime, ploc, prem, sizeof(T), proc)) {
        if (kThreads == Threads::one) {
            ++runtime.stats.rmw;
        } else {
            core::count_rmw_by_thread();
        }
        old = node::read_modify_write(operation, prem, operand);
    } else {
        old = run_long(runtime, operation, prem, operand, proc);
    }
    const auto result = static_cast<T>(old);
    std::memcpy(ploc, &result, sizeof result);
}

template <Threads kThreads>
[[gnu::always_inline]] inline int rmw(Call call, int op, void* ploc, void* prem, int value,
                                      int proc) {
    const WordOperation operation = checked_operation(op);
    check_rank({call.runtime, kFunction}, "proc", proc);
    check_not_null(kFunction, "ploc", ploc);
    if (op == ARMCI_FETCH_AND_ADD || op == ARMCI_SWAP) {
        run<kThreads, int>(call.runtime, operation, ploc, prem, value, proc);
    } else {
        run<kThreads, long>(call.runtime, operation, ploc, prem, value, proc);
    }
    return 0;
}

}  // namespace
}  // namespace armci::api

extern "C" int PARMCI_Rmw(int op, void* ploc, void* prem, int value, int proc) {
    using armci::api::Threads;
    return armci::api::by_threads<armci::api::rmw<Threads::one>, armci::api::rmw<Threads::several>>(
        armci::api::kFunction, op, ploc, prem, value, proc);
}
ARMCI_ALIAS(int, ARMCI_Rmw, (int, void*, void*, int, int), PARMCI_Rmw);

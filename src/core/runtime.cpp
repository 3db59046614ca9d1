// SPDX-License-Identifier: BSD-3-Clause
#include "core/runtime.h"

#include <time.h>

#include <algorithm>
#include <chrono>

#include "base/log.h"
#include "core/tracing.h"

namespace armci::core {

bool Runtime::progress() {
    const bool copied = copies.are_under_way() && copies.progress(*this);
    const bool moved = (network != nullptr && network->origin.progress()) || copied;
    if (moved) {
        api_lock.note_change();
    }
    return moved;
}

void Runtime::serve() {
    progress();
    if (!config().progress_thread && network != nullptr && network->server != nullptr) {
        network->server->progress_inline();
        end_inline_progress();
    }
}

void Runtime::poll() {
    const Use use(*this);
    serve();
    let_others_in();
}

void Runtime::settle_copies() {
    // Others may start more while this waits.
    const uint64_t last = copies.last_taken();
    wait_until({nullptr, "copies inside the node"}, [&] { return copies.have_ended(last); });
}

void Runtime::run_task(pipeline::Task& task, int server, const WaitCause& cause) {
    const Use use(*this);
    network->origin.submit(task, network->origin.channel(server));
    wait_for_network(cause, [&] { return task.is_complete(); });
}

void Runtime::end_inline_progress() {
    if (network != nullptr && network->server != nullptr) {
        network->server->end_inline_progress();
    }
}

void Runtime::idle() {
    if (network != nullptr && network->server != nullptr) {
        network->server->progress_inline();
    }
    let_others_in();
}

void Runtime::nap(int64_t ns) {
    if (network == nullptr || !network->origin.can_sleep()) {
        const timespec time{0, static_cast<long>(ns)};
        sleep_without_lock([&] { nanosleep(&time, nullptr); });
    } else {
        sleep_on_network(std::chrono::nanoseconds(ns));
    }
}

bool Runtime::sleep_on_network(std::chrono::nanoseconds longest) {
    pipeline::Origin& origin = network->origin;
    if (!origin.may_sleep()) {
        return false;
    }
    if (multi_threaded) {
        return api_lock.sleep_until_change([&](int change) { origin.sleep(longest, change); });
    }
    origin.sleep(longest);
    return true;
}

bool Runtime::sleep_until_network_event(int64_t waited_ns) {
    // Bounded, because some providers have known races between a completion and its wake-up: then
    // a wait takes an eighth longer, and a long one costs next to no processor time. What the
    // provider has refused is tried again soon, because nothing need happen before it is taken.
    constexpr int64_t kShortestSleepNs = 1'000'000;
    constexpr int64_t kLongestSleepNs = 20'000'000;
    const int64_t longest_ns =
        network->origin.has_posts_to_repeat() ? kShortestSleepNs : kLongestSleepNs;
    return sleep_on_network(
        std::chrono::nanoseconds(std::clamp(waited_ns / 8, kShortestSleepNs, longest_ns)));
}

void Runtime::count_wait(base::Waiting* way, int64_t ns) {
    ++stats.waits;
    stats.waits_asleep += way->spin_ns() == 0 ? 1 : 0;
    way->ended(ns);
}

// Copies by an engine, and what checking mode knows, are the business of all threads.
void Entry::begin_concurrently(Runtime& runtime, const char* function, Lock lock, Copies copies) {
    Runtime::enter_concurrently(function);
    if (base::is_tracing()) {
        begin_traced_call();
    }
    if (runtime.checks != nullptr && !runtime.multi_threaded) {
        runtime.one_caller.enter(runtime, function);
        runtime.checks->before_call(function);
    }
    if (lock == Lock::at_once || runtime.copies.are_possible() || runtime.checks != nullptr) {
        runtime.hold_lock();
    }
    if (copies == Copies::settle && runtime.copies.are_possible() &&
        runtime.copies.are_under_way()) {
        runtime.settle_copies();
    }
}

void Entry::end_concurrently(Runtime& runtime) {
    if (base::is_tracing()) {
        end_traced_call(runtime.function());
    }
    if (runtime.checks != nullptr && !runtime.multi_threaded) {
        runtime.one_caller.leave();
    }
    runtime.release_lock();
}

void Entry::fail_not_running(const char* function) {
    prepare_to_fail();
    base::fatal(function,
                "the library is not running: call ARMCI_Init after MPI_Init and before this, "
                "and ARMCI_Finalize after it");
}

}  // namespace armci::core

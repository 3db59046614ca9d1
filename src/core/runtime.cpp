#include "core/runtime.h"

#include "base/log.h"
#include "core/tracing.h"

namespace armci::core {

bool Runtime::progress() {
    const bool copied = copies.are_under_way() && copies.progress(*this);
    return (network != nullptr && network->origin.progress()) || copied;
}

void Runtime::serve() {
    progress();
    if (!config().progress_thread && network != nullptr && network->server != nullptr) {
        network->server->help();
        stop_helping();
    }
}

void Runtime::poll() {
    serve();
    let_others_in();
}

void Runtime::settle_copies() {
    // Others may start more while this waits.
    const uint64_t last = copies.last_taken();
    wait_until({nullptr, "copies inside the node"}, [&] { return copies.have_ended(last); });
}

void Runtime::run_task(pipeline::Task& task, int server, const WaitCause& cause) {
    network->origin.submit(task, network->origin.channel(server));
    wait_for_network(cause, [&] { return task.is_complete(); });
}

void Runtime::stop_helping() {
    if (network != nullptr && network->server != nullptr) {
        network->server->stop_helping();
    }
}

void Runtime::idle() {
    if (network != nullptr && network->server != nullptr) {
        network->server->help();
    }
    let_others_in();
}

void Runtime::yield_lock() {
    api_mutex.unlock();
    sched_yield();
    api_mutex.lock();
}

bool Runtime::sleep_until_network_event() {
    // Bounded, because some providers have known races between a completion and its wake-up.
    constexpr int kLongestSleepMs = 1;
    return network->origin.sleep(kLongestSleepMs);
}

void Runtime::count_wait(int64_t ns) {
    ++stats.waits;
    stats.waits_asleep += waiting.spin_ns() == 0 ? 1 : 0;
    waiting.ended(ns);
}

// Copies by an engine, and what checking mode knows, are the business of all threads.
void Entry::begin_concurrently(Runtime& runtime, const char* function, Lock lock, Copies copies) {
    Runtime::enter_concurrently(function);
    if (base::is_tracing()) {
        begin_traced_call();
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
    runtime.release_lock();
}

void Entry::fail_not_running(const char* function) {
    prepare_to_fail();
    base::fatal(function,
                "the library is not running: call ARMCI_Init after MPI_Init and before this, "
                "and ARMCI_Finalize after it");
}

}  // namespace armci::core

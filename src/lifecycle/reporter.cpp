// SPDX-License-Identifier: BSD-3-Clause
#include "lifecycle/reporter.h"

#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "base/trace.h"
#include "base/wake_up.h"
#include "core/job/mpi_collectives.h"
#include "core/job/observed_calls.h"
#include "core/job/tracing.h"
#include "core/runtime/runtime.h"
#include "lifecycle/rank_report.h"
#include "lifecycle/report.h"
#include "lifecycle/stats_triggers.h"

namespace armci::lifecycle {
namespace {

constexpr int kSignals[] = {SIGHUP, SIGINT, SIGTERM, SIGXCPU};
constexpr int64_t kNsPerMs = 1'000'000;
constexpr int64_t kShortestPauseNs = 500 * kNsPerMs;
// Writing takes a fiftieth of a processor at most.
constexpr int64_t kPausePerWork = 50;

struct Reporter {
    const Runtime* runtime = nullptr;
    base::WakeUp wake_up;  // stays open: a handler may be about to set it
    base::Thread thread;
    std::atomic<bool> stopping{false};
    StatsTriggers triggers;
    RankReports reports;
};
// It is never destroyed, because its thread runs on when the process exits without ARMCI_Finalize.
Reporter& g_reporter = *new Reporter;

// Signal handlers use these.
std::atomic<int> g_pid{0};     // of the process whose thread listens; 0: there is none
std::atomic<int> g_signal{0};  // that ends the process
std::atomic<bool> g_stats_are_wanted{false};  // the signal that asks for statistics has come
static_assert(std::atomic<int>::is_always_lock_free);

// A child of this process has the handler, too, but not the thread.
void on_signal(int signal) {
    const int error = errno;
    if (getpid() == g_pid.load()) {
        g_signal.store(signal);
        g_reporter.wake_up.set();
    } else {
        ::signal(signal, SIG_DFL);
        ::raise(signal);  // comes when this handler returns
    }
    errno = error;
}

// Asks for statistics. It stays when the reporter has ended, and then does nothing: the default
// action of the signal, which may be on its way, would end the process. So it is in children.
void on_stats_signal(int /*signal*/) {
    const int error = errno;
    if (getpid() == g_pid.load()) {
        g_stats_are_wanted.store(true);
        g_reporter.wake_up.set();
    }
    errno = error;
}

// The state of each signal before this library's handler was installed.
struct Action {
    bool is_replaced = false;
    struct sigaction before {};
};
Action g_actions[std::size(kSignals)];

// Recognises libraries of the network. When loaded, they install handlers that end the process,
// some with status 1. These hide that the program has none.
bool is_of_network(void (*handler)(int)) {
    static constexpr const char* kLibraries[] = {"libfabric.", "libinfinipath.", "libpsm",
                                                 "libopa.", "libuc"};
    Dl_info info{};
    if (::dladdr(reinterpret_cast<void*>(handler), &info) == 0 || info.dli_fname == nullptr) {
        return false;
    }
    const char* slash = std::strrchr(info.dli_fname, '/');
    const std::string_view name = slash != nullptr ? slash + 1 : info.dli_fname;
    return std::any_of(std::begin(kLibraries), std::end(kLibraries),
                       [&](const char* library) { return name.starts_with(library); });
}

bool ends_process(const struct sigaction& action) {
    return action.sa_handler == SIG_DFL ||
           (action.sa_handler != SIG_IGN && is_of_network(action.sa_handler));
}

void install_handler(int signal, Action* action) {
    struct sigaction own {};
    own.sa_handler = on_signal;
    own.sa_flags = SA_RESTART;
    action->is_replaced = ::sigaction(signal, nullptr, &action->before) == 0 &&
                          ends_process(action->before) && ::sigaction(signal, &own, nullptr) == 0;
}

// A handler that the program has installed meanwhile stays.
void remove_handler(int signal, Action* action) {
    struct sigaction now {};
    if (std::exchange(action->is_replaced, false) && ::sigaction(signal, nullptr, &now) == 0 &&
        (now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == on_signal) {
        ::sigaction(signal, &action->before, nullptr);
    }
}

// Returns whether the signal asks for statistics from now on.
bool install_stats_handler(int signal) {
    struct sigaction before {};
    struct sigaction own {};
    own.sa_handler = on_stats_signal;
    own.sa_flags = SA_RESTART;
    return ::sigaction(signal, nullptr, &before) == 0 &&
           (before.sa_handler == on_stats_signal ||
            (ends_process(before) && ::sigaction(signal, &own, nullptr) == 0));
}

void install_handlers(const Runtime& runtime) {
    if (runtime.config().stats || base::is_tracing()) {
        for (size_t i = 0; i < std::size(kSignals); ++i) {
            install_handler(kSignals[i], &g_actions[i]);
        }
    }
    if (const int signal = g_reporter.triggers.signal;
        signal != 0 && !install_stats_handler(signal) && runtime.world.rank == 0) {
        ARMCI_LOG_WARN(
            "ARMCI_STATS_TRIGGER: the program or MPI has its own action for signal %d (%s), "
            "which stays; choose another signal, for example USR2",
            signal, strsignal(signal));
    }
}

void remove_handlers() {
    for (size_t i = 0; i < std::size(kSignals); ++i) {
        remove_handler(kSignals[i], &g_actions[i]);
    }
}

[[noreturn]] void end_by(const Runtime& runtime, int signal) {
    core::update_trace();
    report_statistics_of_rank(runtime, signal);
    // Ranks of one node are mostly ended together.
    if (runtime.node.heap.control().loss_reported.exchange(1) == 0) {
        base::log(base::LogLevel::error, "this rank is ended by signal %d (%s). The job ends",
                  signal, strsignal(signal));
    }
    base::end_by_signal(signal);
}

int64_t work_ns() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

// Returns how long poll() may wait until that time; -1: without end.
int wait_ms(int64_t until_ns) {
    if (until_ns == INT64_MAX) {
        return -1;
    }
    const int64_t left_ns = std::max<int64_t>(until_ns - base::now_ns(), 0);
    return static_cast<int>((left_ns + kNsPerMs - 1) / kNsPerMs);
}

// Returns when to write the timeline again.
int64_t write_trace() {
    const int64_t begin_ns = work_ns();
    core::update_trace();
    const int64_t pause_ns = kPausePerWork * (work_ns() - begin_ns);
    return base::now_ns() + std::max(kShortestPauseNs, pause_ns);
}

void run(void*) {
    Reporter& reporter = g_reporter;
    const int64_t timer_ns = reporter.triggers.timer_ns;
    int64_t trace_due_ns = base::is_tracing() ? base::now_ns() + kShortestPauseNs : INT64_MAX;
    int64_t stats_due_ns = timer_ns > 0 ? base::now_ns() + timer_ns : INT64_MAX;
    while (true) {
        pollfd event{reporter.wake_up.fd(), POLLIN, 0};
        if (::poll(&event, 1, wait_ms(std::min(trace_due_ns, stats_due_ns))) > 0) {
            reporter.wake_up.take();
        }
        if (const int signal = g_signal.load(); signal != 0) {
            end_by(*reporter.runtime, signal);
        }
        if (g_stats_are_wanted.exchange(false)) {
            reporter.reports.write(*reporter.runtime, "signal");
        }
        if (reporter.stopping.load()) {
            return;
        }
        if (base::now_ns() >= trace_due_ns) {
            trace_due_ns = write_trace();
        }
        if (base::now_ns() >= stats_due_ns) {
            stats_due_ns = base::now_ns() + timer_ns;
            reporter.reports.write(*reporter.runtime, "timer");
        }
    }
}

void read_triggers(const Runtime& runtime, const char* function) {
    Reporter& reporter = g_reporter;
    const std::string& text = runtime.config().stats_trigger;
    std::string error;
    if (!parse_stats_triggers(text, &reporter.triggers, &error)) {
        if (runtime.world.rank != 0) {
            core::mpi::barrier(runtime.world.comm);  // one rank's message is enough
        }
        base::fatal(function,
                    "ARMCI_STATS_TRIGGER=\"%s\": %s; give a list of exit, signal:NAME and "
                    "timer:SECONDS, or unset it",
                    text.c_str(), error.c_str());
    }
    if (reporter.triggers.are_set()) {
        reporter.reports.open(runtime.world, runtime.config(), function);
        core::time_calls(true);
    }
}

void stop_thread() {
    Reporter& reporter = g_reporter;
    remove_handlers();
    reporter.stopping.store(true);
    reporter.wake_up.set();
    reporter.thread.join();
    g_pid.store(0);
    if (const int signal = g_signal.load(); signal != 0) {  // too late for the thread
        end_by(*reporter.runtime, signal);
    }
}

}  // namespace

void start_reporter(const Runtime& runtime, const char* function) {
    Reporter& reporter = g_reporter;
    reporter.runtime = &runtime;
    read_triggers(runtime, function);
    if (!runtime.config().stats && !base::is_tracing() && !reporter.triggers.are_set()) {
        return;
    }
    reporter.stopping.store(false);
    const bool has_event = reporter.wake_up.fd() >= 0 || reporter.wake_up.open();
    if (!has_event || !reporter.thread.start("armci-reporter", run, nullptr)) {
        ARMCI_LOG_WARN(
            "the system refuses a thread or its event (%s): signals and timers will leave no "
            "statistics, and a signal that ends this process an empty timeline. Raise the limits "
            "on open files and processes (ulimit -n, -u)",
            std::strerror(errno));
        return;
    }
    g_signal.store(0);
    g_stats_are_wanted.store(false);
    g_pid.store(getpid());
    install_handlers(runtime);
}

void stop_reporter() {
    Reporter& reporter = g_reporter;
    core::time_calls(false);
    if (reporter.thread.is_started()) {
        stop_thread();
    }
    if (reporter.triggers.at_exit) {
        reporter.reports.write(*reporter.runtime, "exit");
    }
    reporter.reports.close();
}

}  // namespace armci::lifecycle

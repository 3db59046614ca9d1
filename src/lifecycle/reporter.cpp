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

#include "base/log.h"
#include "base/thread.h"
#include "base/trace.h"
#include "base/wake_up.h"
#include "core/job/tracing.h"
#include "core/runtime/runtime.h"
#include "lifecycle/report.h"

namespace armci::lifecycle {
namespace {

constexpr int kSignals[] = {SIGHUP, SIGINT, SIGTERM, SIGXCPU};
constexpr int64_t kShortestPauseMs = 500;
// Writing takes a fiftieth of a processor at most.
constexpr int64_t kPausePerWork = 50;

struct Reporter {
    const Runtime* runtime = nullptr;
    base::WakeUp wake_up;
    base::Thread thread;
    std::atomic<bool> stopping{false};
};
// It is never destroyed, because its thread runs on when the process exits without ARMCI_Finalize.
Reporter& g_reporter = *new Reporter;

// The signal handler uses these.
std::atomic<int> g_pid{0};  // of the process whose thread listens; 0: there is none
std::atomic<int> g_signal{0};
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

void install_handlers() {
    struct sigaction own {};
    own.sa_handler = on_signal;
    own.sa_flags = SA_RESTART;
    for (size_t i = 0; i < std::size(kSignals); ++i) {
        Action& action = g_actions[i];
        action.is_replaced = ::sigaction(kSignals[i], nullptr, &action.before) == 0 &&
                             ends_process(action.before) &&
                             ::sigaction(kSignals[i], &own, nullptr) == 0;
    }
}

// Handlers that the program has installed meanwhile stay.
void remove_handlers() {
    for (size_t i = 0; i < std::size(kSignals); ++i) {
        Action& action = g_actions[i];
        struct sigaction now {};
        if (std::exchange(action.is_replaced, false) &&
            ::sigaction(kSignals[i], nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
            now.sa_handler == on_signal) {
            ::sigaction(kSignals[i], &action.before, nullptr);
        }
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

void run(void*) {
    Reporter& reporter = g_reporter;
    const bool traces = base::is_tracing();
    int64_t pause_ms = traces ? kShortestPauseMs : -1;
    while (true) {
        pollfd event{reporter.wake_up.fd(), POLLIN, 0};
        ::poll(&event, 1, static_cast<int>(pause_ms));
        if (const int signal = g_signal.load(); signal != 0) {
            end_by(*reporter.runtime, signal);
        }
        if (reporter.stopping.load()) {
            return;
        }
        if (traces) {
            const int64_t begin_ns = work_ns();
            core::update_trace();
            pause_ms =
                std::max(kShortestPauseMs, kPausePerWork * (work_ns() - begin_ns) / 1'000'000);
        }
    }
}

}  // namespace

void start_reporter(const Runtime& runtime) {
    if (!runtime.config().stats && !base::is_tracing()) {
        return;
    }
    Reporter& reporter = g_reporter;
    reporter.runtime = &runtime;
    reporter.stopping.store(false);
    if (!reporter.wake_up.open() || !reporter.thread.start("armci-reporter", run, nullptr)) {
        ARMCI_LOG_WARN(
            "the system refuses a thread or its event (%s): a signal that ends this process will "
            "leave no statistics and an empty timeline. Raise the limits on open files and "
            "processes (ulimit -n, -u)",
            std::strerror(errno));
        return;
    }
    g_signal.store(0);
    g_pid.store(getpid());
    install_handlers();
}

void stop_reporter() {
    Reporter& reporter = g_reporter;
    if (!reporter.thread.is_started()) {
        return;
    }
    remove_handlers();
    reporter.stopping.store(true);
    reporter.wake_up.set();
    reporter.thread.join();
    g_pid.store(0);
    if (const int signal = g_signal.load(); signal != 0) {  // too late for the thread
        end_by(*reporter.runtime, signal);
    }
    reporter.wake_up.close();
}

}  // namespace armci::lifecycle

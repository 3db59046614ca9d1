// SPDX-License-Identifier: BSD-3-Clause
#include "base/log.h"

#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "base/backtrace.h"
#include "base/descriptor.h"

namespace armci::base {
namespace {

constexpr int kMessageBytes = 2048;

std::atomic<int> g_level{static_cast<int>(LogLevel::warn)};
std::atomic<int> g_rank{-1};
std::atomic<AbortHook> g_abort_hook{nullptr};
std::atomic<FailureHook> g_failure_hook{nullptr};
std::atomic<OutputHook> g_output_hook{nullptr};
std::atomic<VerdictHook> g_verdict_hook{nullptr};
thread_local bool t_exits_without_hook = false;

const char* kind_of(LogLevel level) {
    switch (level) {
        case LogLevel::error:
            return "Error";
        case LogLevel::warn:
            return "Warning";
        case LogLevel::info:
            return "Info";
        case LogLevel::debug:
            break;
    }
    return "Debug";
}

void write_line(LogLevel level, const char* function, const char* text) {
    char line[kMessageBytes + 128];
    int used = 0;
    const int rank = g_rank.load(std::memory_order_relaxed);
    if (rank >= 0) {
        used = std::snprintf(line, sizeof line, "[%d] ", rank);
    }
    used +=
        std::snprintf(line + used, sizeof line - used, "ARMCI %s: %s%s%s\n", kind_of(level),
                      function != nullptr ? function : "", function != nullptr ? ": " : "", text);
    used = std::min(used, static_cast<int>(sizeof line) - 1);
    // An error is worth a wait if a standard error that does not block has no room.
    write_all(STDERR_FILENO, {line, static_cast<size_t>(used)},
              level == LogLevel::error ? kPatienceForRoomNs : 0);
}

void write_formatted(LogLevel level, const char* function, const char* format, va_list arguments) {
    char text[kMessageBytes];
    std::vsnprintf(text, sizeof text, format, arguments);
    write_line(level, function, text);
}

// Launchers read our output and the call for an abort separately, and output that is unread at the
// abort is lost. So this waits until the pipe is empty, for half a second at most.
void wait_until_read(int fd) {
    struct stat status {};
    if (::fstat(fd, &status) != 0 || !S_ISFIFO(status.st_mode)) {
        return;
    }
    constexpr timespec kPause{0, 1'000'000};
    constexpr int kPauses = 500;
    for (int i = 0; i < kPauses; ++i) {
        int unread_bytes = 0;
        if (::ioctl(fd, FIONREAD, &unread_bytes) != 0 || unread_bytes == 0) {
            return;
        }
        ::nanosleep(&kPause, nullptr);
    }
}

void tell_failure() {
    if (FailureHook hook = g_failure_hook.load(); hook != nullptr) {
        hook();
    }
}

[[noreturn]] void end_job(int code) {
    write_output();
    std::fflush(nullptr);
    wait_until_read(STDOUT_FILENO);
    wait_until_read(STDERR_FILENO);
    if ((code & 0xff) == 0) {
        code = 1;  // a process's status has 8 bits, and 0 would look like success
    }
    if (AbortHook hook = g_abort_hook.load(); hook != nullptr && !t_exits_without_hook) {
        hook(code);
    }
    std::_Exit(code & 0xff);
}

}  // namespace

void set_log_level(LogLevel level) {
    g_level.store(static_cast<int>(level));
}

bool log_enabled(LogLevel level) {
    return static_cast<int>(level) <= g_level.load(std::memory_order_relaxed);
}

void set_log_rank(int rank) {
    g_rank.store(rank);
}

void exit_without_hook() {
    t_exits_without_hook = true;
}

void set_abort_hook(AbortHook hook) {
    g_abort_hook.store(hook);
}

void set_failure_hook(FailureHook hook) {
    g_failure_hook.store(hook);
}

void set_output_hook(OutputHook hook) {
    g_output_hook.store(hook);
}

void write_output() {
    if (OutputHook hook = g_output_hook.load(); hook != nullptr) {
        hook();
    }
}

void set_verdict_hook(VerdictHook hook) {
    g_verdict_hook.store(hook);
}

void await_verdict() {
    if (VerdictHook hook = g_verdict_hook.load(); hook != nullptr) {
        hook();
    }
}

void log(LogLevel level, const char* format, ...) {
    if (!log_enabled(level)) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    write_formatted(level, nullptr, format, arguments);
    va_end(arguments);
}

void log_before_return(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    write_formatted(LogLevel::error, nullptr, format, arguments);
    va_end(arguments);
    wait_until_read(STDERR_FILENO);
}

void fatal(const char* function, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    write_formatted(LogLevel::error, function, format, arguments);
    va_end(arguments);
    tell_failure();
    write_backtrace(g_rank.load(std::memory_order_relaxed));
    end_job(1);
}

void fatal_with_code(int code, const char* message) {
    write_line(LogLevel::error, nullptr, message);
    tell_failure();
    write_backtrace(g_rank.load(std::memory_order_relaxed));
    end_job(code);
}

void end_quietly() {
    end_job(1);
}

void end_by_signal(int signal) {
    tell_failure();
    wait_until_read(STDOUT_FILENO);
    wait_until_read(STDERR_FILENO);
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    ::sigaction(signal, &action, nullptr);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, signal);
    pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
    ::raise(signal);
    std::_Exit(128 + signal);
}

}  // namespace armci::base

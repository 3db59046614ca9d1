// SPDX-License-Identifier: BSD-3-Clause
// Messages to the user, and the one way in which the library ends a job.
//
// Each message goes to standard error as one write with the rank in front, so that lines of several
// ranks do not mix. At the default level the library prints only warnings and errors.
#pragma once

#include <cstdarg>

namespace armci::base {

enum class LogLevel : int { error = 0, warn = 1, info = 2, debug = 3 };

void set_log_level(LogLevel level);
bool log_enabled(LogLevel level);

// Sets the rank in the prefix. With -1, the default, no number is printed.
void set_log_rank(int rank);

// The functions that end the job call this hook last. The hook must not return; core installs
// MPI_Abort here.
using AbortHook = void (*)(int code);
void set_abort_hook(AbortHook hook);

// fatal() calls this hook as soon as it has printed its message, so that the other ranks do not
// take the end of this process for a failure. core installs the function of src/watch here.
using FailureHook = void (*)();
void set_failure_hook(FailureHook hook);

// Any thread calls this hook before the process ends early, perhaps more than once. The hook writes
// the output that is kept for the end and must not call MPI. core installs the timeline's here.
using OutputHook = void (*)();
void set_output_hook(OutputHook hook);
void write_output();

// await_verdict() calls this hook before fatal() if a failed process may be the cause of an error.
// If the failed process is known, the hook ends the job with a message that names it. core installs
// the function of src/watch here.
using VerdictHook = void (*)();
void set_verdict_hook(VerdictHook hook);
void await_verdict();

__attribute__((format(printf, 2, 3))) void log(LogLevel level, const char* format, ...);

// Logs the error that a call is about to return. The program may end the job at once because of it,
// and launchers lose what is unread then. So this waits until standard error has been read, if it
// is a pipe, for half a second at most.
__attribute__((format(printf, 1, 2))) void log_before_return(const char* format, ...);

// Threads that must not call MPI call this first. Such a thread ends the job by exiting, without
// the abort hook: launchers end a job of which one process fails.
void exit_without_hook();

// Prints "[rank] ARMCI Error: function: message" and where that is (backtrace.h), and ends the job
// with a non-zero status.
// `function` is the public name the user called, or nullptr for the library itself.
[[noreturn]] __attribute__((format(printf, 2, 3))) void fatal(const char* function,
                                                              const char* format, ...);

// Does what fatal() does for a complete message, and ends the job with status `code` (ARMCI_Error).
[[noreturn]] void fatal_with_code(int code, const char* message);

// Ends the job without a message, because one was printed before.
[[noreturn]] void end_quietly();

// Announces the end to the other ranks and then ends this process as the signal would have.
[[noreturn]] void end_by_signal(int signal);

}  // namespace armci::base

#define ARMCI_LOG_WARN(...) ::armci::base::log(::armci::base::LogLevel::warn, __VA_ARGS__)
#define ARMCI_LOG_INFO(...)                                                 \
    do {                                                                    \
        if (::armci::base::log_enabled(::armci::base::LogLevel::info)) {    \
            ::armci::base::log(::armci::base::LogLevel::info, __VA_ARGS__); \
        }                                                                   \
    } while (0)
#define ARMCI_LOG_DEBUG(...)                                                 \
    do {                                                                     \
        if (::armci::base::log_enabled(::armci::base::LogLevel::debug)) {    \
            ::armci::base::log(::armci::base::LogLevel::debug, __VA_ARGS__); \
        }                                                                    \
    } while (0)

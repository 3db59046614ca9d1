// SPDX-License-Identifier: BSD-3-Clause
// Messages to the user and the one way in which the library ends a job.
//
// Everything goes to standard error as one write per message, prefixed with the rank, so that lines
// of several ranks do not mix. The library prints nothing on its own at the default level except
// warnings and errors.
#pragma once

#include <cstdarg>

namespace armci::base {

enum class LogLevel : int { error = 0, warn = 1, info = 2, debug = 3 };

void set_log_level(LogLevel level);
bool log_enabled(LogLevel level);

// The rank in the prefix; -1 (the default) prints no number.
void set_log_rank(int rank);

// Called by fatal() after the message is out; must not return. core installs MPI_Abort here.
using AbortHook = void (*)(int code);
void set_abort_hook(AbortHook hook);

// Called by fatal() as soon as the message is out: the other ranks must not take the end of this
// process for a loss. core installs the watch's here.
using FailureHook = void (*)();
void set_failure_hook(FailureHook hook);

// Called before this process ends before its time, by whichever thread, perhaps more than once:
// writes what is kept for the end. It must not call MPI. core installs the timeline's here.
using OutputHook = void (*)();
void set_output_hook(OutputHook hook);
void write_output();

// Called where the end of another process may be what has gone wrong, before fatal(): who knows
// which process it was ends the job with a message that names it. core installs the watch's here.
using VerdictHook = void (*)();
void set_verdict_hook(VerdictHook hook);
void await_verdict();

__attribute__((format(printf, 2, 3))) void log(LogLevel level, const char* format, ...);

// From here on this thread ends the job by exiting on its own, without the hook: launchers end a
// job of which one process fails. For threads that must not call MPI.
void exit_without_hook();

// Prints "[rank] ARMCI Error: function: message" and ends the job with a non-zero status.
// `function` is the public name the user called, or nullptr for the library itself.
[[noreturn]] __attribute__((format(printf, 2, 3))) void fatal(const char* function,
                                                              const char* format, ...);

// Same for a message that is complete already, with the status to end with (ARMCI_Error).
[[noreturn]] void fatal_with_code(int code, const char* message);

// Ends the job without a message, because there was one already.
[[noreturn]] void end_quietly();

// Ends this process as the signal would have, when the other ranks know.
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

// SPDX-License-Identifier: BSD-3-Clause
// A thread of the library's own, beside the program's.
#pragma once

#include <pthread.h>

namespace armci::base {

// Signals are for the program's threads: its handlers do not run here. What is fatal here ends the
// process without the abort hook, which calls MPI. (POSIX, because std::thread reports failure by
// an exception only.)
class Thread {
  public:
    Thread() = default;
    Thread(const Thread&) = delete;
    Thread& operator=(const Thread&) = delete;

    // Calls run(argument) in a thread that the system shows by that name (at most 15 characters).
    // False when the system refuses a thread.
    bool start(const char* name, void (*block)(void* argument), void* argument);
    bool is_started() const { return is_started_; }
    // Waits for its end, which is the caller's to bring about; nothing if it was not started.
    void join();

  private:
    static void* enter(void* self);

    pthread_t thread_{};
    bool is_started_ = false;
    void (*run_)(void*) = nullptr;
    void* argument_ = nullptr;
};

}  // namespace armci::base

// SPDX-License-Identifier: BSD-3-Clause
// The threads that call the library: at which MPI thread level, what they share, and which public
// function each of them is in.
#pragma once

#include <mpi.h>
#include <sched.h>

#include <string>

#include "base/config.h"
#include "core/progress/api_lock.h"
#include "core/progress/one_caller.h"

namespace armci::core {

class Threads {
  public:
    explicit Threads(const base::Config& config) : config_(config) {}

    // The calling thread starts the library, at that level.
    void start() { one_caller_.start(); }
    void set_level(int level) { level_ = level; }
    // Raises the level of a running library; it is never lowered. No other thread may be in the
    // library when it is raised to MPI_THREAD_MULTIPLE. `calls_do_more` says that the library has
    // threads that carry out operations, or that calls do more than their own work. If it returns
    // true, threads look up memory at the same time from now on.
    bool raise_level(int level, bool calls_do_more);
    // Is called when the caller is the last thread in the library.
    void end_multiple() { is_multiple_ = false; }

    int level() const { return level_; }
    // Returns whether the level is MPI_THREAD_MULTIPLE. Most entry points then hold the lock from
    // their beginning. Those that may concern only this node take it when they need more. Waits
    // release it between polls, and while they sleep.
    bool is_multiple() const { return is_multiple_; }
    // Returns whether there are several threads of the program, or calls do more than their own
    // work: with a copy engine, in checking mode, for a timeline or for statistics of calls.
    bool is_concurrent() const { return is_concurrent_; }
    bool calls_do_more() const { return calls_do_more_; }
    // Return, for error text, "the library runs at MPI_THREAD_SINGLE", and what a program or user
    // has to do for MPI_THREAD_MULTIPLE.
    std::string describe_level() const;
    std::string how_to_raise_level() const;

    // Set the public function that this thread is in, for reports on waits that several functions
    // share. Calls that end on a fast path (api/fast_path.h) do not wait, so the name of an earlier
    // one stays.
    void enter_alone(const char* function) { function_ = function; }
    static void enter_concurrently(const char* function) { t_function = function; }
    const char* function() const { return is_concurrent_ ? t_function : function_; }

    // Below MPI_THREAD_MULTIPLE, the thread is inside until it calls leave(). Returns false if it
    // was inside already. Ends the job when another thread is.
    bool enter_once(const char* function);
    void leave() { one_caller_.leave(); }
    const OneCaller& one_caller() const { return one_caller_; }

    // While it lives, this thread uses what threads share: the network, or a wait. Below
    // MPI_THREAD_MULTIPLE the job ends when two threads do so at a time.
    class Use {
      public:
        explicit Use(Threads& threads)
            : threads_(!threads.is_multiple_ && threads.enter_once(threads.function()) ? &threads
                                                                                       : nullptr) {}
        ~Use() {
            if (threads_ != nullptr) {
                threads_->leave();
            }
        }
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;

      private:
        Threads* threads_;  // those that this has to leave
    };

    ApiLock& lock() { return lock_; }
    // Takes the API lock for the rest of the call, unless this thread has it.
    void hold_lock() {
        if (is_multiple_ && !lock_.is_mine()) {
            lock_.lock();
        }
    }
    void release_lock() {
        if (lock_.is_mine()) {
            lock_.unlock();
        }
    }
    // This is for sleeps that other ranks end.
    template <class Sleep>
    void sleep_without_lock(Sleep&& sleep) {
        if (is_multiple_) {
            lock_.sleep(sleep);
        } else {
            sleep();
        }
    }
    // Returns whether other threads are awake in the library and need what threads share.
    bool has_others() const { return is_multiple_ && lock_.has_others(); }
    // Lets other threads' calls have their turn, however much this one has to do.
    void let_others_in() {
        if (has_others()) {
            lock_.yield();
        }
    }
    // Lets other threads, or other processes, have the processor.
    void yield() {
        if (is_multiple_) {
            lock_.yield();
        } else {
            sched_yield();
        }
    }

  private:
    // The function of the calling thread, whose calls do not nest.
    static inline thread_local const char* t_function = nullptr;

    const base::Config& config_;
    int level_ = MPI_THREAD_SINGLE;
    bool is_multiple_ = false;
    bool is_concurrent_ = false;
    bool calls_do_more_ = false;
    const char* function_ = nullptr;  // the function of a thread that is alone
    ApiLock lock_;
    OneCaller one_caller_;  // used below MPI_THREAD_MULTIPLE
};

}  // namespace armci::core

// SPDX-License-Identifier: BSD-3-Clause
// The lock that calls have in common at MPI_THREAD_MULTIPLE, and sleeps without it.
//
// A thread that waits may sleep until the network has something. Another thread may take just that
// from the network meanwhile; so whoever has changed anything wakes those asleep when it lets go of
// the lock.
#pragma once

#include <atomic>
#include <utility>

#include "base/mutex.h"
#include "node/descriptor.h"

namespace armci::core {

class ApiLock {
  public:
    // Before the first thread takes it. False with errno set when the system refuses an event.
    bool open();

    bool is_mine() const { return t_is_mine; }
    // Calls find out as they go whether they need the lock, which clang cannot follow: it checks
    // what this class does under the lock, not that callers have it.
    void lock() ARMCI_NO_THREAD_SAFETY_ANALYSIS {
        callers_.fetch_add(1, std::memory_order_relaxed);
        mutex_.lock();
        t_is_mine = true;
    }
    // At the end of a call.
    void unlock() ARMCI_NO_THREAD_SAFETY_ANALYSIS {
        has_changed_ = true;
        wake_sleepers();
        t_is_mine = false;
        mutex_.unlock();
        callers_.fetch_sub(1, std::memory_order_relaxed);
    }
    // Runs the function with the lock, unless another thread has the lock now.
    template <class Run>
    void try_with(Run&& run) {
        if (mutex_.try_lock()) {
            t_is_mine = true;
            run();
            wake_sleepers();
            t_is_mine = false;
            mutex_.unlock();
        }
    }

    // Those that follow are for the thread that has the lock.

    // Whether other threads are in a call that needs the lock, and awake.
    bool has_others() const { return callers_.load(std::memory_order_relaxed) > 1; }
    // Something has happened that another thread may be waiting for.
    void note_change() {
        mutex_.assert_held();
        has_changed_ = true;
    }
    // Lets others have it for a moment.
    void yield() ARMCI_NO_THREAD_SAFETY_ANALYSIS;
    // Blocks that, which sleeps, without the lock.
    template <class Sleep>
    void sleep(Sleep&& sleep) ARMCI_NO_THREAD_SAFETY_ANALYSIS {
        wake_sleepers();
        callers_.fetch_sub(1, std::memory_order_relaxed);
        mutex_.unlock();
        sleep();
        callers_.fetch_add(1, std::memory_order_relaxed);
        mutex_.lock();
    }
    // The same; it is given a descriptor that can be read when other threads have changed anything.
    // False, without having slept, while not all have woken up from the last change.
    template <class Sleep>
    bool sleep_until_change(Sleep&& sleep_on) {
        mutex_.assert_held();
        wake_sleepers();
        if (is_event_set_) {
            return false;
        }
        ++sleepers_;
        sleep([&] { sleep_on(event_.get()); });
        if (--sleepers_ == 0 && std::exchange(is_event_set_, false)) {
            take_event();
        }
        return true;
    }

  private:
    void wake_sleepers() ARMCI_REQUIRES(mutex_) {
        if (std::exchange(has_changed_, false) && sleepers_ > 0 && !is_event_set_) {
            set_event();
        }
    }
    void set_event() ARMCI_REQUIRES(mutex_);
    void take_event() ARMCI_REQUIRES(mutex_);

    static inline constinit thread_local bool t_is_mine = false;  // calls do not nest

    base::Mutex mutex_;
    std::atomic<int> callers_{0};  // threads that have the lock or want it and are awake
    bool has_changed_ ARMCI_GUARDED_BY(mutex_) = false;
    int sleepers_ ARMCI_GUARDED_BY(mutex_) = 0;  // that the event wakes
    // Until all of them are awake: each has to find it.
    bool is_event_set_ ARMCI_GUARDED_BY(mutex_) = false;
    node::Descriptor event_;
};

}  // namespace armci::core

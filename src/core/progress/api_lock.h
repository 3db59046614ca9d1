// SPDX-License-Identifier: BSD-3-Clause
// The lock that all calls share at MPI_THREAD_MULTIPLE, and sleeps without it.
//
// A thread that waits may sleep until the network has something. Another thread may take just that
// from the network meanwhile. Therefore a thread that has changed anything wakes those asleep when
// it releases the lock.
#pragma once

#include <atomic>
#include <utility>

#include "base/mutex.h"
#include "base/wake_up.h"

namespace armci::core {

class ApiLock {
  public:
    // Must be called before the first thread takes the lock. Returns false with errno set when the
    // system refuses an event.
    bool open() { return event_.open(); }

    bool is_mine() const { return t_is_mine; }
    // A call takes the lock only when it finds that it needs it, which clang cannot follow. It
    // checks what this class does under the lock, not that callers have it.
    void lock() ARMCI_NO_THREAD_SAFETY_ANALYSIS {
        callers_.fetch_add(1, std::memory_order_relaxed);
        mutex_.lock();
        t_is_mine = true;
    }
    // Is called at the end of a call.
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

    // The functions below are for the thread that has the lock.

    // Returns whether other threads are awake in a call that needs the lock.
    bool has_others() const { return callers_.load(std::memory_order_relaxed) > 1; }
    // Notes that something has happened that another thread may be waiting for.
    void note_change() {
        mutex_.assert_held();
        has_changed_ = true;
    }
    // Lets other threads have the lock for a moment.
    void yield() ARMCI_NO_THREAD_SAFETY_ANALYSIS;
    // Runs a function that sleeps, without the lock.
    template <class Sleep>
    void sleep(Sleep&& sleep) ARMCI_NO_THREAD_SAFETY_ANALYSIS {
        wake_sleepers();
        callers_.fetch_sub(1, std::memory_order_relaxed);
        mutex_.unlock();
        sleep();
        callers_.fetch_add(1, std::memory_order_relaxed);
        mutex_.lock();
    }
    // Does the same. `sleep_on` gets a descriptor that is readable when other threads have changed
    // anything. Returns false, without having slept, while not all have woken up from the last
    // change.
    template <class Sleep>
    bool sleep_until_change(Sleep&& sleep_on) {
        mutex_.assert_held();
        wake_sleepers();
        if (is_event_set_) {
            return false;
        }
        ++sleepers_;
        sleep([&] { sleep_on(event_.fd()); });
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
    // It stays set until all of them are awake, because each has to find it.
    bool is_event_set_ ARMCI_GUARDED_BY(mutex_) = false;
    base::WakeUp event_;
};

}  // namespace armci::core

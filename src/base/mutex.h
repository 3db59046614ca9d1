// SPDX-License-Identifier: BSD-3-Clause
// std::mutex and std::lock_guard as clang's thread-safety analysis knows them
// (thread_annotations.h): those of the standard library carry no annotations.
#pragma once

#include <mutex>

#include "base/thread_annotations.h"

namespace armci::base {

class ARMCI_CAPABILITY("mutex") Mutex {
  public:
    Mutex() = default;
    Mutex(const Mutex&) = delete;
    Mutex& operator=(const Mutex&) = delete;

    void lock() ARMCI_ACQUIRE() { mutex_.lock(); }
    bool try_lock() ARMCI_TRY_ACQUIRE(true) { return mutex_.try_lock(); }
    void unlock() ARMCI_RELEASE() { mutex_.unlock(); }

    // Makes the compiler assume that the mutex is held, where it cannot follow the locking.
    void assert_held() const ARMCI_ASSERT_CAPABILITY(this) {}

  private:
    std::mutex mutex_;
};

// Holds a mutex until the end of the block.
class ARMCI_SCOPED_CAPABILITY MutexLock {
  public:
    explicit MutexLock(Mutex& mutex) ARMCI_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
    ~MutexLock() ARMCI_RELEASE() { mutex_.unlock(); }
    MutexLock(const MutexLock&) = delete;
    MutexLock& operator=(const MutexLock&) = delete;

  private:
    Mutex& mutex_;
};

}  // namespace armci::base

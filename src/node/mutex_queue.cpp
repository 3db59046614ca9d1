// SPDX-License-Identifier: BSD-3-Clause
#include "node/mutex_queue.h"

#include <mutex>
#include <new>

#include "base/futex.h"

namespace armci::node {

uint32_t MutexQueue::take_waiter() {
    const std::lock_guard<SharedLock> lock(pool_->lock);
    uint32_t waiter = pool_->spare;
    if (waiter != 0) {
        pool_->spare = (*pool_)[waiter].next;
    } else if (pool_->used_count < WaiterPoolState::kWaiters) {
        waiter = ++pool_->used_count;
        new (&(*pool_)[waiter]) Waiter;
    }
    return waiter;
}

// Uses no lock_guard, because MutexQueue::unlock() would save and restore registers for it.
void MutexQueue::release(uint32_t waiter) {
    pool_->lock.lock();
    (*pool_)[waiter].next = pool_->spare;
    pool_->spare = waiter;
    pool_->lock.unlock();
}

bool MutexQueue::try_lock(Mutex& mutex, int32_t rank) {
    const std::lock_guard<SharedLock> lock(mutex.guard);
    const bool free = mutex.holder == kNoHolder;
    if (free) {
        mutex.holder = rank;
    }
    return free;
}

MutexQueue::Queued MutexQueue::lock(Mutex& mutex, int32_t rank, bool is_remote, uint64_t request_id,
                                    OwnRank own_rank) {
    const std::lock_guard<SharedLock> lock(mutex.guard);
    if (mutex.holder == kNoHolder) {
        mutex.holder = rank;
        return {LockResult::acquired};
    }
    if (mutex.holder == rank && mutex.is_forwarded == 0 && own_rank == OwnRank::must_not_hold) {
        return {LockResult::held_by_caller};
    }
    const uint32_t number = take_waiter();
    if (number == 0) {
        return {LockResult::no_room};
    }
    Waiter& waiter = (*pool_)[number];
    waiter.has_mutex.store(0, std::memory_order_relaxed);
    waiter.next = 0;
    waiter.rank = rank;
    waiter.is_remote = is_remote ? 1 : 0;
    waiter.request_id = request_id;
    if (mutex.last_waiter != 0) {
        (*pool_)[mutex.last_waiter].next = number;
    } else {
        mutex.first_waiter = number;
    }
    mutex.last_waiter = number;
    return {LockResult::queued, number};
}

bool MutexQueue::try_end_wait(uint32_t waiter) {
    if ((*pool_)[waiter].has_mutex.load(std::memory_order_acquire) == 0) {
        return false;
    }
    release(waiter);
    return true;
}

void MutexQueue::sleep_until_handed_over(uint32_t waiter, int64_t timeout_us) {
    base::futex_wait(&(*pool_)[waiter].has_mutex, 0, timeout_us);
}

MutexQueue::Unlocked MutexQueue::unlock(Mutex& mutex, int32_t rank, bool may_hand_to_remote) {
    Unlocked unlocked;
    const std::lock_guard<SharedLock> lock(mutex.guard);
    if (mutex.holder != rank || (mutex.is_forwarded != 0 && !may_hand_to_remote)) {
        unlocked.result = UnlockResult::not_held;
        return unlocked;
    }
    const uint32_t next = mutex.first_waiter;
    if (next == 0) {
        mutex.holder = kNoHolder;
        return unlocked;
    }
    Waiter& waiter = (*pool_)[next];
    if (waiter.is_remote != 0 && !may_hand_to_remote) {
        unlocked.result = UnlockResult::must_forward;
        mutex.is_forwarded = 1;
        return unlocked;
    }
    mutex.first_waiter = waiter.next;
    if (mutex.first_waiter == 0) {
        mutex.last_waiter = 0;
    }
    mutex.holder = waiter.rank;
    mutex.is_forwarded = 0;
    if (waiter.is_remote != 0) {
        unlocked.result = UnlockResult::handed_to_remote;
        unlocked.rank = waiter.rank;
        unlocked.request_id = waiter.request_id;
        release(next);
    } else {
        // From here on the waiter owns its record and may release it at once.
        waiter.has_mutex.store(1, std::memory_order_release);
        base::futex_wake(&waiter.has_mutex, 1);
    }
    return unlocked;
}

int32_t MutexQueue::holder(Mutex& mutex) {
    const std::lock_guard<SharedLock> lock(mutex.guard);
    return mutex.holder;
}

}  // namespace armci::node

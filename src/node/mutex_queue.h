// SPDX-License-Identifier: BSD-3-Clause
// FIFO mutexes in node memory, fair between the node's own ranks and remote ones.
//
// A Mutex lies in its owner's global memory, and only processes of that node work on it: local
// ranks directly, remote ranks through the owner's data server. Waiters queue in one list of
// records from a pool in the heap's control area, so only the order of arrival decides which is
// next. A local waiter sleeps on the word of its record; to a remote one the server sends an
// answer. An unlock hands the mutex over to the next waiter.
//
// A local rank cannot send that answer. If it unlocks and the next waiter is remote, it leaves the
// mutex held and asks its server to unlock (must_forward). Until the server has done so, the rank
// holds the mutex only nominally, and it may queue for the mutex again.
//
// Memory order: `guard` protects all fields. The release of `guard` by one holder and its acquire
// by the next make the critical section's writes visible; for sleepers, the store to
// `has_mutex` does.
// docs/references.md: Mellor-Crummey 1991
#pragma once

#include <atomic>
#include <cstdint>

#include "node/shared_lock.h"

namespace armci::node {

inline constexpr int32_t kNoHolder = -1;

inline constexpr uint32_t kMutexMagic = 0x6d757478;

struct alignas(64) Mutex {
    uint32_t magic = kMutexMagic;
    SharedLock guard;
    int32_t holder = kNoHolder;  // world rank
    uint32_t first_waiter = 0;   // indices into the pool, 0 meaning none
    uint32_t last_waiter = 0;
    uint32_t is_forwarded = 0;  // the holder has unlocked it, and the server has not done so yet
};
static_assert(sizeof(Mutex) == 64);

struct Waiter {
    std::atomic<uint32_t> has_mutex{0};
    uint32_t next = 0;
    int32_t rank = 0;
    uint32_t is_remote = 0;
    uint64_t request_id = 0;  // id of the remote rank's request, returned with the answer
};

struct WaiterPoolState {
    static constexpr uint32_t kWaiters = 1 << 16;  // blocked threads and remote ranks per node
    SharedLock lock;
    uint32_t used_count = 0;  // waiters of `storage` ever used, from number 1 on
    uint32_t spare = 0;       // free records, a list linked by `next`
    // Waiters are made when they are first used: most never are, and then cost no memory.
    alignas(Waiter) unsigned char storage[sizeof(Waiter) * (kWaiters + 1)];

    Waiter& operator[](uint32_t number) { return reinterpret_cast<Waiter*>(storage)[number]; }
};

class MutexQueue {
  public:
    MutexQueue() = default;
    explicit MutexQueue(WaiterPoolState* pool) : pool_(pool) {}

    enum class LockResult { acquired, queued, no_room, held_by_caller };
    // Says whether the rank that locks may already hold the mutex, in another of its threads.
    enum class OwnRank : bool { may_hold, must_not_hold };

    struct Queued {
        LockResult result = LockResult::acquired;
        uint32_t waiter = 0;  // the record on which a local waiter waits
    };

    bool try_lock(Mutex& mutex, int32_t rank);
    // Takes the mutex, or joins the queue if it is held. unlock() returns the remote waiter to
    // which it hands the mutex over.
    Queued lock(Mutex& mutex, int32_t rank, bool is_remote, uint64_t request_id,
                OwnRank own_rank = OwnRank::may_hold);

    // Ends the wait of a queued local waiter that has got the mutex, and releases its record.
    // Returns false if it has not got it yet.
    bool try_end_wait(uint32_t waiter);
    // Sleeps until the waiter has the mutex, for at most timeout_us.
    void sleep_until_handed_over(uint32_t waiter, int64_t timeout_us);

    enum class UnlockResult {
        released,          // there is no waiter, or a local one has been woken
        handed_to_remote,  // the remote waiter below has the mutex now; send it the answer
        must_forward,      // the next waiter is remote and may_hand_to_remote was false: still held
        not_held,  // `rank` does not hold the mutex, or has unlocked it; nothing was changed
    };
    struct Unlocked {
        UnlockResult result = UnlockResult::released;
        int32_t rank = 0;
        uint64_t request_id = 0;
    };
    Unlocked unlock(Mutex& mutex, int32_t rank, bool may_hand_to_remote);

    int32_t holder(Mutex& mutex);

  private:
    uint32_t take_waiter();
    void release(uint32_t waiter);

    WaiterPoolState* pool_ = nullptr;
};

}  // namespace armci::node

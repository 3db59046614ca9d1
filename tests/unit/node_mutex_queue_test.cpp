// SPDX-License-Identifier: BSD-3-Clause
#include "node/mutex_queue.h"

#include <sched.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace armci::node::test {
namespace {

using LockResult = MutexQueue::LockResult;
using UnlockResult = MutexQueue::UnlockResult;

class MutexQueueTest : public testing::Test {
  protected:
    MutexQueue::Queued lock_local(int rank) { return queue_.lock(mutex_, rank, false, 0); }
    MutexQueue::Queued lock_remote(int rank, uint64_t request_id) {
        return queue_.lock(mutex_, rank, true, request_id);
    }

    std::unique_ptr<WaiterPoolState> pool_ = std::make_unique<WaiterPoolState>();
    MutexQueue queue_{pool_.get()};
    Mutex mutex_;
};

TEST_F(MutexQueueTest, FreeMutexIsAcquiredAtOnce) {
    EXPECT_EQ(queue_.holder(mutex_), kNoHolder);
    EXPECT_EQ(lock_local(3).result, LockResult::acquired);
    EXPECT_EQ(queue_.holder(mutex_), 3);
    EXPECT_EQ(queue_.unlock(mutex_, 3, false).result, UnlockResult::released);
    EXPECT_EQ(queue_.holder(mutex_), kNoHolder);
    EXPECT_EQ(lock_remote(4, 77).result, LockResult::acquired);
    EXPECT_EQ(queue_.holder(mutex_), 4);
    EXPECT_EQ(queue_.unlock(mutex_, 4, true).result, UnlockResult::released);
    EXPECT_EQ(pool_->used_count, 0U) << "no rank waited";
}

TEST_F(MutexQueueTest, TryLockNeverQueues) {
    EXPECT_TRUE(queue_.try_lock(mutex_, 1));
    EXPECT_FALSE(queue_.try_lock(mutex_, 2));
    EXPECT_FALSE(queue_.try_lock(mutex_, 1)) << "not recursive";
    EXPECT_EQ(queue_.holder(mutex_), 1);
    EXPECT_EQ(queue_.unlock(mutex_, 1, false).result, UnlockResult::released);
    EXPECT_TRUE(queue_.try_lock(mutex_, 2));
    EXPECT_EQ(pool_->used_count, 0U);
}

TEST_F(MutexQueueTest, TryLockDoesNotOvertakeWaiters) {
    lock_local(1);
    const MutexQueue::Queued waiting = lock_local(2);
    EXPECT_EQ(queue_.unlock(mutex_, 1, false).result, UnlockResult::released);
    EXPECT_FALSE(queue_.try_lock(mutex_, 3));
    EXPECT_TRUE(queue_.try_end_wait(waiting.waiter));
    EXPECT_EQ(queue_.holder(mutex_), 2);
}

TEST_F(MutexQueueTest, OnlyTheHolderUnlocks) {
    EXPECT_EQ(queue_.unlock(mutex_, 1, false).result, UnlockResult::not_held);
    lock_local(1);
    const MutexQueue::Queued waiting = lock_local(2);
    EXPECT_EQ(queue_.unlock(mutex_, 2, true).result, UnlockResult::not_held);
    EXPECT_EQ(queue_.unlock(mutex_, kNoHolder, true).result, UnlockResult::not_held);
    EXPECT_EQ(queue_.holder(mutex_), 1);
    EXPECT_FALSE(queue_.try_end_wait(waiting.waiter));
    EXPECT_EQ(queue_.unlock(mutex_, 1, false).result, UnlockResult::released);
    EXPECT_EQ(queue_.unlock(mutex_, 1, false).result, UnlockResult::not_held) << "twice";
    EXPECT_TRUE(queue_.try_end_wait(waiting.waiter));
}

TEST_F(MutexQueueTest, RemoteWaiterGetsItOnlyWhereUnlockMayHandItOver) {
    lock_local(1);
    EXPECT_EQ(lock_remote(9, 4242).result, LockResult::queued);
    EXPECT_EQ(queue_.unlock(mutex_, 1, false).result, UnlockResult::must_forward);
    EXPECT_EQ(queue_.holder(mutex_), 1) << "forwarding leaves it held";
    EXPECT_EQ(queue_.unlock(mutex_, 1, false).result, UnlockResult::not_held)
        << "it has unlocked it already";
    const MutexQueue::Unlocked unlocked = queue_.unlock(mutex_, 1, true);
    EXPECT_EQ(unlocked.result, UnlockResult::handed_to_remote);
    EXPECT_EQ(unlocked.rank, 9);
    EXPECT_EQ(unlocked.request_id, 4242U);
    EXPECT_EQ(queue_.holder(mutex_), 9);
    EXPECT_EQ(queue_.unlock(mutex_, 9, true).result, UnlockResult::released);
}

TEST_F(MutexQueueTest, HolderQueuesForItsMutexOnlyIfThreadsMay) {
    constexpr auto kAlone = MutexQueue::OwnRank::must_not_hold;
    EXPECT_EQ(queue_.lock(mutex_, 1, false, 0, kAlone).result, LockResult::acquired);
    EXPECT_EQ(queue_.lock(mutex_, 1, false, 0, kAlone).result, LockResult::held_by_caller);
    EXPECT_EQ(mutex_.first_waiter, 0U) << "no rank was queued";
    const auto thread = queue_.lock(mutex_, 1, false, 0);
    EXPECT_EQ(thread.result, LockResult::queued);
    EXPECT_EQ(queue_.unlock(mutex_, 1, false).result, UnlockResult::released);
    EXPECT_TRUE(queue_.try_end_wait(thread.waiter));
}

// A mutex that was unlocked and waits for the server to pass it on does not belong to the rank any
// more.
TEST_F(MutexQueueTest, HolderQueuesBehindTheWaiterItForwarded) {
    constexpr auto kAlone = MutexQueue::OwnRank::must_not_hold;
    EXPECT_EQ(queue_.lock(mutex_, 1, false, 0, kAlone).result, LockResult::acquired);
    EXPECT_EQ(queue_.lock(mutex_, 9, true, 4242).result, LockResult::queued);
    EXPECT_EQ(queue_.unlock(mutex_, 1, false).result, UnlockResult::must_forward);
    const auto again = queue_.lock(mutex_, 1, false, 0, kAlone);
    EXPECT_EQ(again.result, LockResult::queued);
    EXPECT_EQ(queue_.unlock(mutex_, 1, true).rank, 9);
    EXPECT_FALSE(queue_.try_end_wait(again.waiter));
    EXPECT_EQ(queue_.unlock(mutex_, 9, true).result, UnlockResult::released);
    EXPECT_TRUE(queue_.try_end_wait(again.waiter));
    EXPECT_EQ(queue_.lock(mutex_, 1, false, 0, kAlone).result, LockResult::held_by_caller);
}

// promise: mutex.in-order
TEST_F(MutexQueueTest, IsHandedOverInOrderOfArrival) {
    struct Waiting {
        int rank;
        bool is_remote;
        uint64_t request_id;
        uint32_t waiter;
    };
    std::mt19937_64 random(5);
    std::deque<Waiting> model;
    int holder = kNoHolder;
    int next_rank = 0;
    bool is_forwarded =
        false;  // the holder has unlocked it, and only the server may hand it over now
    for (int step = 0; step < 20'000; ++step) {
        if (model.size() < 50 && random() % 2 == 0) {
            const bool is_remote = random() % 2 == 0;
            const int rank = next_rank++;
            const uint64_t request_id = random();
            const MutexQueue::Queued queued = queue_.lock(mutex_, rank, is_remote, request_id);
            if (holder == kNoHolder) {
                ASSERT_EQ(queued.result, LockResult::acquired);
                holder = rank;
            } else {
                ASSERT_EQ(queued.result, LockResult::queued);
                ASSERT_FALSE(!is_remote && queue_.try_end_wait(queued.waiter));
                model.push_back({rank, is_remote, request_id, queued.waiter});
            }
        } else if (holder != kNoHolder) {
            const bool may_hand_to_remote = is_forwarded || random() % 2 == 0;
            const MutexQueue::Unlocked unlocked = queue_.unlock(mutex_, holder, may_hand_to_remote);
            if (model.empty()) {
                ASSERT_EQ(unlocked.result, UnlockResult::released);
                holder = kNoHolder;
            } else if (!model.front().is_remote) {
                ASSERT_EQ(unlocked.result, UnlockResult::released);
                ASSERT_TRUE(queue_.try_end_wait(model.front().waiter));
                holder = model.front().rank;
                model.pop_front();
            } else if (may_hand_to_remote) {
                ASSERT_EQ(unlocked.result, UnlockResult::handed_to_remote);
                ASSERT_EQ(unlocked.rank, model.front().rank);
                ASSERT_EQ(unlocked.request_id, model.front().request_id);
                holder = model.front().rank;
                model.pop_front();
                is_forwarded = false;
            } else {
                ASSERT_EQ(unlocked.result, UnlockResult::must_forward);
                is_forwarded = true;
            }
        }
        ASSERT_EQ(queue_.holder(mutex_), holder);
    }
    EXPECT_GT(next_rank, 1000);
    EXPECT_LE(pool_->used_count, 50U) << "records of waiters that left are reused";
}

TEST_F(MutexQueueTest, MutexesShareThePoolButNotTheirQueues) {
    constexpr int kMutexes = 5;
    std::vector<Mutex> mutexes(kMutexes);
    std::vector<uint32_t> waiters[kMutexes];
    for (int turn = 0; turn < 4; ++turn) {
        for (int i = 0; i < kMutexes; ++i) {
            const MutexQueue::Queued queued = queue_.lock(mutexes[i], turn, false, 0);
            if (turn > 0) {
                waiters[i].push_back(queued.waiter);
            }
        }
    }
    for (int turn = 0; turn < 3; ++turn) {
        for (int i = kMutexes - 1; i >= 0; --i) {
            EXPECT_FALSE(queue_.try_end_wait(waiters[i][turn]));
            EXPECT_EQ(queue_.unlock(mutexes[i], turn, false).result, UnlockResult::released);
            EXPECT_TRUE(queue_.try_end_wait(waiters[i][turn]));
            EXPECT_EQ(queue_.holder(mutexes[i]), turn + 1);
        }
    }
    EXPECT_EQ(pool_->used_count, uint32_t{3 * kMutexes});
}

TEST_F(MutexQueueTest, FullPoolRefusesUntilAWaiterLeaves) {
    lock_local(0);
    std::vector<uint32_t> waiters;
    for (uint32_t i = 1; i <= WaiterPoolState::kWaiters; ++i) {
        const MutexQueue::Queued queued = lock_local(static_cast<int>(i));
        ASSERT_EQ(queued.result, LockResult::queued);
        waiters.push_back(queued.waiter);
    }
    EXPECT_EQ(lock_local(-5).result, LockResult::no_room);
    EXPECT_EQ(lock_remote(-6, 1).result, LockResult::no_room);
    // When one leaves there is room for one, at the end of the queue.
    EXPECT_EQ(queue_.unlock(mutex_, 0, false).result, UnlockResult::released);
    EXPECT_TRUE(queue_.try_end_wait(waiters[0]));
    EXPECT_EQ(lock_remote(1 << 20, 7).result, LockResult::queued);
    EXPECT_EQ(lock_local(-5).result, LockResult::no_room);
    for (uint32_t i = 1; i < WaiterPoolState::kWaiters; ++i) {
        ASSERT_EQ(queue_.unlock(mutex_, static_cast<int>(i), false).result, UnlockResult::released);
        ASSERT_TRUE(queue_.try_end_wait(waiters[i]));
        ASSERT_EQ(queue_.holder(mutex_), static_cast<int>(i + 1));
    }
    EXPECT_EQ(queue_.unlock(mutex_, WaiterPoolState::kWaiters, true).rank, 1 << 20);
    EXPECT_EQ(queue_.unlock(mutex_, 1 << 20, true).result, UnlockResult::released);
    EXPECT_EQ(pool_->used_count, WaiterPoolState::kWaiters);
}

// promise: mutex.in-order
TEST_F(MutexQueueTest, WakesSleepersInOrder) {
    constexpr int kThreads = 4;
    constexpr int kTimes = 300;
    int64_t total = 0;  // not atomic on purpose
    std::vector<std::thread> threads;
    for (int rank = 0; rank < kThreads; ++rank) {
        threads.emplace_back([&, rank] {
            for (int turn = 0; turn < kTimes; ++turn) {
                const MutexQueue::Queued queued = queue_.lock(mutex_, rank, false, 0);
                if (queued.result == LockResult::queued) {
                    while (!queue_.try_end_wait(queued.waiter)) {
                        queue_.sleep_until_handed_over(queued.waiter, 50'000);
                    }
                }
                ++total;
                if (turn % 16 == 0) {
                    sched_yield();
                }
                queue_.unlock(mutex_, rank, false);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(total, int64_t{kThreads} * kTimes);
    EXPECT_EQ(queue_.holder(mutex_), kNoHolder);
    // One waiter entry for each thread: the holder may not have released its own when all others
    // wait.
    EXPECT_LE(pool_->used_count, uint32_t{kThreads});
}

// Ranks that want a mutex all the time, some of them on other nodes. A holder keeps it until all
// ranks that want it are in the queue. It writes down their order, which is the order of their
// arrival. Each next holder compares.
class AlwaysWaitingRanks {
  public:
    static constexpr int kLocalRanks = 4;
    static constexpr int kRanks = 7;
    static constexpr int kTimes = 100;

    void run(int rank) {
        const bool is_remote = rank >= kLocalRanks;
        for (int turn = 0; turn < kTimes; ++turn) {
            const MutexQueue::Queued queued = queue_.lock(mutex_, rank, is_remote, 0);
            if (queued.result == LockResult::queued) {
                wait(rank, queued.waiter);
            }
            hold(rank);
            unlock(rank);
        }
    }

    std::vector<int> overtakers;  // ranks that got it before those in front of them
    int in_order_count = 0;       // how often it was known which rank is next, and that one got it
    int largest_lead = 0;         // how much more often one rank had it than another that wants it

  private:
    void wait(int rank, uint32_t waiter) {
        while (rank >= kLocalRanks ? !answered_[rank].exchange(false)
                                   : !queue_.try_end_wait(waiter)) {
            sched_yield();
        }
    }

    // A local rank leaves it to its server to hand over to a remote one; here it does that itself.
    void unlock(int rank) {
        MutexQueue::Unlocked unlocked = queue_.unlock(mutex_, rank, rank >= kLocalRanks);
        if (unlocked.result == UnlockResult::must_forward) {
            unlocked = queue_.unlock(mutex_, rank, true);
        }
        if (unlocked.result == UnlockResult::handed_to_remote) {
            answered_[unlocked.rank] = true;
        }
    }

    void hold(int rank) {
        if (!arrivals_.empty() && arrivals_.front() == rank) {
            ++in_order_count;
        } else if (!arrivals_.empty()) {
            overtakers.push_back(rank);
        }
        ++turns_[rank];
        size_t others = 0;
        for (const int turns : turns_) {
            if (turns < kTimes) {
                others += 1;
                largest_lead = std::max(largest_lead, turns_[rank] - turns);
            }
        }
        others -= turns_[rank] < kTimes ? 1 : 0;
        do {
            sched_yield();
            arrivals_ = queued_ranks();
        } while (arrivals_.size() < others);
    }

    std::vector<int> queued_ranks() {
        const std::lock_guard<SharedLock> lock(mutex_.guard);
        std::vector<int> ranks;
        for (uint32_t i = mutex_.first_waiter; i != 0; i = (*pool_)[i].next) {
            ranks.push_back((*pool_)[i].rank);
        }
        return ranks;
    }

    std::unique_ptr<WaiterPoolState> pool_ = std::make_unique<WaiterPoolState>();
    MutexQueue queue_{pool_.get()};
    Mutex mutex_;
    std::atomic<bool> answered_[kRanks] = {};
    // Only the holder uses these.
    std::vector<int> arrivals_;
    int turns_[kRanks] = {};
};

// promise: mutex.in-order
TEST(MutexQueue, RanksThatAlwaysWaitTakeTurnsInOrderOfArrival) {
    AlwaysWaitingRanks ranks;
    std::vector<std::thread> threads;
    for (int rank = 0; rank < AlwaysWaitingRanks::kRanks; ++rank) {
        threads.emplace_back([&, rank] { ranks.run(rank); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_THAT(ranks.overtakers, testing::IsEmpty());
    EXPECT_EQ(ranks.in_order_count, AlwaysWaitingRanks::kRanks * AlwaysWaitingRanks::kTimes - 1);
    EXPECT_EQ(ranks.largest_lead, 1);
}

TEST_F(MutexQueueTest, SleepEndsAtTheTimeOut) {
    lock_local(1);
    const MutexQueue::Queued waiting = lock_local(2);
    queue_.sleep_until_handed_over(waiting.waiter, 1000);
    EXPECT_FALSE(queue_.try_end_wait(waiting.waiter));
    queue_.unlock(mutex_, 1, false);
    queue_.sleep_until_handed_over(waiting.waiter, int64_t{3600} * 1'000'000);  // returns at once
    EXPECT_TRUE(queue_.try_end_wait(waiting.waiter));
}

}  // namespace
}  // namespace armci::node::test

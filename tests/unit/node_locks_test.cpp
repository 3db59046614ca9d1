// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <new>
#include <set>
#include <thread>
#include <vector>

#include "child_process.h"
#include "node/shared_lock.h"
#include "task_state.h"

namespace armci::node::test {
namespace {

using armci::test::ChildProcess;

// The numbers are not atomic on purpose: only the lock keeps them right.
struct Guarded {
    SharedLock lock;
    int64_t total = 0;
    int64_t inside = 0;
    int64_t intruders = 0;
};

void enter_many_times(Guarded& guarded, int times) {
    for (int i = 0; i < times; ++i) {
        guarded.lock.lock();
        guarded.intruders += guarded.inside;
        ++guarded.inside;
        ++guarded.total;
        // The processor is yielded inside from time to time, so that others have to sleep.
        if (i % 64 == 0) {
            sched_yield();
        }
        --guarded.inside;
        guarded.lock.unlock();
    }
}

TEST(SharedLock, ExcludesThreads) {
    constexpr int kThreads = 4;
    constexpr int kTimes = 5000;
    Guarded guarded;
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&] { enter_many_times(guarded, kTimes); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(guarded.total, int64_t{kThreads} * kTimes);
    EXPECT_EQ(guarded.intruders, 0);
}

TEST(SharedLock, ExcludesProcesses) {
    constexpr int kChildren = 3;
    constexpr int kTimes = 5000;
    void* memory =
        mmap(nullptr, sizeof(Guarded), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    auto* guarded = new (memory) Guarded;
    {
        std::vector<ChildProcess> children;
        for (int i = 0; i < kChildren; ++i) {
            children.emplace_back([&] {
                enter_many_times(*guarded, kTimes);
                return 0;
            });
        }
        enter_many_times(*guarded, kTimes);
        for (ChildProcess& child : children) {
            EXPECT_EQ(child.wait(), 0);
        }
    }
    EXPECT_EQ(guarded->total, int64_t{kChildren + 1} * kTimes);
    EXPECT_EQ(guarded->intruders, 0);
    munmap(memory, sizeof(Guarded));
}

// Waiters that have begun to nap acquire it, too.
TEST(SharedLock, NappingWaitersAcquireTheLock) {
    constexpr int kThreads = 4;
    SharedLock lock;
    std::atomic<int> tid[kThreads] = {};
    int entered = 0;
    lock.lock();
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&, i] {
            tid[i].store(gettid());
            lock.lock();
            ++entered;
            lock.unlock();
        });
    }
    for (const std::atomic<int>& waiter : tid) {
        while (waiter.load() == 0) {
            sched_yield();
        }
        armci::test::wait_until_asleep(armci::test::task_of(waiter.load()));
    }
    EXPECT_EQ(entered, 0);
    lock.unlock();
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(entered, kThreads);
}

const void* at(uintptr_t address) {
    return reinterpret_cast<const void*>(address);
}

TEST(StripedLocks, HasOneStripePerGranule) {
    constexpr auto kGranule = static_cast<uintptr_t>(StripedLocks::kGranuleBytes);
    constexpr uintptr_t kBase = 0x2000'0000'0000;
    std::set<uint32_t> stripes;
    for (uintptr_t granule = 0; granule < StripedLocks::kStripes; ++granule) {
        const uintptr_t begin = kBase + granule * kGranule;
        const uint32_t stripe = StripedLocks::stripe_of(at(begin));
        EXPECT_EQ(StripedLocks::stripe_of(at(begin + 1)), stripe);
        EXPECT_EQ(StripedLocks::stripe_of(at(begin + kGranule - 1)), stripe);
        EXPECT_EQ(StripedLocks::stripe_of(at(begin + kGranule * StripedLocks::kStripes)), stripe);
        EXPECT_LT(stripe, static_cast<uint32_t>(StripedLocks::kStripes));
        stripes.insert(stripe);
    }
    EXPECT_EQ(stripes.size(), static_cast<size_t>(StripedLocks::kStripes));
}

TEST(StripedLocks, StripeChangesAtTheReportedBoundary) {
    for (const uintptr_t address :
         {uintptr_t{0x2000'0000'0000}, uintptr_t{0x2000'0000'0001}, uintptr_t{0x2000'0000'3ff8},
          uintptr_t{0x2000'0000'3fff}, uintptr_t{0x7ea0'1234'5678}}) {
        const int64_t bytes = StripedLocks::bytes_to_boundary(at(address));
        EXPECT_GT(bytes, 0);
        EXPECT_LE(bytes, StripedLocks::kGranuleBytes);
        const auto boundary = address + static_cast<uintptr_t>(bytes);
        EXPECT_EQ(StripedLocks::stripe_of(at(boundary - 1)), StripedLocks::stripe_of(at(address)));
        EXPECT_NE(StripedLocks::stripe_of(at(boundary)), StripedLocks::stripe_of(at(address)));
    }
}

TEST(StripedLocks, NoTwoLocksShareACacheLine) {
    alignas(64) static StripedLocks locks;
    for (uint32_t stripe = 0; stripe < StripedLocks::kStripes; ++stripe) {
        const auto address = reinterpret_cast<uintptr_t>(&locks[stripe]);
        EXPECT_EQ(address % 64, 0U);
        EXPECT_EQ(address, reinterpret_cast<uintptr_t>(&locks[0]) + 64 * stripe);
    }
}

}  // namespace
}  // namespace armci::node::test

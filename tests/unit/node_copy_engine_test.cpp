// SPDX-License-Identifier: BSD-3-Clause
#include "node/copy_engine.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "task_state.h"

namespace armci::node::test {
namespace {

CopyRequest put(const std::vector<char>& from, std::vector<char>& to) {
    CopyRequest request;
    request.layout = strided::contiguous_pair(static_cast<int64_t>(from.size()));
    request.local = const_cast<char*>(from.data());
    request.remote = to.data();
    return request;
}

void wait_for(CopyEngine& engine, uint64_t count) {
    while (engine.completed() < count) {
        sched_yield();
    }
}

TEST(CopyEngine, CopiesSubmittedRequests) {
    const auto engine = make_copy_thread();
    ASSERT_NE(engine, nullptr);
    EXPECT_EQ(engine->completed(), 0U);
    const std::vector<char> from(300'000, 'a');
    std::vector<char> to(from.size(), 'b');
    const CopyRequest request = put(from, to);
    ASSERT_EQ(engine->submit(&request, 1), 1);
    wait_for(*engine, 1);
    EXPECT_EQ(to, from);

    // The other way, strided: every second block of 100 bytes.
    const int stride[] = {200};
    const int count[] = {100, 1000};
    CopyRequest get;
    ASSERT_EQ(strided::make_pair(stride, stride, count, 1, &get.layout), strided::LayoutStatus::ok);
    std::vector<char> local(200'000, 'x');
    get.local = local.data();
    get.remote = to.data();
    get.direction = strided::Direction::to_local;
    ASSERT_EQ(engine->submit(&get, 1), 1);
    wait_for(*engine, 2);
    for (size_t i = 0; i < local.size(); ++i) {
        ASSERT_EQ(local[i], i % 200 < 100 ? 'a' : 'x') << i;
    }
}

// Each request reads what the one before has written.
TEST(CopyEngine, CopiesInOrder) {
    const auto engine = make_copy_thread();
    ASSERT_NE(engine, nullptr);
    constexpr size_t kSteps = 40;
    std::vector<std::vector<char>> stages(kSteps + 1, std::vector<char>(10'000, 'o'));
    std::fill(stages[0].begin(), stages[0].end(), 'n');
    std::vector<CopyRequest> requests;
    for (size_t i = 0; i < kSteps; ++i) {
        requests.push_back(put(stages[i], stages[i + 1]));
    }
    ASSERT_EQ(engine->submit(requests.data(), static_cast<int>(kSteps)), static_cast<int>(kSteps));
    wait_for(*engine, kSteps);
    EXPECT_EQ(stages[kSteps], stages[0]);
}

TEST(CopyEngine, RefusesRequestsWhenFull) {
    const auto engine = make_copy_thread();
    ASSERT_NE(engine, nullptr);
    const std::vector<char> from(1 << 20, 'f');
    std::vector<char> to(from.size());
    const std::vector<CopyRequest> requests(10'000, put(from, to));
    uint64_t submitted = 0;
    bool was_full = false;
    for (int round = 0; round < 3; ++round) {
        const int taken = engine->submit(requests.data(), static_cast<int>(requests.size()));
        ASSERT_GE(taken, 0);
        was_full = was_full || taken < static_cast<int>(requests.size());
        submitted += static_cast<uint64_t>(taken);
        ASSERT_LE(engine->completed(), submitted);
        wait_for(*engine, submitted);
        EXPECT_EQ(engine->completed(), submitted);
    }
    EXPECT_TRUE(was_full);
    EXPECT_GT(submitted, 0U);
}

// It waits for a lock that another thread holds. Bytes between blocks stay as they are.
TEST(CopyEngine, AddsUnderTheLocks) {
    constexpr auto kGranuleBytes = static_cast<size_t>(StripedLocks::kGranuleBytes);
    constexpr size_t kValues = 2 * kGranuleBytes / sizeof(double);
    const auto locks = std::make_unique<StripedLocks>();
    const std::unique_ptr<double[], void (*)(void*)> sums(
        static_cast<double*>(std::aligned_alloc(kGranuleBytes, 2 * kGranuleBytes)), std::free);
    ASSERT_NE(sums, nullptr);
    std::fill(sums.get(), sums.get() + kValues, 1.0);
    std::vector<double> terms(kValues, 3.0);
    const double factor = 2;
    // Every second block of 64 bytes.
    const int stride[] = {128};
    const int count[] = {64, 2 * kGranuleBytes / 128};
    CopyRequest request;
    ASSERT_EQ(strided::make_pair(stride, stride, count, 1, &request.layout),
              strided::LayoutStatus::ok);
    request.local = reinterpret_cast<char*>(terms.data());
    request.remote = reinterpret_cast<char*>(sums.get());
    request.stripes = locks.get();
    request.scale = strided::make_scale(strided::AccType::float64, &factor);

    const auto engine = make_copy_thread();
    ASSERT_NE(engine, nullptr);
    const std::string task = armci::test::task_named(kCopyThreadName);
    ASSERT_NE(task, "");
    SharedLock& second = (*locks)[StripedLocks::stripe_of(request.remote + kGranuleBytes)];
    second.lock();
    ASSERT_EQ(engine->submit(&request, 1), 1);
    armci::test::wait_until_asleep(task);  // it naps when it waits long for a lock
    EXPECT_EQ(engine->completed(), 0U);
    second.unlock();
    wait_for(*engine, 1);
    for (size_t i = 0; i < kValues; ++i) {
        ASSERT_EQ(sums[i], i % 16 < 8 ? 7 : 1) << i;
    }
}

// A missed wake-up hangs it.
TEST(CopyEngine, WakesUpForEachRequest) {
    const auto engine = make_copy_thread();
    ASSERT_NE(engine, nullptr);
    const std::string task = armci::test::task_named(kCopyThreadName);
    ASSERT_NE(task, "");
    const std::vector<char> from(64, 'w');
    for (uint64_t i = 1; i <= 200; ++i) {
        std::vector<char> to(64, 'z');
        const CopyRequest request = put(from, to);
        ASSERT_EQ(engine->submit(&request, 1), 1);
        wait_for(*engine, i);
        ASSERT_EQ(to, from);
        if (i % 4 == 0) {
            armci::test::wait_until_asleep(task);
        }
    }
}

TEST(CopyEngine, DestructorWaitsForSubmittedRequests) {
    const std::vector<char> from(4 << 20, 'e');
    std::vector<char> to(from.size(), ' ');
    {
        const auto engine = make_copy_thread();
        ASSERT_NE(engine, nullptr);
        const CopyRequest request = put(from, to);
        ASSERT_EQ(engine->submit(&request, 1), 1);
    }
    EXPECT_EQ(to, from);
}

}  // namespace
}  // namespace armci::node::test

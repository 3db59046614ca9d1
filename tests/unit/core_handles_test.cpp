// SPDX-License-Identifier: BSD-3-Clause
#include "core/progress/handles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <random>
#include <set>
#include <vector>

#include "armci/armci.h"

namespace armci::core::test {
namespace {

static_assert(sizeof(armci_hdl_t) == 8, "part of the ABI: two ints");

armci_hdl_t new_handle(bool aggregate = false) {
    armci_hdl_t handle;
    Handles::reset(&handle, aggregate);
    return handle;
}

TEST(Handles, ResetHandleIsIdle) {
    Handles handles;
    for (const bool aggregate : {false, true}) {
        const armci_hdl_t handle = new_handle(aggregate);
        EXPECT_FALSE(handles.is_active(handle));
        EXPECT_EQ(Handles::is_aggregate(handle), aggregate);
    }
}

TEST(Handles, ActiveUntilEveryOperationHasEnded) {
    Handles handles;
    armci_hdl_t handle = new_handle();
    const uint32_t slot = handles.begin(&handle);
    EXPECT_NE(slot, Handles::kNoSlot);
    EXPECT_TRUE(handles.is_active(handle));
    EXPECT_EQ(handles.begin(&handle), slot) << "operations of one handle share its slot";
    EXPECT_EQ(handles.begin(&handle), slot);
    handles.end(slot);
    EXPECT_TRUE(handles.is_active(handle));
    handles.end(slot);
    EXPECT_TRUE(handles.is_active(handle));
    handles.end(slot);
    EXPECT_FALSE(handles.is_active(handle));
    handles.set_idle(&handle);
    EXPECT_FALSE(handles.is_active(handle));
}

TEST(Handles, HandlesAreIndependent) {
    Handles handles;
    armci_hdl_t first = new_handle();
    armci_hdl_t second = new_handle();
    const uint32_t first_slot = handles.begin(&first);
    const uint32_t second_slot = handles.begin(&second);
    EXPECT_NE(first_slot, second_slot);
    handles.end(first_slot);
    EXPECT_FALSE(handles.is_active(first));
    EXPECT_TRUE(handles.is_active(second));
}

TEST(Handles, CompleteHandleMayBeReused) {
    Handles handles;
    armci_hdl_t handle = new_handle();
    for (int turn = 0; turn < 1000; ++turn) {
        const uint32_t slot = handles.begin(&handle);
        EXPECT_EQ(slot, 0U) << "one handle needs one slot";
        EXPECT_TRUE(handles.is_active(handle));
        handles.end(slot);
        EXPECT_FALSE(handles.is_active(handle));
    }
}

TEST(Handles, StaleCopyReadsAsComplete) {
    Handles handles;
    armci_hdl_t handle = new_handle();
    const uint32_t slot = handles.begin(&handle);
    const armci_hdl_t stale = handle;
    handles.end(slot);
    armci_hdl_t other = new_handle();
    ASSERT_EQ(handles.begin(&other), slot) << "the slot has another owner now";
    EXPECT_TRUE(handles.is_active(other));
    EXPECT_FALSE(handles.is_active(stale));
    // When it is used again it stands for a new operation and leaves the other one's alone.
    armci_hdl_t again = stale;
    EXPECT_NE(handles.begin(&again), slot);
    EXPECT_TRUE(handles.is_active(again));
    handles.end(slot);
    EXPECT_FALSE(handles.is_active(other));
    EXPECT_TRUE(handles.is_active(again));
}

TEST(Handles, UninitialisedMemoryReadsAsIdle) {
    Handles handles;
    std::vector<armci_hdl_t> active(50, new_handle());
    for (armci_hdl_t& handle : active) {
        handles.begin(&handle);
    }
    std::vector<armci_hdl_t> garbage;
    for (const unsigned char byte : {0x00, 0xff, 0x5a, 0xa5}) {
        std::memset(&garbage.emplace_back(), byte, sizeof(armci_hdl_t));
    }
    for (int target = -2; target < 60; ++target) {
        for (const int aggregate : {0, 1, -1, 0x7fffffff}) {
            garbage.push_back({target, aggregate});
        }
    }
    for (const armci_hdl_t& one : garbage) {
        EXPECT_FALSE(handles.is_active(one)) << one.target << " " << one.aggregate;
        armci_hdl_t used = one;
        handles.begin(&used);
        EXPECT_TRUE(handles.is_active(used));
    }
    for (const armci_hdl_t& handle : active) {
        EXPECT_TRUE(handles.is_active(handle));
    }
}

TEST(Handles, AggregateFlagSurvivesEveryOperation) {
    Handles handles;
    armci_hdl_t handle = new_handle(true);
    for (int turn = 0; turn < 3; ++turn) {
        const uint32_t slot = handles.begin(&handle);
        EXPECT_TRUE(Handles::is_aggregate(handle));
        EXPECT_EQ(handles.begin(&handle), slot);
        EXPECT_TRUE(handles.is_active(handle));
        handles.end(slot);
        handles.end(slot);
        EXPECT_TRUE(Handles::is_aggregate(handle));
        handles.set_idle(&handle);
        EXPECT_TRUE(Handles::is_aggregate(handle));
        EXPECT_FALSE(handles.is_active(handle));
    }
}

TEST(Handles, AggregateFlagMayChangeWhileActive) {
    Handles handles;
    armci_hdl_t handle = new_handle();
    const uint32_t slot = handles.begin(&handle);
    handles.set_aggregate(&handle, true);
    EXPECT_TRUE(Handles::is_aggregate(handle));
    EXPECT_TRUE(handles.is_active(handle));
    handles.set_aggregate(&handle, false);
    EXPECT_FALSE(Handles::is_aggregate(handle));
    EXPECT_TRUE(handles.is_active(handle));
    handles.end(slot);
    EXPECT_FALSE(handles.is_active(handle));
    // On an idle handle, and on memory that never was one.
    handles.set_aggregate(&handle, true);
    EXPECT_TRUE(Handles::is_aggregate(handle));
    armci_hdl_t garbage{12345, 54321};
    handles.set_aggregate(&garbage, true);
    EXPECT_TRUE(Handles::is_aggregate(garbage));
    EXPECT_FALSE(handles.is_active(garbage));
    handles.set_aggregate(&garbage, false);
    EXPECT_FALSE(Handles::is_aggregate(garbage));
}

// The number of task entries is that of handles that were ever active at the same time, however
// many were forgotten.
// promise: handle.forgotten
TEST(Handles, ForgottenHandlesLeakNothing) {
    constexpr size_t kActive = 32;
    std::mt19937_64 random(8);
    Handles handles;
    std::deque<uint32_t> active;
    uint32_t largest = 0;
    for (int turn = 0; turn < 100'000; ++turn) {
        armci_hdl_t forgotten = new_handle(turn % 2 == 0);
        const uint32_t slot = handles.begin(&forgotten);
        largest = std::max(largest, slot);
        ASSERT_EQ(std::count(active.begin(), active.end(), slot), 0);
        active.push_back(slot);
        if (active.size() == kActive) {
            std::swap(active[random() % kActive], active.back());
            handles.end(active.back());
            active.pop_back();
        }
    }
    EXPECT_LT(largest, kActive);
}

}  // namespace
}  // namespace armci::core::test

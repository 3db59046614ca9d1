// SPDX-License-Identifier: BSD-3-Clause
#include "base/stats.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

namespace armci::base::test {
namespace {

constexpr OpKind kOps[] = {OpKind::put, OpKind::get, OpKind::acc};
constexpr Route kRoutes[] = {Route::local, Route::rma, Route::server};

TEST(Stats, EveryOperationIsCountedInExactlyOneRoute) {
    std::mt19937_64 random(3);
    Stats stats;
    Counter calls[kOpKindCount];
    for (int i = 0; i < 10'000; ++i) {
        const OpKind op = kOps[random() % kOpKindCount];
        const Route route = kRoutes[random() % kRouteCount];
        const auto bytes = static_cast<int64_t>(random() >> (20 + random() % 44));
        const Counter before = stats.transfers[static_cast<int>(op)][static_cast<int>(route)];
        stats.count(op, route, bytes);
        const Counter& after = stats.transfers[static_cast<int>(op)][static_cast<int>(route)];
        ASSERT_EQ(after.operations, before.operations + 1);
        ASSERT_EQ(after.bytes, before.bytes + static_cast<uint64_t>(bytes));
        ++calls[static_cast<int>(op)].operations;
        calls[static_cast<int>(op)].bytes += static_cast<uint64_t>(bytes);
    }
    for (const OpKind op : kOps) {
        Counter sum;
        for (const Route route : kRoutes) {
            sum.operations +=
                stats.transfers[static_cast<int>(op)][static_cast<int>(route)].operations;
            sum.bytes += stats.transfers[static_cast<int>(op)][static_cast<int>(route)].bytes;
        }
        EXPECT_EQ(sum.operations, calls[static_cast<int>(op)].operations) << name_of(op);
        EXPECT_EQ(sum.bytes, calls[static_cast<int>(op)].bytes) << name_of(op);
    }
    EXPECT_EQ(stats.rmw, 0U);
    EXPECT_EQ(stats.fences, 0U);
    EXPECT_EQ(stats.messages_sent, 0U);
    EXPECT_EQ(stats.chunks_sent, 0U);
    EXPECT_EQ(stats.buffer_waits, 0U);
}

TEST(Stats, NamesAreDistinct) {
    std::set<std::string> names;
    for (const OpKind op : kOps) {
        names.insert(name_of(op));
    }
    for (const Route route : kRoutes) {
        names.insert(name_of(route));
    }
    EXPECT_EQ(names.size(), static_cast<size_t>(kOpKindCount + kRouteCount));
}

}  // namespace
}  // namespace armci::base::test

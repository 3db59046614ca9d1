// SPDX-License-Identifier: BSD-3-Clause
// Gets of one block that the target's data server writes into the origin's memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "fabric/faults.h"
#include "pipeline/origin/get_by_put_task.h"
#include "server_fixture.h"
#include "transfer_pattern.h"

namespace armci::test {
namespace {

using base::OpKind;
using base::Route;

constexpr int64_t kMemoryBytes = 1 << 20;

class GetByPut : public ::testing::Test {
  protected:
    void TearDown() override { fabric::set_faults({}); }

    // Every byte of global memory has another value than its neighbours.
    void open(NetworkOptions options) {
        options.memory_bytes = kMemoryBytes;
        network_ = std::make_unique<TestNetwork>(options);
        ASSERT_EQ(network_->error(), "");
        for (int64_t i = 0; i < kMemoryBytes; ++i) {
            network_->memory(0)[i] = value(i);
        }
    }
    static char value(int64_t offset) {
        return static_cast<char>(offset * 7 + (offset >> 8) * 13 + (offset >> 16));
    }

    std::unique_ptr<pipeline::Task> start(int rank, int64_t bytes, int64_t from, char* to) {
        return network_->start_get_by_put(
            rank, 0,
            make_transfer({OpKind::get}, contiguous_pattern(bytes, 0, from), to,
                          network_->memory(0)));
    }
    void expect_get(int64_t bytes, int64_t from) {
        std::vector<char> to(static_cast<size_t>(bytes) + 2, '#');
        network_->wait(*start(0, bytes, from, to.data() + 1));
        EXPECT_EQ(to.front(), '#');
        EXPECT_EQ(to.back(), '#');
        int64_t wrong = 0;
        for (int64_t i = 0; i < bytes; ++i) {
            wrong += to[static_cast<size_t>(i) + 1] != value(from + i) ? 1 : 0;
        }
        EXPECT_EQ(wrong, 0) << bytes << " bytes from " << from;
    }
    void expect_gets() {
        for (const int64_t bytes : {1, 8, 1000, 4096, 65'537, 1 << 20}) {
            expect_get(bytes, std::min<int64_t>(3, kMemoryBytes - bytes));
        }
    }
    void expect_nothing_left() {
        network_->fence_all();
        EXPECT_EQ(network_->origin(0).load(), pipeline::Origin::Load{});
        EXPECT_EQ(network_->server(0).load().gets_by_put, 0);
    }

    std::unique_ptr<TestNetwork> network_;
};

TEST_F(GetByPut, BringsAllSizes) {
    open({});
    if (!network_->is_registered(0)) {
        GTEST_SKIP() << "this provider has no remote access";
    }
    expect_gets();
    expect_nothing_left();
}

TEST_F(GetByPut, BringsAllSizesWithoutOrder) {
    NetworkOptions options;
    options.use_ordering = false;
    open(options);
    if (!network_->is_registered(0)) {
        GTEST_SKIP() << "this provider has no remote access";
    }
    expect_gets();
    expect_nothing_left();
}

TEST_F(GetByPut, BringsAllSizesWherePostsAreRefused) {
    fabric::Faults faults;
    faults.refused_posts = 1;
    faults.of_posts = 2;
    faults.posts_in_burst = 2;
    open({});
    if (!network_->is_registered(0)) {
        GTEST_SKIP() << "this provider has no remote access";
    }
    fabric::set_faults(faults);
    for (int i = 0; i < 20; ++i) {
        expect_gets();
    }
    expect_nothing_left();
}

TEST_F(GetByPut, ReadsWhereLocalMemoryCannotBeRegistered) {
    open({});
    if (!network_->is_registered(0)) {
        GTEST_SKIP() << "this provider has no remote access";
    }
    fabric::Faults faults;
    faults.registrations = 0;
    faults.limit_remote = false;
    fabric::set_faults(faults);
    expect_gets();
    EXPECT_EQ(network_->server(0).load().gets_by_put, 0);
    expect_nothing_left();
}

// A get that follows a put sees it, and many gets of several origins are under way at a time.
TEST_F(GetByPut, SeesEarlierPutsOfItsOrigin) {
    NetworkOptions options;
    options.origin_count = 3;
    open(options);
    if (!network_->is_registered(0)) {
        GTEST_SKIP() << "this provider has no remote access";
    }
    constexpr int64_t kBytes = 32 << 10;
    for (const Route route : {Route::rma, Route::server}) {
        std::vector<std::vector<char>> sent;
        std::vector<std::vector<char>> got;
        std::vector<std::unique_ptr<pipeline::Task>> tasks;
        for (int i = 0; i < 24; ++i) {
            const int rank = i % options.origin_count;
            sent.emplace_back(kBytes, static_cast<char>('a' + i + (route == Route::rma ? 32 : 0)));
            got.emplace_back(kBytes, '#');
            network_->wait(*network_->start(
                rank, 0, route,
                make_transfer({OpKind::put}, contiguous_pattern(kBytes, 0, i * kBytes),
                              sent.back().data(), network_->memory(0))));
            tasks.push_back(start(rank, kBytes, i * kBytes, got.back().data()));
        }
        for (const auto& task : tasks) {
            network_->wait(*task);
        }
        EXPECT_EQ(got, sent);
    }
    expect_nothing_left();
}

}  // namespace
}  // namespace armci::test

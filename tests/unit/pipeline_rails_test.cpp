// SPDX-License-Identifier: BSD-3-Clause
// Transfers over two rails, on which memory has different keys, where only the order of writes with
// messages tells that they have arrived: so it is over verbs.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "fabric/faults.h"
#include "server_fixture.h"
#include "transfer_pattern.h"

namespace armci::test {
namespace {

using base::OpKind;
using base::Route;

constexpr int64_t kChunkBytes = 48 << 10;

class OrderedRails : public ::testing::Test {
  protected:
    OrderedRails() {
        fabric::Faults faults;
        faults.rail_keys_differ = true;
        faults.without_delivery = true;
        fabric::set_faults(faults);
        NetworkOptions options;
        options.rails = 2;
        options.memory_bytes = 16 << 20;
        options.receive_buffer_count = 64;
        options.buffer_count = 16;
        network_ = std::make_unique<TestNetwork>(options);
        local_.assign(options.memory_bytes, 'x');
    }
    ~OrderedRails() override {
        network_.reset();
        fabric::set_faults({});
    }
    void SetUp() override {
        ASSERT_EQ(network_->error(), "");
        if (!network_->domain(0).orders_writes() || !network_->writes_chunks()) {
            GTEST_SKIP() << "the provider has no order of writes, or no immediate data";
        }
    }

    std::unique_ptr<pipeline::Task> start(OpKind kind, Route route, int64_t bytes) {
        return network_->start(0, 0, route,
                               make_transfer({kind}, contiguous_pattern(bytes, 0, 0), local_.data(),
                                             network_->memory(0)));
    }
    void run(OpKind kind, Route route, int64_t bytes) {
        network_->wait(*start(kind, route, bytes));
        network_->fence_all();
    }
    int64_t carried_by_second() const {
        return static_cast<int64_t>(network_->domain(0).rails()[0]->carried_bytes());
    }

    std::unique_ptr<TestNetwork> network_;
    std::vector<char> local_;
};

TEST_F(OrderedRails, DirectWritesTakeTheFirst) {
    run(OpKind::put, Route::rma, 4 << 20);
    EXPECT_EQ(carried_by_second(), 0);
    EXPECT_EQ(network_->memory(0)[(4 << 20) - 1], 'x');
}

TEST_F(OrderedRails, ReadsAndChunksTakeAll) {
    run(OpKind::get, Route::rma, 4 << 20);
    const int64_t read = carried_by_second();
    EXPECT_GT(read, 0);
    run(OpKind::put, Route::server, 4 << 20);
    EXPECT_GT(carried_by_second(), read);
}

// The long write is under way, so the second rail is free. A chunk that took it might arrive before
// the write. The next one may take it, because the server executes that after the first.
TEST_F(OrderedRails, TheFirstChunkAfterWritesFollowsThem) {
    // Then there are connections, and receive buffers for the next chunks.
    network_->wait(*start(OpKind::get, Route::rma, 4 << 20));
    run(OpKind::put, Route::server, 1 << 20);
    // A message follows the first operation after a fence, and none the second.
    const auto earlier = start(OpKind::put, Route::rma, 8);
    const int64_t before = carried_by_second();
    const auto write = start(OpKind::put, Route::rma, 16 << 20);
    const auto first = start(OpKind::put, Route::server, kChunkBytes);
    EXPECT_EQ(carried_by_second(), before);
    const auto second = start(OpKind::put, Route::server, kChunkBytes);
    EXPECT_GT(carried_by_second(), before);
    for (const auto* task : {earlier.get(), write.get(), first.get(), second.get()}) {
        network_->wait(*task);
    }
    network_->fence_all();
}

}  // namespace
}  // namespace armci::test

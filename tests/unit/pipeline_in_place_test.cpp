// SPDX-License-Identifier: BSD-3-Clause
// Chunks whose data is sent from where it lies: which they are, what they write, and what they do
// not take.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "fabric/faults.h"
#include "pipeline/buffers/chunk_sizes.h"
#include "server_fixture.h"
#include "transfer_pattern.h"

namespace armci::test {
namespace {

using base::OpKind;
using base::Route;
using pipeline::chunk_room_bytes;
using pipeline::ChunkData;
using strided::AccType;

constexpr int64_t kBufferBytes = 64 << 10;

// Blocks of that length, whose remote ones are apart, and local ones too if `is_local_apart`.
Pattern blocks_of(int64_t block_bytes, int count, bool is_local_apart) {
    return spaced_pattern(block_bytes, count, block_bytes + (is_local_apart ? 8 : 0),
                          block_bytes + 16);
}

class InPlace : public ::testing::Test {
  protected:
    ~InPlace() override {
        network_.reset();
        fabric::set_faults(fabric::Faults{});
    }

    void open(const NetworkOptions& options) {
        network_ = std::make_unique<TestNetwork>(options);
        ASSERT_EQ(network_->error(), "");
        local_.resize(options.memory_bytes);
        Random random(7);
        fill(random, AccType::int32, local_.data(), static_cast<int64_t>(local_.size()));
    }
    bool sends_in_place() { return network_->origin(0).frames().sends_in_place(); }

    void run(const Operation& operation, const Pattern& pattern) {
        network_->wait(*network_->start(
            0, 0, Route::server,
            make_transfer(operation, pattern, local_.data(), network_->memory(0))));
    }
    // Returns how many of eight buffers one long put takes if none is free again before the next.
    size_t buffers_of(const Pattern& pattern) {
        NetworkOptions options;
        options.buffer_count = 8;
        options.buffer_bytes = kBufferBytes;
        options.receive_buffer_count = 64;
        options.memory_bytes = 2 << 20;
        open(options);
        run({OpKind::put}, pattern);
        network_->fence_all();
        return network_->origin(0).buffers().ready_count();
    }

    std::unique_ptr<TestNetwork> network_;
    std::vector<char> local_;
};

TEST_F(InPlace, AdjacentDataTakesNoBuffers) {
    const size_t taken = buffers_of(blocks_of(1 << 10, 1 << 10, false));
    if (!sends_in_place()) {
        GTEST_SKIP() << "this provider packs all data";
    }
    EXPECT_EQ(taken, 1U);  // for the heads
}

TEST_F(InPlace, DataThatIsApartIsPacked) {
    EXPECT_EQ(buffers_of(blocks_of(1 << 10, 1 << 10, true)), 8U);
}

// The provider would not read memory that is not registered.
TEST_F(InPlace, DataIsPackedWhereMemoryMustBeRegistered) {
    fabric::Faults faults;
    faults.local_registration_needed = true;
    fabric::set_faults(faults);
    EXPECT_EQ(buffers_of(blocks_of(1 << 10, 1 << 10, false)), 8U);
    EXPECT_FALSE(sends_in_place());
}

// Frames are padded, and so are these. Some posts are refused and made again. The source is the
// caller's again once the call would return.
TEST_F(InPlace, EveryLengthArrives) {
    refuse_half_of_posts();
    NetworkOptions options;
    options.buffer_count = 2;
    options.buffer_bytes = 2 * kBufferBytes;
    options.receive_buffer_count = 8;
    options.memory_bytes = 1 << 20;
    open(options);
    char* remote = network_->memory(0);
    Random random(11);
    fill(random, AccType::int32, remote, static_cast<int64_t>(local_.size()));
    std::vector<char> expected(remote, remote + local_.size());
    const std::vector<char> source = local_;
    const auto check = [&](const Operation& operation, const Pattern& pattern) {
        SCOPED_TRACE(::testing::Message() << describe(operation) << ", " << pattern);
        run(operation, pattern);
        ASSERT_TRUE(expect_equal(source, local_.data(), "local"));
        std::fill(local_.begin(), local_.begin() + pattern.local_end(), '!');
        network_->fence_all();
        std::copy(source.begin(), source.begin() + pattern.local_end(), local_.begin());
        apply(operation, pattern, local_.data(), expected.data());
        ASSERT_TRUE(expect_equal(expected, remote, "remote"));
    };
    const Operation put = {OpKind::put};
    const Operation add = {OpKind::acc, AccType::int32, 3};
    // Beside the shortest length that is sent in place, and beside that of a buffer.
    for (const int64_t near : {int64_t{32} << 10, 2 * kBufferBytes, 3 * kBufferBytes}) {
        for (int64_t bytes = near - 12; bytes <= near + 12; bytes += 1) {
            check(put, contiguous_pattern(bytes, 3, 5));
        }
        for (int64_t bytes = near - 12; bytes <= near + 12; bytes += 4) {
            check(add, contiguous_pattern(bytes, 4, 8));
        }
    }
    for (const int64_t block_bytes : {1004, 1020, 40'004}) {
        check(put, blocks_of(block_bytes, 4, false));
        check(add, blocks_of(block_bytes, 4, false));
    }
    check(add, blocks_of(1004, 300, false));
}

// Returns how many messages the origin sends for so many gets at once: a request for each, and a
// credit for each chunk but the last.
uint64_t messages_of_gets(int64_t bytes, int count, int depth) {
    NetworkOptions options;
    options.buffer_bytes = 512 << 10;
    options.memory_bytes = 1 << 20;
    TestNetwork network(options);
    EXPECT_EQ(network.error(), "");
    std::vector<char> local(static_cast<size_t>(count * bytes));
    const auto start = [&](int64_t length, int place) {
        return network.start(0, 0, Route::server,
                             make_transfer({OpKind::get}, contiguous_pattern(length, 0, 0),
                                           local.data() + place * bytes, network.memory(0)));
    };
    network.wait(*start(8, 0));  // connected
    network.origin(0).frames().depth().set(depth);
    Random random(5);
    fill(random, AccType::int32, network.memory(0), bytes);
    const uint64_t before = network.stats(0).messages_sent;
    std::vector<std::unique_ptr<pipeline::Task>> gets;
    for (int i = 0; i < count; ++i) {
        gets.push_back(start(bytes, i));
    }
    for (int i = 0; i < count; ++i) {
        network.wait(*gets[static_cast<size_t>(i)]);
        EXPECT_EQ(
            std::memcmp(local.data() + i * bytes, network.memory(0), static_cast<size_t>(bytes)),
            0);
    }
    return network.stats(0).messages_sent - before;
}

// Of several gets that fit a buffer each, the first one finds that it is alone.
TEST(LongGet, HasTwoChunksIfItIsAlone) {
    if (!TestNetwork(NetworkOptions{}).writes_chunks()) {
        GTEST_SKIP() << "this provider has no reply buffers";
    }
    constexpr int64_t kLong = 300'001;
    constexpr int64_t kShort = 250'000;
    EXPECT_EQ(messages_of_gets(kLong, 1, 0), 2U);
    EXPECT_EQ(messages_of_gets(kLong, 3, 0), 4U);
    EXPECT_EQ(messages_of_gets(kLong, 1, 1), 1U);  // nothing may overlap
    EXPECT_EQ(messages_of_gets(kShort, 1, 0), 1U);
}

std::vector<int64_t> chunks(int64_t total_bytes, int64_t largest_bytes, ChunkData data) {
    std::vector<int64_t> sizes;
    for (int64_t sent = 0; sent < total_bytes; sent += sizes.back()) {
        sizes.push_back(std::min(total_bytes - sent,
                                 chunk_room_bytes(largest_bytes, sent, total_bytes - sent, data)));
    }
    return sizes;
}

// The first chunk of a long transfer is short where it is packed. So is the last one, unless the
// whole transfer is short. No chunk is shorter.
TEST(ChunkSizes, EndsAreShort) {
    constexpr int64_t kShort = 64 << 10;
    constexpr int64_t kLargest = 512 << 10;
    using Sizes = std::vector<int64_t>;
    EXPECT_EQ(chunks(1 << 20, kLargest, ChunkData::packed),
              (Sizes{kShort, kLargest, kLargest - 2 * kShort, kShort}));
    EXPECT_EQ(chunks(1 << 20, kLargest, ChunkData::in_place),
              (Sizes{kLargest, kLargest - kShort, kShort}));
    EXPECT_EQ(chunks(kLargest, kLargest, ChunkData::in_place), (Sizes{kLargest - kShort, kShort}));
    EXPECT_EQ(chunks(2 * kShort, kLargest, ChunkData::in_place), (Sizes{2 * kShort}));
    EXPECT_EQ(chunks((1 << 20) + 1, kLargest, ChunkData::in_place),
              (Sizes{kLargest, kLargest - kShort + 1, kShort}));
    EXPECT_EQ(chunks(4 * kShort, kLargest, ChunkData::packed), (Sizes{kShort, 2 * kShort, kShort}));
    EXPECT_EQ(chunks(4 * kShort - 1, kLargest, ChunkData::packed), (Sizes{3 * kShort - 1, kShort}));
    // Short buffers are filled.
    EXPECT_EQ(chunks(3 * kShort, kShort, ChunkData::packed), (Sizes{kShort, kShort, kShort}));
}

}  // namespace
}  // namespace armci::test

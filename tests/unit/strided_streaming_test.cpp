// SPDX-License-Identifier: BSD-3-Clause
// Copies past the cache, compared with copies through it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "strided/copy_pace.h"
#include "strided/kernels.h"
#include "strided/stream_copy.h"

namespace armci::strided::test {
namespace {

std::vector<char> random_chars(size_t bytes, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<char> result(bytes);
    std::generate(result.begin(), result.end(), [&] { return static_cast<char>(random()); });
    return result;
}

// Copies use this choice while the object exists.
class Choice {
  public:
    explicit Choice(StoreChoice choice) { set_store_choice(choice); }
    ~Choice() { set_store_choice(StoreChoice::automatic); }
    Choice(const Choice&) = delete;
    Choice& operator=(const Choice&) = delete;
};

constexpr StoreChoice kAllChoices[] = {StoreChoice::automatic, StoreChoice::cached,
                                       StoreChoice::streamed, StoreChoice::probing};

class StreamRowTest : public ::testing::TestWithParam<Isa> {};

TEST_P(StreamRowTest, EveryAlignmentAndLength) {
    if (!is_isa_available(GetParam())) {
        GTEST_SKIP() << "this processor lacks the instructions";
    }
    const std::vector<char> source = random_chars(9000, 1);
    const std::vector<char> before = random_chars(9000, 2);
    for (const int64_t block_bytes :
         {1, 63, 64, 65, 127, 128, 200, 256, 1000, 2047, 2048, 2100, 4096}) {
        for (int64_t to_shift = 0; to_shift <= 64; to_shift += to_shift < 4 ? 1 : 12) {
            for (const int64_t from_shift : {0, 1, 32, 63}) {
                for (const int64_t block_count : {1, 2}) {
                    const int64_t stride = block_bytes + 5;
                    std::vector<char> target = before;
                    std::vector<char> expected = before;
                    for (int64_t i = 0; i < block_count; ++i) {
                        std::memcpy(expected.data() + to_shift + i * stride,
                                    source.data() + from_shift + i * block_bytes,
                                    static_cast<size_t>(block_bytes));
                    }
                    stream_row_with(GetParam(),
                                    {target.data() + to_shift, stride, source.data() + from_shift,
                                     block_bytes, block_bytes, block_count});
                    finish_streaming();
                    ASSERT_EQ(target, expected) << block_count << " blocks of " << block_bytes
                                                << " at " << to_shift << " from " << from_shift;
                }
            }
        }
    }
}

std::string isa_name(const ::testing::TestParamInfo<Isa>& tested) {
    constexpr const char* kNames[] = {"Baseline", "Avx2", "Avx512"};
    return kNames[static_cast<int>(tested.param)];
}

INSTANTIATE_TEST_SUITE_P(Strided, StreamRowTest, ::testing::ValuesIn(kAllIsas), isa_name);

// Large enough for many turns between both ways.
TEST(StridedStreaming, ContiguousCopies) {
    const size_t max = 3 << 20;
    const std::vector<char> source = random_chars(max, 3);
    for (const StoreChoice choice : kAllChoices) {
        const Choice chosen(choice);
        for (const size_t bytes : {size_t{100}, size_t{32} << 10, size_t{100'001}, max - 7}) {
            for (const size_t shift : {size_t{0}, size_t{7}}) {
                std::vector<char> target(max, 'x');
                copy_contiguous(source.data(), target.data() + shift, static_cast<int64_t>(bytes));
                ASSERT_EQ(std::memcmp(target.data() + shift, source.data(), bytes), 0);
                const auto is_untouched = [](char byte) { return byte == 'x'; };
                const auto begin = target.begin() + static_cast<int64_t>(shift);
                ASSERT_TRUE(std::all_of(target.begin(), begin, is_untouched));
                ASSERT_TRUE(
                    std::all_of(begin + static_cast<int64_t>(bytes), target.end(), is_untouched));
            }
        }
    }
}

TEST(StridedStreaming, ContiguousCopiesThatOverlap) {
    for (const StoreChoice choice : kAllChoices) {
        const Choice chosen(choice);
        for (const int64_t shift : {-5000, -64, -1, 0, 1, 64, 5000}) {
            constexpr int64_t kBytes = 200'000;
            std::vector<char> memory = random_chars(kBytes + 10'000, 4);
            const std::vector<char> moved(memory.begin() + 5000, memory.begin() + 5000 + kBytes);
            std::vector<char> expected = memory;
            std::copy(moved.begin(), moved.end(), expected.begin() + 5000 + shift);
            copy_contiguous(memory.data() + 5000, memory.data() + 5000 + shift, kBytes);
            ASSERT_EQ(memory, expected) << shift;
        }
    }
}

struct Case {
    int64_t block_bytes;
    int64_t block_count;
    int64_t gap;
};

constexpr Case kCases[] = {{64, 3000, 64},    {64, 3000, 8},   {128, 2000, 128}, {192, 1001, 64},
                           {256, 900, 24},    {300, 700, 1},   {1000, 300, 9},   {4096, 60, 64},
                           {4100, 60, 4},     {10'000, 40, 8}, {70'000, 5, 128}, {8, 20'000, 8},
                           {100'000, 3, 1000}};

PairLayout layout_of(const Case& shape, int64_t local_gap) {
    PairLayout layout;
    layout.levels = 2;
    layout.count[0] = shape.block_bytes;
    layout.count[1] = shape.block_count;
    layout.count[2] = 2;
    layout.local_stride[0] = shape.block_bytes + local_gap;
    layout.remote_stride[0] = shape.block_bytes + shape.gap;
    layout.local_stride[1] = layout.local_stride[0] * shape.block_count + 13;
    layout.remote_stride[1] = layout.remote_stride[0] * shape.block_count + 64;
    return layout;
}

TEST(StridedStreaming, StridedCopiesAndUnpacking) {
    for (const Case& shape : kCases) {
        SCOPED_TRACE(::testing::Message() << shape.block_count << " blocks of " << shape.block_bytes
                                          << ", gap " << shape.gap);
        for (const int64_t local_gap : {int64_t{0}, shape.gap}) {
            const PairLayout layout = layout_of(shape, local_gap);
            const auto local_bytes = static_cast<size_t>(extent(local_side(layout)).end);
            const auto remote_bytes = static_cast<size_t>(extent(remote_side(layout)).end);
            std::vector<char> local = random_chars(local_bytes, 5);
            const std::vector<char> before = random_chars(remote_bytes, 6);
            std::vector<char> expected = before;
            std::vector<char> packed;
            for_each_block(layout, local.data(), expected.data(),
                           [&](const char* from, char* to, int64_t bytes) {
                               std::memcpy(to, from, static_cast<size_t>(bytes));
                               packed.insert(packed.end(), from, from + bytes);
                           });
            for (const StoreChoice choice : kAllChoices) {
                const Choice chosen(choice);
                std::vector<char> remote = before;
                copy(layout, local.data(), remote.data(), Direction::to_remote);
                ASSERT_EQ(remote, expected);
                std::vector<char> back(local_bytes);
                copy(layout, back.data(), remote.data(), Direction::to_local);
                PairLayout both = layout;
                std::copy_n(layout.local_stride, layout.levels, both.remote_stride);
                for_each_block(both, local.data(), back.data(),
                               [&](const char* a, const char* b, int64_t bytes) {
                                   ASSERT_EQ(std::memcmp(a, b, static_cast<size_t>(bytes)), 0);
                               });
                // The pieces end inside blocks.
                for (const int64_t piece : {int64_t{65'000}, total_bytes(layout)}) {
                    remote = before;
                    StridedCursor cursor(remote.data(), remote_side(layout));
                    while (cursor.remaining() > 0) {
                        unpack(cursor, packed.data() + cursor.position(),
                               std::min(piece, cursor.remaining()));
                    }
                    ASSERT_EQ(remote, expected);
                }
            }
        }
    }
}

TEST(StridedStreaming, VectorCopiesAndUnpacking) {
    for (const Case& shape : kCases) {
        SCOPED_TRACE(::testing::Message()
                     << shape.block_count << " segments of " << shape.block_bytes);
        const auto count = static_cast<size_t>(shape.block_count);
        const auto bytes = static_cast<size_t>(shape.block_bytes);
        const auto stride = bytes + static_cast<size_t>(shape.gap);
        std::vector<char> source = random_chars(count * stride, 7);
        const std::vector<char> before = random_chars(count * stride, 8);
        std::vector<char> expected = before;
        std::vector<char> packed;
        for (size_t i = 0; i < count; ++i) {
            // In the opposite order.
            const char* from = source.data() + (count - 1 - i) * stride;
            std::memcpy(expected.data() + i * stride, from, bytes);
            packed.insert(packed.end(), from, from + bytes);
        }
        for (const StoreChoice choice : kAllChoices) {
            const Choice chosen(choice);
            std::vector<char> target = before;
            std::vector<void*> from(count);
            std::vector<void*> to(count);
            std::vector<uint64_t> addresses(count);
            for (size_t i = 0; i < count; ++i) {
                from[i] = source.data() + (count - 1 - i) * stride;
                to[i] = target.data() + i * stride;
                addresses[i] = reinterpret_cast<uint64_t>(to[i]);
            }
            copy_vector(from.data(), to.data(), shape.block_count, shape.block_bytes);
            ASSERT_EQ(target, expected);
            std::copy(before.begin(), before.end(), target.begin());
            VectorCursor cursor(addresses.data(), shape.block_count, shape.block_bytes);
            unpack(cursor, packed.data(), cursor.remaining());
            ASSERT_EQ(target, expected);
        }
    }
}

// Benchmarks measure what streaming costs and gains. This tests that a given choice is used.
TEST(StridedStreaming, FollowsTheGivenChoice) {
    {
        const Choice chosen(StoreChoice::streamed);
        CopyPace pace(nullptr, 64, 1, true);
        EXPECT_TRUE(pace.is_streaming());
        CopyPace unfit(nullptr, 64, 1, false);
        EXPECT_FALSE(unfit.is_streaming());
    }
    {
        const Choice chosen(StoreChoice::cached);
        CopyPace pace(nullptr, int64_t{1} << 40, 1, true);
        EXPECT_FALSE(pace.is_streaming());
        EXPECT_EQ(pace.left(), INT64_MAX);
    }
    CopyPace automatic(nullptr, kMinStreamedBytes, 1, true);
    EXPECT_FALSE(automatic.is_streaming()) << "begins through the cache";
    EXPECT_LT(automatic.left(), kMinStreamedBytes);
    CopyPace small(nullptr, kMinStreamedBytes - 1, 1, true);
    EXPECT_EQ(small.left(), INT64_MAX);
}

// After each piece that seemed slow a stretch is streamed, each longer than the one before.
TEST(StridedStreaming, StreamsLongerStretchesAfterSlowPieces) {
    const Choice chosen(StoreChoice::probing);
    constexpr int64_t kUnitBytes = 512;
    CopyPace pace(nullptr, int64_t{1} << 40, kUnitBytes, true);
    int64_t last_stretch = 0;
    for (int turn = 0; turn < 10; ++turn) {
        ASSERT_FALSE(pace.is_streaming());
        const int64_t piece = pace.left();
        EXPECT_LE(piece * kUnitBytes, 32 << 10);
        pace.advance(piece - 1);
        ASSERT_FALSE(pace.is_streaming()) << "in the middle of a piece";
        pace.advance(1);
        ASSERT_TRUE(pace.is_streaming());
        const int64_t stretch = pace.left();
        EXPECT_GT(stretch, piece);
        EXPECT_GE(stretch, last_stretch);
        last_stretch = stretch;
        pace.advance(stretch);
    }
    EXPECT_LE(last_stretch * kUnitBytes, 64 << 20) << "it looks again now and then";
}

// Copies that looked took 100 ticks each and streamed. Returns their number until a trial.
int looks_until_trial(CopiedPlace& place) {
    int looks = 0;
    while (!place.next_is_cached()) {
        place.looked(100, true);
        ++looks;
    }
    return looks;
}

TEST(CopiedPlace, StaysCachedWhileThatIsQuicker) {
    CopiedPlace place;
    EXPECT_GT(looks_until_trial(place), 0);
    place.cached(300, false);  // brings it into the cache
    for (int i = 0; i < 1000; ++i) {
        ASSERT_TRUE(place.next_is_cached());
        place.cached(i % 10 == 5 ? 150 : 60, false);  // interrupted sometimes
    }
    for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(place.next_is_cached());
        place.cached(150, false);
    }
    EXPECT_FALSE(place.next_is_cached());
}

TEST(CopiedPlace, UselessTrialsBecomeRare) {
    CopiedPlace place;
    int last = 0;
    for (int trial = 0; trial < 6; ++trial) {
        const int looks = looks_until_trial(place);
        EXPECT_GE(looks, trial == 1 ? 30 : last) << "a few copies see one trial at most";
        EXPECT_LE(looks, 256);
        last = looks;
        place.cached(300, false);
        for (int i = 0; i < 2; ++i) {
            ASSERT_TRUE(place.next_is_cached()) << "these show what the first was worth";
            place.cached(200, false);
        }
    }
    EXPECT_GE(last, 100);
}

TEST(CopiedPlace, OneSlowLookDoesNotDecideATrial) {
    CopiedPlace place;
    ASSERT_FALSE(place.next_is_cached());
    place.looked(300, true);
    ASSERT_FALSE(place.next_is_cached());
    place.looked(100, true);
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(place.next_is_cached());
        place.cached(200, false);
    }
    EXPECT_FALSE(place.next_is_cached());
}

TEST(CopiedPlace, LooksAtACachedPlaceOnceItIsSlow) {
    CopiedPlace place;
    for (int round = 0; round < 10; ++round) {
        ASSERT_FALSE(place.next_is_cached());
        place.looked(100, false);
        for (int i = 0; i < 100; ++i) {
            ASSERT_TRUE(place.next_is_cached());
            place.cached(100, i == 99);
        }
    }
}

TEST(CopiedPlace, RemembersWhetherTheLastCopyStreamed) {
    CopiedPlace place;
    EXPECT_FALSE(place.has_streamed());
    looks_until_trial(place);
    EXPECT_TRUE(place.has_streamed());
    place.cached(300, true);
    EXPECT_FALSE(place.has_streamed());
    place.looked(100, true);
    EXPECT_TRUE(place.has_streamed());
    place.looked(100, false);
    EXPECT_FALSE(place.has_streamed());
}

TEST(CopyHistory, FindsAPlaceByAddressAndLength) {
    CopyHistory history;
    char memory[2] = {};
    looks_until_trial(history.visit(&memory[0], 1 << 20));
    EXPECT_TRUE(history.visit(&memory[0], 1 << 20).next_is_cached());
    EXPECT_FALSE(history.visit(&memory[1], 1 << 20).next_is_cached());
    EXPECT_FALSE(history.visit(&memory[0], 2 << 20).next_is_cached());
}

TEST(CopyHistory, ForgetsPlacesThatMustHaveLeftTheCache) {
    CopyHistory history;
    char memory[65] = {};
    looks_until_trial(history.visit(&memory[0], 1 << 20));
    ASSERT_TRUE(history.visit(&memory[0], 1 << 20).next_is_cached());
    history.visit(&memory[64], 64 << 20);
    EXPECT_FALSE(history.visit(&memory[0], 1 << 20).next_is_cached());
}

TEST(StridedStreaming, StreamsOnlyAlignedLongBlocks) {
    if (!kHaveStreamingStores) {
        GTEST_SKIP() << "this processor has no streaming stores";
    }
    alignas(64) static char line[128];
    EXPECT_TRUE(is_worth_streaming(line, 128, 64));
    EXPECT_FALSE(is_worth_streaming(line, 128, 63));
    EXPECT_FALSE(is_worth_streaming(line, 100, 64));
    EXPECT_FALSE(is_worth_streaming(line + 8, 128, 64));
    EXPECT_TRUE(is_worth_streaming(line + 8, 300, 256));
}

}  // namespace
}  // namespace armci::strided::test

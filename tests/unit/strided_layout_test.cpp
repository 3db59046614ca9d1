// SPDX-License-Identifier: BSD-3-Clause
#include "strided/layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <random>

#include "strided_reference.h"

namespace armci::strided::test {
namespace {

struct Expected {
    std::vector<int64_t> count;
    std::vector<int64_t> local_stride;
    std::vector<int64_t> remote_stride;
};

void expect_pair(const PairLayout& layout, const Expected& expected) {
    ASSERT_EQ(layout.levels, static_cast<int>(expected.count.size()) - 1);
    for (int i = 0; i <= layout.levels; ++i) {
        EXPECT_EQ(layout.count[i], expected.count[i]) << "level " << i;
    }
    for (int i = 0; i < layout.levels; ++i) {
        EXPECT_EQ(layout.local_stride[i], expected.local_stride[i]) << "level " << i + 1;
        EXPECT_EQ(layout.remote_stride[i], expected.remote_stride[i]) << "level " << i + 1;
    }
}

TEST(StridedLayout, ContiguousNeedsNoStrides) {
    const int count[] = {INT_MAX};
    PairLayout layout;
    ASSERT_EQ(strided::make_pair(nullptr, nullptr, count, 0, &layout), LayoutStatus::ok);
    expect_pair(layout, {{INT_MAX}, {}, {}});
    expect_pair(contiguous_pair(int64_t{1} << 40), {{int64_t{1} << 40}, {}, {}});
}

TEST(StridedLayout, CanonicalFormMergesContiguousLevels) {
    struct Case {
        const char* name;
        Shape shape;
        Expected expected;
    };
    const Case cases[] = {
        {"nothing to merge", {{8, 3}, {16}, {20}}, {{8, 3}, {16}, {20}}},
        {"contiguous on both sides", {{8, 3, 4}, {8, 24}, {8, 24}}, {{96}, {}, {}}},
        {"contiguous on one side only", {{8, 3}, {8}, {16}}, {{8, 3}, {8}, {16}}},
        {"second level joins the block through the first",
         {{8, 3, 4}, {8, 30}, {8, 40}},
         {{24, 4}, {30}, {40}}},
        {"second level joins the first", {{8, 3, 4}, {10, 30}, {20, 60}}, {{8, 12}, {10}, {20}}},
        {"second level joins on one side only",
         {{8, 3, 4}, {10, 30}, {20, 61}},
         {{8, 3, 4}, {10, 30}, {20, 61}}},
        {"counts of one", {{8, 1, 3, 1, 1}, {5, 10, 7, -1}, {0, 20, 7, 9}}, {{8, 3}, {10}, {20}}},
        {"a count of one between mergeable levels",
         {{8, 3, 1, 4}, {8, 999, 24}, {8, 24, 24}},
         {{96}, {}, {}}},
        {"reversed rows", {{8, 3}, {-8}, {8}}, {{8, 3}, {-8}, {8}}},
        {"negative strides that go on", {{8, 3, 2}, {-8, -24}, {9, 27}}, {{8, 6}, {-8}, {9}}},
        {"zero strides", {{8, 3, 2}, {0, 0}, {8, 24}}, {{8, 6}, {0}, {8}}},
        {"stride shorter than the block", {{8, 3}, {4}, {8}}, {{8, 3}, {4}, {8}}},
        {"block of one byte", {{1, 8, 3}, {1, 16}, {1, 8}}, {{8, 3}, {16}, {8}}},
    };
    for (const Case& test : cases) {
        SCOPED_TRACE(test.name);
        expect_pair(pair_of(test.shape), test.expected);
    }
}

TEST(StridedLayout, OneSideAloneMergesFurther) {
    const PairLayout pair = pair_of({{8, 3, 4}, {8, 24}, {16, 100}});
    EXPECT_EQ(pair.levels, 2);
    const Layout local = local_side(pair);
    EXPECT_EQ(local.levels, 0);
    EXPECT_EQ(block_bytes(local), 96);
    const Layout remote = remote_side(pair);
    EXPECT_EQ(remote.levels, 2);
    EXPECT_EQ(block_bytes(remote), 8);
    EXPECT_EQ(block_count(remote), 12);
    EXPECT_EQ(extent(remote).end, 2 * 16 + 3 * 100 + 8);
}

TEST(StridedLayout, AnyCountOfZeroIsEmpty) {
    for (int position = 0; position < 4; ++position) {
        for (const int count : {0, -1, INT_MIN}) {
            Shape shape = {{INT_MAX, INT_MAX, INT_MAX, INT_MAX}, {1, 2, 3}, {4, 5, 6}};
            shape.count[position] = count;
            PairLayout layout;
            EXPECT_EQ(make_pair(shape, &layout), LayoutStatus::empty) << shape;
        }
    }
    const int count[] = {0, 5};
    PairLayout layout;
    EXPECT_EQ(strided::make_pair(nullptr, nullptr, count, 1, &layout), LayoutStatus::empty);
}

TEST(StridedLayout, LevelLimitAppliesAfterMerging) {
    PairLayout layout;
    Shape shape = {{1}, {}, {}};
    for (int i = 0; i < 40; ++i) {  // all of count 1
        shape.count.push_back(1);
        shape.local_stride.push_back(17 * i);
        shape.remote_stride.push_back(-i);
    }
    ASSERT_EQ(make_pair(shape, &layout), LayoutStatus::ok);
    expect_pair(layout, {{1}, {}, {}});

    shape = {{1}, {}, {}};
    for (int i = 0; i < 30; ++i) {  // each contiguous with the one before
        shape.count.push_back(2);
        shape.local_stride.push_back(1 << i);
        shape.remote_stride.push_back(1 << i);
    }
    ASSERT_EQ(make_pair(shape, &layout), LayoutStatus::ok);
    expect_pair(layout, {{1 << 30}, {}, {}});

    shape = {{1}, {}, {}};
    for (int i = 0; i < kMaxLevels; ++i) {  // all to be kept
        shape.count.push_back(2);
        shape.local_stride.push_back(3);
        shape.remote_stride.push_back(5);
    }
    ASSERT_EQ(make_pair(shape, &layout), LayoutStatus::ok);
    EXPECT_EQ(layout.levels, kMaxLevels);
    EXPECT_EQ(total_bytes(layout), 1 << kMaxLevels);
    shape.count.push_back(2);
    shape.local_stride.push_back(6);  // it is contiguous, so it needs no level of its own
    shape.remote_stride.push_back(10);
    ASSERT_EQ(make_pair(shape, &layout), LayoutStatus::ok);
    EXPECT_EQ(layout.levels, kMaxLevels);
    shape.remote_stride.back() = 11;
    EXPECT_EQ(make_pair(shape, &layout), LayoutStatus::too_many_levels);
}

TEST(StridedLayout, RefusesTotalsThatOverflow) {
    PairLayout layout;
    const Shape fits = {{1, INT_MAX, INT_MAX, 2}, {1, 1, 1}, {1, 1, 1}};
    ASSERT_EQ(make_pair(fits, &layout), LayoutStatus::ok);
    EXPECT_EQ(total_bytes(layout), int64_t{INT_MAX} * INT_MAX * 2);
    const Shape too_large = {{1, INT_MAX, INT_MAX, 3}, {1, 1, 1}, {1, 1, 1}};
    EXPECT_EQ(make_pair(too_large, &layout), LayoutStatus::overflow);
    const Shape far_too_large = {{INT_MAX, INT_MAX, INT_MAX, INT_MAX}, {1, 1, 1}, {1, 1, 1}};
    EXPECT_EQ(make_pair(far_too_large, &layout), LayoutStatus::overflow);
}

// Arguments of type int whose total fits always have an extent that fits. These have the widest
// ones.
TEST(StridedLayout, WidestExtentsFit) {
    const Shape shapes[] = {
        {{1, INT_MAX, INT_MAX, 2}, {INT_MAX, INT_MAX, INT_MAX}, {INT_MIN, INT_MIN, INT_MIN}},
        {{2, INT_MAX, INT_MAX}, {INT_MAX, INT_MIN}, {INT_MIN, INT_MIN}},
        {{INT_MAX, INT_MAX, 2}, {INT_MAX, INT_MAX}, {INT_MIN, INT_MAX}},
    };
    for (const Shape& shape : shapes) {
        SCOPED_TRACE(::testing::PrintToString(shape));
        const PairLayout pair = pair_of(shape);
        for (const Layout& side : {local_side(pair), remote_side(pair)}) {
            int64_t total = 0;
            Extent range = {};
            EXPECT_TRUE(validate(side, &total, &range));
            EXPECT_EQ(total, total_bytes(pair));
        }
    }
}

void expect_canonical(const PairLayout& pair) {
    for (int i = 0; i < pair.levels; ++i) {
        EXPECT_GT(pair.count[i + 1], 1);
        const int64_t local_inner = i == 0 ? 1 : pair.local_stride[i - 1];
        const int64_t remote_inner = i == 0 ? 1 : pair.remote_stride[i - 1];
        EXPECT_FALSE(local_inner * pair.count[i] == pair.local_stride[i] &&
                     remote_inner * pair.count[i] == pair.remote_stride[i])
            << "level " << i + 1 << " could be merged";
    }
}

void expect_canonical(const Layout& layout) {
    for (int i = 0; i < layout.levels; ++i) {
        EXPECT_GT(layout.count[i + 1], 1);
        const int64_t inner = i == 0 ? 1 : layout.stride[i - 1];
        EXPECT_NE(inner * layout.count[i], layout.stride[i]);
    }
}

void expect_side(const Layout& side, const std::vector<int64_t>& offsets) {
    const auto total = static_cast<int64_t>(offsets.size());
    EXPECT_EQ(offsets_of(side), offsets);
    expect_canonical(side);
    EXPECT_EQ(total_bytes(side), total);
    EXPECT_EQ(block_bytes(side) * block_count(side), total);

    const auto [low, high] = std::minmax_element(offsets.begin(), offsets.end());
    EXPECT_EQ(extent(side).begin, *low);
    EXPECT_EQ(extent(side).end, *high + 1);
    int64_t validated_total = 0;
    Extent validated_extent = {};
    ASSERT_TRUE(validate(side, &validated_total, &validated_extent));
    EXPECT_EQ(validated_total, total);
    EXPECT_EQ(validated_extent.begin, *low);
    EXPECT_EQ(validated_extent.end, *high + 1);
}

void expect_same_bytes(const Shape& shape) {
    const std::vector<int64_t> local = local_offsets(shape);
    const std::vector<int64_t> remote = remote_offsets(shape);
    const PairLayout pair = pair_of(shape);
    EXPECT_EQ(reference_offsets(pair.levels, pair.count, pair.local_stride), local);
    EXPECT_EQ(reference_offsets(pair.levels, pair.count, pair.remote_stride), remote);
    EXPECT_EQ(total_bytes(pair), static_cast<int64_t>(local.size()));
    EXPECT_EQ(block_bytes(pair) * block_count(pair), static_cast<int64_t>(local.size()));
    expect_canonical(pair);
    expect_side(local_side(pair), local);
    expect_side(remote_side(pair), remote);
}

TEST(StridedLayout, CanonicalFormKeepsTheBytesAndTheirOrder) {
    for (const Shape& shape : special_shapes()) {
        SCOPED_TRACE(::testing::PrintToString(shape));
        expect_same_bytes(shape);
    }
    for (unsigned seed = 0; seed < 2000 && !HasFailure(); ++seed) {
        std::mt19937_64 random(seed);
        const Shape shape = random_shape(random);
        SCOPED_TRACE(::testing::Message() << "seed " << seed << ": " << shape);
        expect_same_bytes(shape);
    }
}

Layout layout_of(const std::vector<int64_t>& count, const std::vector<int64_t>& stride) {
    Layout layout;
    layout.levels = static_cast<int>(stride.size());
    std::copy(count.begin(), count.end(), layout.count);
    std::copy(stride.begin(), stride.end(), layout.stride);
    return layout;
}

TEST(StridedLayout, CanonicalizeAcceptsAnyLayout) {
    Layout layout = layout_of({4, 1, 3, 2}, {77, 4, 12});
    canonicalize(&layout);
    EXPECT_EQ(layout.levels, 0);
    EXPECT_EQ(layout.count[0], 24);

    Layout empty = layout_of({4, 3, 0}, {8, 100});
    EXPECT_EQ(extent(empty).begin, 0);
    EXPECT_EQ(extent(empty).end, 0);
    canonicalize(&empty);
    EXPECT_EQ(empty.levels, 0);
    EXPECT_EQ(total_bytes(empty), 0);

    // The product of stride and count overflows, which must not look like a contiguous level.
    Layout wide = layout_of({1, 4, 2}, {int64_t{1} << 62, 0});
    canonicalize(&wide);
    EXPECT_EQ(wide.levels, 2);
}

TEST(StridedLayout, ValidateRejectsGarbage) {
    int64_t total = -1;
    Extent extent = {-1, -1};
    Layout layout = layout_of({8, 3}, {16});
    EXPECT_TRUE(validate(layout, &total, &extent));
    EXPECT_EQ(total, 24);
    total = -1;
    extent = {-1, -1};
    // Levels out of range are refused for that reason alone: all memory here reads as valid counts.
    struct {
        Layout layout;
        int64_t behind[64];
    } memory;
    std::fill(std::begin(memory.layout.count), std::end(memory.layout.count), 1);
    std::fill(std::begin(memory.layout.stride), std::end(memory.layout.stride), 1);
    std::fill(std::begin(memory.behind), std::end(memory.behind), 1);
    for (const int levels : {-1, INT_MIN, kMaxLevels + 1, 60, INT_MAX}) {
        memory.layout.levels = levels;
        EXPECT_FALSE(validate(memory.layout, &total, &extent)) << levels;
    }
    const int64_t half = int64_t{1} << 62;
    const Layout rejected[] = {
        layout_of({0}, {}),
        layout_of({-8}, {}),
        layout_of({INT64_MIN, INT64_MIN}, {1}),
        layout_of({8, 0}, {16}),
        layout_of({8, -3}, {16}),
        layout_of({8, 3, INT64_MIN}, {16, 0}),
        layout_of({half, 2}, {0}),                 // total
        layout_of({8, INT64_MAX}, {0}),            // total
        layout_of({8, 3}, {half}),                 // extent of one level
        layout_of({8, 3}, {INT64_MIN}),            // extent of one level
        layout_of({8, 2, 2}, {half, half}),        // end of the extent
        layout_of({8, 2}, {INT64_MAX - 7}),        // end of the extent by one byte
        layout_of({8, 2, 2}, {-half, -half - 1}),  // begin of the extent
        layout_of({8, 2, 2}, {half, -half}),       // length of the extent
    };
    for (const Layout& bad : rejected) {
        SCOPED_TRACE(&bad - rejected);
        EXPECT_FALSE(validate(bad, &total, &extent));
    }
    EXPECT_EQ(total, -1);
    EXPECT_EQ(extent.begin, -1);
    EXPECT_EQ(extent.end, -1);

    EXPECT_TRUE(validate(layout_of({8, 2}, {INT64_MAX - 8}), &total, &extent));
    EXPECT_EQ(extent.end, INT64_MAX);
    EXPECT_TRUE(validate(layout_of({8, 2, 2}, {half, -half + 9}), &total, &extent));
    EXPECT_EQ(extent.end - extent.begin, INT64_MAX);
    EXPECT_TRUE(validate(layout_of({INT64_MAX}, {}), &total, &extent));
}

// The same decision in 128-bit arithmetic, where no step can overflow.
bool reference_validate(const Layout& layout) {
    constexpr __int128 kHighest = INT64_MAX;
    if (layout.levels < 0 || layout.levels > kMaxLevels || layout.count[0] <= 0) {
        return false;
    }
    __int128 total = layout.count[0];
    __int128 begin = 0;
    __int128 end = total;
    for (int i = 0; i < layout.levels; ++i) {
        if (layout.count[i + 1] <= 0) {
            return false;
        }
        total *= layout.count[i + 1];
        const __int128 reach = __int128{layout.count[i + 1] - 1} * layout.stride[i];
        (reach < 0 ? begin : end) += reach;
        if (total > kHighest || end - begin > kHighest) {
            return false;
        }
    }
    return true;
}

TEST(StridedLayout, ValidateAgreesWithWideArithmetic) {
    int accepted = 0;
    int rejected = 0;
    for (unsigned seed = 0; seed < 20000 && !HasFailure(); ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        std::mt19937_64 random(seed);
        Layout layout;
        for (int64_t& count : layout.count) {
            count = static_cast<int64_t>(random() >> random_between(random, 0, 63));
        }
        for (int64_t& stride : layout.stride) {
            stride = static_cast<int64_t>(random()) >> random_between(random, 0, 63);
        }
        layout.levels = random_between(random, -1, 6);
        if (random_between(random, 0, 20) == 0) {
            layout.levels = random_between(random, INT_MIN, INT_MAX);
        }
        int64_t total = 0;
        Extent range = {};
        const bool valid = validate(layout, &total, &range);
        EXPECT_EQ(valid, reference_validate(layout));
        if (valid) {
            EXPECT_EQ(total, total_bytes(layout));
            EXPECT_EQ(range.begin, extent(layout).begin);
            EXPECT_EQ(range.end, extent(layout).end);
            Layout canonical = layout;
            canonicalize(&canonical);
            EXPECT_EQ(total_bytes(canonical), total);
        }
        ++(valid ? accepted : rejected);
    }
    EXPECT_GT(accepted, 1000);
    EXPECT_GT(rejected, 1000);
}

std::vector<uint64_t> evenly(uint64_t first, uint64_t distance, size_t count) {
    std::vector<uint64_t> addresses(count);
    for (size_t i = 0; i < count; ++i) {
        addresses[i] = first + i * distance;
    }
    return addresses;
}

bool are_rows(const std::vector<uint64_t>& local, const std::vector<uint64_t>& remote,
              int64_t bytes, PairLayout* pair) {
    return make_pair_of_segments(local.data(), remote.data(), static_cast<int64_t>(local.size()),
                                 bytes, pair);
}

TEST(StridedLayout, BlocksAtEqualDistancesAreRows) {
    PairLayout pair;
    for (const size_t count : {2, 3, 32, 33, 34, 1000}) {
        const auto rows = static_cast<int64_t>(count);
        ASSERT_TRUE(are_rows(evenly(4096, 24, count), evenly(1 << 20, 100, count), 8, &pair));
        expect_pair(pair, {{8, rows}, {24}, {100}});
        ASSERT_TRUE(are_rows(evenly(4096, 8, count), evenly(1 << 20, 100, count), 8, &pair));
        expect_pair(pair, {{8, rows}, {8}, {100}});
        ASSERT_TRUE(are_rows(evenly(4096, 8, count), evenly(1 << 20, 8, count), 8, &pair));
        expect_pair(pair, {{8 * rows}, {}, {}});
    }
    ASSERT_TRUE(are_rows({4096}, {8192}, 8, &pair));
    expect_pair(pair, {{8}, {}, {}});
}

TEST(StridedLayout, OtherBlocksAreNoRows) {
    PairLayout pair;
    constexpr size_t kCount = 100;
    const std::vector<uint64_t> even = evenly(4096, 16, kCount);
    for (size_t i = 0; i < kCount; ++i) {
        for (const int64_t change : {-1, 1, 16}) {
            std::vector<uint64_t> uneven = even;
            uneven[i] += static_cast<uint64_t>(change);
            EXPECT_FALSE(are_rows(even, uneven, 8, &pair)) << i;
            EXPECT_FALSE(are_rows(uneven, even, 8, &pair)) << i;
        }
    }
    // Overlapping, repeated, and listed backwards.
    for (const uint64_t distance : {uint64_t{15}, uint64_t{0}, uint64_t{0} - 16}) {
        EXPECT_FALSE(are_rows(even, evenly(1 << 20, distance, kCount), 16, &pair));
        EXPECT_FALSE(are_rows(evenly(1 << 20, distance, kCount), even, 16, &pair));
    }
    // Around the end of the address space.
    const uint64_t quarter = uint64_t{1} << 62;
    EXPECT_FALSE(are_rows(even, evenly(0, quarter, kCount), 8, &pair));
    EXPECT_FALSE(are_rows(evenly(quarter, quarter, 4), evenly(4096, 16, 4), 8, &pair));
    EXPECT_FALSE(are_rows(evenly(0, quarter, 3), evenly(4096, 16, 3), 8, &pair))
        << "longer than any memory";
    EXPECT_TRUE(are_rows(evenly(0, quarter, 2), evenly(4096, 16, 2), 8, &pair));
}

TEST(StridedLayout, EncloseFindsTheExtentOfBlocksAnywhere) {
    char memory[4 * sizeof(uint64_t) + 1];
    const uint64_t addresses[] = {300, 100, UINT64_MAX - 15, 200};
    std::memcpy(memory + 1, addresses, sizeof addresses);
    const auto* unaligned = reinterpret_cast<const uint64_t*>(memory + 1);
    const auto expect = [](const AddressRange& range, uint64_t begin, uint64_t bytes) {
        EXPECT_EQ(range.begin, begin);
        EXPECT_EQ(range.bytes, bytes);
    };
    expect(enclose(unaligned, 2, 16), 100, 216);
    expect(enclose(unaligned, 4, 8), 100, UINT64_MAX - 107);
    expect(enclose(unaligned, 4, 15), 100, UINT64_MAX - 100);
    expect(enclose(unaligned, 4, 16), 0, 0);  // ends with the address space
    expect(enclose(unaligned, 4, 108), 0, 0);
    // Near each other, but on both sides of the end of the address space.
    for (const auto& [first, second] :
         {std::pair<uint64_t, uint64_t>{8, UINT64_MAX - 15}, {UINT64_MAX - 15, 8}}) {
        const uint64_t around[] = {first, second};
        expect(enclose(around, 2, 8), 8, UINT64_MAX - 15);
    }
    const uint64_t same[] = {64, 64};
    expect(enclose(same, 2, 8), 64, 8);
}

}  // namespace
}  // namespace armci::strided::test

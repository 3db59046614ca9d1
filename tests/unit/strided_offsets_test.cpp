// SPDX-License-Identifier: BSD-3-Clause
// Addresses as offsets, compared with plain arithmetic.
#include "strided/offsets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

namespace armci::strided::test {
namespace {

constexpr uint64_t kTwoGiB = uint64_t{1} << 31;

// At an odd place in memory.
class Unaligned {
  public:
    explicit Unaligned(const std::vector<uint64_t>& addresses)
        : memory_(addresses.size() * sizeof(uint64_t) + 1) {
        std::memcpy(memory_.data() + 1, addresses.data(), addresses.size() * sizeof(uint64_t));
    }
    const uint64_t* data() const { return reinterpret_cast<const uint64_t*>(memory_.data() + 1); }

  private:
    std::vector<char> memory_;
};

struct Addresses {
    std::vector<uint64_t> addresses;
    int64_t lowest = INT64_MAX;  // as offsets from base
    int64_t highest = INT64_MIN;
};

// At random from the 4 GiB that begin at base + first; they may wrap around zero.
Addresses make_addresses(std::mt19937_64& random, int64_t count, uint64_t base, int64_t first) {
    Addresses made;
    for (int64_t i = 0; i < count; ++i) {
        const int64_t offset = first + static_cast<int64_t>(random() % (2 * kTwoGiB));
        made.addresses.push_back(base + static_cast<uint64_t>(offset));
        made.lowest = std::min(made.lowest, offset);
        made.highest = std::max(made.highest, offset);
    }
    return made;
}

TEST(StridedOffsets, FindsLowestAndHighestAroundAnyAddress) {
    std::mt19937_64 random(1);
    for (const uint64_t base : {uint64_t{0x2000'0000'0000}, uint64_t{100}, UINT64_MAX - 100}) {
        for (int64_t count = 1; count < 70; ++count) {
            const Addresses made =
                make_addresses(random, count, base, -static_cast<int64_t>(kTwoGiB));
            int32_t low = 0;
            int32_t high = 0;
            ASSERT_TRUE(find_offsets(Unaligned(made.addresses).data(), count, base, &low, &high));
            EXPECT_EQ(low, made.lowest);
            EXPECT_EQ(high, made.highest);
        }
    }
}

TEST(StridedOffsets, EncodesAndDecodesAnyNumber) {
    std::mt19937_64 random(2);
    for (const uint64_t base : {uint64_t{0x2000'0000'0000}, uint64_t{0}, UINT64_MAX - 100}) {
        for (int64_t count = 1; count < 70; ++count) {
            const Addresses made = make_addresses(random, count, base, 0);
            const std::vector<uint64_t>& addresses = made.addresses;
            std::vector<char> offsets(addresses.size() * sizeof(uint32_t) + 2, 77);
            write_offsets(Unaligned(addresses).data(), count, base, offsets.data() + 1);
            EXPECT_EQ(offsets.front(), 77);
            EXPECT_EQ(offsets.back(), 77);
            std::vector<uint64_t> again(addresses.size() + 1, 77);
            const OffsetRange range = read_offsets(offsets.data() + 1, count, base, again.data());
            EXPECT_EQ(range.lowest, made.lowest);
            EXPECT_EQ(range.highest, made.highest);
            EXPECT_EQ(again.back(), 77U);
            again.pop_back();
            EXPECT_EQ(again, addresses);
        }
    }
}

TEST(StridedOffsets, FindsAnOffsetThatDoesNotFitAtEveryPlace) {
    constexpr uint64_t kFrom = 0x2000'0000'0000;
    int32_t low = 0;
    int32_t high = 0;
    for (size_t count = 1; count < 40; ++count) {
        for (size_t place = 0; place < count; ++place) {
            std::vector<uint64_t> addresses(count, kFrom);
            const auto fits = [&](uint64_t address) {
                addresses[place] = address;
                return find_offsets(addresses.data(), static_cast<int64_t>(count), kFrom, &low,
                                    &high);
            };
            EXPECT_TRUE(fits(kFrom + kTwoGiB - 1));
            EXPECT_TRUE(fits(kFrom - kTwoGiB));
            EXPECT_FALSE(fits(kFrom + kTwoGiB));
            EXPECT_FALSE(fits(kFrom - kTwoGiB - 1));
            EXPECT_FALSE(fits(kFrom + (uint64_t{1} << 32)));
            EXPECT_FALSE(fits(0));
            EXPECT_FALSE(fits(UINT64_MAX));
        }
    }
}

}  // namespace
}  // namespace armci::strided::test

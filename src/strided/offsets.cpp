// SPDX-License-Identifier: BSD-3-Clause
// This file is compiled with -O3 (CMakeLists.txt), because vector instructions make these loops
// faster.
#include "strided/offsets.h"

#include <algorithm>
#include <cstring>

#include "strided/address_at.h"

namespace armci::strided {

bool find_offsets(const uint64_t* addresses, int64_t count, uint64_t base, int32_t* lowest,
                  int32_t* highest) {
    constexpr uint64_t kHalf = uint64_t{1} << 31;
    // Several minima are computed side by side, because each comparison would wait for the one
    // before.
    constexpr int kLanes = 16;
    uint64_t too_far = 0;
    int32_t low[kLanes];
    int32_t high[kLanes];
    std::fill_n(low, kLanes, INT32_MAX);
    std::fill_n(high, kLanes, INT32_MIN);
    const auto look = [&](int64_t index, int lane) {
        const uint64_t distance = address_at(addresses, index) - base;
        too_far |= (distance + kHalf) >> 32;
        const auto offset = static_cast<int32_t>(distance);
        low[lane] = std::min(low[lane], offset);
        high[lane] = std::max(high[lane], offset);
    };
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        for (int lane = 0; lane < kLanes; ++lane) {
            look(i + lane, lane);
        }
    }
    for (; i < count; ++i) {
        look(i, 0);
    }
    if (too_far != 0) {
        return false;
    }
    *lowest = *std::min_element(low, low + kLanes);
    *highest = *std::max_element(high, high + kLanes);
    return true;
}

void write_offsets(const uint64_t* addresses, int64_t count, uint64_t base, void* offsets) {
    auto* out = static_cast<char*>(offsets);
    for (int64_t i = 0; i < count; ++i) {
        const auto offset = static_cast<uint32_t>(address_at(addresses, i) - base);
        std::memcpy(out + i * int64_t{sizeof offset}, &offset, sizeof offset);
    }
}

OffsetRange read_offsets(const void* offsets, int64_t count, uint64_t base, uint64_t* addresses) {
    const auto* in = static_cast<const char*>(offsets);
    OffsetRange range{UINT32_MAX, 0};
    for (int64_t i = 0; i < count; ++i) {
        uint32_t offset = 0;
        std::memcpy(&offset, in + i * int64_t{sizeof offset}, sizeof offset);
        addresses[i] = base + offset;
        range.lowest = std::min(range.lowest, offset);
        range.highest = std::max(range.highest, offset);
    }
    return range;
}

}  // namespace armci::strided

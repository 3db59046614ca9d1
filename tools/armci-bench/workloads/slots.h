// SPDX-License-Identifier: BSD-3-Clause
// Places for the operations that are under way together. Each works on memory of its own, up to a
// limit of memory; beyond that they share.
#pragma once

#include "armci-bench/options/options.h"
#include "armci-bench/workloads/row.h"

#include <algorithm>
#include <cstdint>

namespace armci::bench {

struct Slots {
    int64_t count = 1;
    int64_t local_bytes = 0;  // of one slot, a multiple of a cache line
    int64_t remote_bytes = 0;
};

inline Slots make_slots(const Row& row, const Options& options) {
    constexpr int64_t kLineBytes = 64;
    constexpr int64_t kMemoryBytes = int64_t{16} << 20;
    const auto round_up = [](int64_t bytes) {
        return std::max((bytes + kLineBytes - 1) / kLineBytes, int64_t{1}) * kLineBytes;
    };
    Slots slots;
    slots.local_bytes = round_up(row.shape.local_span_bytes());
    slots.remote_bytes = round_up(row.shape.remote_span_bytes());
    if (row.mode == Mode::window) {
        const int64_t room = kMemoryBytes / std::max(slots.local_bytes, slots.remote_bytes);
        slots.count = std::clamp<int64_t>(room, 1, options.window);
    }
    return slots;
}

}  // namespace armci::bench

// SPDX-License-Identifier: BSD-3-Clause
// Places that operations work on in turn: those that are under way together, up to a limit of
// memory, or those of a working set.
#pragma once

#include "armci-bench/options/options.h"
#include "armci-bench/workloads/row.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

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
    if (options.working_set_bytes > 0 && verb_of(row.op) != Verb::other && !is_overlap(row.op)) {
        const int64_t room =
            options.working_set_bytes / std::max(slots.local_bytes, slots.remote_bytes);
        slots.count = std::max<int64_t>(room, 1);
    } else if (row.mode == Mode::window) {
        const int64_t room = kMemoryBytes / std::max(slots.local_bytes, slots.remote_bytes);
        slots.count = std::clamp<int64_t>(room, 1, options.window);
    }
    return slots;
}

// A step that leads through all slots, modulo their number: the golden section of that number, so
// that neighbours do not follow each other. It is less than their number.
inline int64_t mixed_step(int64_t count) {
    auto step = static_cast<int64_t>(0.618 * static_cast<double>(count)) + 1;
    while (std::gcd(step, count) != 1) {
        step++;
    }
    return step % count;
}

}  // namespace armci::bench

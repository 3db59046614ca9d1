// SPDX-License-Identifier: BSD-3-Clause
// A transfer between nodes: what the API call asked for, after checking and in canonical form.
#pragma once

#include <cstdint>
#include <memory>

#include "base/stats.h"
#include "strided/cursor.h"
#include "strided/kernels.h"
#include "strided/layout.h"
#include "wire/frame.h"

namespace armci::pipeline {

// Equal segments on both sides. The arrays are the caller's while its call lasts; what goes on
// after that owns copies in `owned` (local addresses first).
struct VectorSegments {
    const uint64_t* local = nullptr;
    const uint64_t* remote = nullptr;
    int64_t count = 0;
    int64_t segment_bytes = 0;
    strided::AddressRange remote_extent;  // around the remote side
    std::unique_ptr<uint64_t[]> owned;

    // Those whose index `wanted` says yes to, owned.
    template <class Wanted>
    VectorSegments select(Wanted&& wanted) const {
        VectorSegments chosen;
        chosen.segment_bytes = segment_bytes;
        for (int64_t i = 0; i < count; ++i) {
            chosen.count += wanted(i) ? 1 : 0;
        }
        chosen.owned = std::make_unique<uint64_t[]>(2 * static_cast<size_t>(chosen.count));
        uint64_t* to = chosen.owned.get();
        for (int64_t i = 0; i < count; ++i) {
            if (wanted(i)) {
                to[0] = local[i];
                to[chosen.count] = remote[i];
                ++to;
            }
        }
        chosen.local = chosen.owned.get();
        chosen.remote = chosen.owned.get() + chosen.count;
        if (chosen.count > 0) {
            chosen.remote_extent = strided::enclose(chosen.remote, chosen.count, segment_bytes);
        }
        return chosen;
    }

    void own() {
        if (owned) {
            return;
        }
        owned = std::make_unique<uint64_t[]>(2 * static_cast<size_t>(count));
        std::memcpy(owned.get(), local, sizeof(uint64_t) * static_cast<size_t>(count));
        std::memcpy(owned.get() + count, remote, sizeof(uint64_t) * static_cast<size_t>(count));
        local = owned.get();
        remote = owned.get() + count;
    }
};

struct Transfer {
    const char* function = "";  // the public name, for messages
    base::OpKind op = base::OpKind::put;
    int target = 0;  // world rank
    // As frames have it. Not wire::kGlobal: some or all of the remote side is attached memory.
    uint32_t owner = wire::kGlobal;
    int64_t total_bytes = 0;

    bool is_vector = false;
    bool is_local_apart = false;  // strided: what lies between the local blocks need not be memory
    char* local = nullptr;        // strided: base pointers, and the layout of both sides
    uint64_t remote = 0;
    strided::PairLayout pair;
    VectorSegments segments;  // vector

    strided::AccScale scale;  // accumulate
};

}  // namespace armci::pipeline

// SPDX-License-Identifier: BSD-3-Clause
// Walks both sides of a strided transfer together.
#pragma once

#include <cstdint>

#include "strided/layout.h"

namespace armci::strided {

// Blocks of one length, at one distance on each side.
struct PairRow {
    char* local;
    char* remote;
    int64_t local_stride;
    int64_t remote_stride;
    int64_t block_count;
};

// Calls f(const PairRow&) for the blocks of each level-1 row, in order.
template <class Function>
void for_each_row(const PairLayout& layout, char* local, char* remote, Function&& f) {
    if (layout.levels == 0) {
        if (layout.count[0] > 0) {
            f(PairRow{local, remote, 0, 0, 1});
        }
        return;
    }
    int64_t index[kMaxLevels] = {};
    for (;;) {
        f(PairRow{local, remote, layout.local_stride[0], layout.remote_stride[0], layout.count[1]});
        int level = 1;
        for (; level < layout.levels; ++level) {
            if (index[level] + 1 < layout.count[level + 1]) {
                ++index[level];
                local = offset_by(local, layout.local_stride[level]);
                remote = offset_by(remote, layout.remote_stride[level]);
                break;
            }
            local = offset_by(local, -index[level] * layout.local_stride[level]);
            remote = offset_by(remote, -index[level] * layout.remote_stride[level]);
            index[level] = 0;
        }
        if (level == layout.levels) {
            return;
        }
    }
}

// Calls f(char* local_block, char* remote_block, int64_t block_bytes) for each block, with level 1
// running fastest.
template <class Function>
void for_each_block(const PairLayout& layout, char* local, char* remote, Function&& f) {
    for_each_row(layout, local, remote, [&](PairRow row) {
        for (int64_t i = 0; i < row.block_count; ++i) {
            f(row.local, row.remote, layout.count[0]);
            row.local = offset_by(row.local, row.local_stride);
            row.remote = offset_by(row.remote, row.remote_stride);
        }
    });
}

}  // namespace armci::strided

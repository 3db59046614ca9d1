// SPDX-License-Identifier: BSD-3-Clause
// The argument of kernels that copy many blocks in one call.
#pragma once

#include <cstdint>

namespace armci::strided {

// Blocks of one length, at one distance on each side.
struct BlockRow {
    char* to;
    int64_t to_stride;
    const char* from;
    int64_t from_stride;
    int64_t block_bytes;
    int64_t block_count;
};

}  // namespace armci::strided

// What kernels that copy many runs in one call are given.
#pragma once

#include <cstdint>

namespace armci::strided {

// Equal runs at a distance of their own on each side.
struct RunRow {
    char* to;
    int64_t to_stride;
    const char* from;
    int64_t from_stride;
    int64_t run_bytes;
    int64_t run_count;
};

}  // namespace armci::strided

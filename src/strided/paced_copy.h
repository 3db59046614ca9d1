// Copying runs piece by piece, each piece in the way that CopyPace chooses.
#pragma once

#include <algorithm>
#include <cstring>

#include "strided/copy_pace.h"
#include "strided/stream_copy.h"

namespace armci::strided {

// Longer runs are copied piece by piece, shorter ones in a loop made for their length.
inline constexpr int64_t kLongRunBytes = 4 << 10;

// What the pace of a copy of such runs counts in.
constexpr int64_t pace_unit(int64_t run_bytes) {
    return run_bytes > kLongRunBytes ? 1 : run_bytes;
}

// One long run; `pace` counts in bytes.
inline void copy_long_run(CopyPace& pace, char* to, const char* from, int64_t bytes) {
    while (bytes > 0) {
        const int64_t piece = std::min(bytes, pace.left());
        if (pace.is_streaming()) {
            stream_run(to, from, piece);
        } else {
            std::memmove(to, from, static_cast<size_t>(piece));
        }
        pace.advance(piece);
        to += piece;
        from += piece;
        bytes -= piece;
    }
}

// Short runs; `pace` counts in runs. The one or the other function copies the next so many.
template <class Cached, class Streamed>
void copy_short_runs(CopyPace& pace, int64_t run_count, Cached&& cached, Streamed&& streamed) {
    while (run_count > 0) {
        const int64_t piece = std::min(run_count, pace.left());
        if (pace.is_streaming()) {
            streamed(piece);
        } else {
            cached(piece);
        }
        pace.advance(piece);
        run_count -= piece;
    }
}

}  // namespace armci::strided

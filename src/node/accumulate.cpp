#include "node/accumulate.h"

#include <algorithm>

#include "strided/cursor.h"

namespace armci::node {

void LockedAccumulator::add(const void* source, void* target, int64_t bytes) {
    for_each_stripe(
        scale_, static_cast<const char*>(source), static_cast<char*>(target), bytes,
        [&](const strided::AccScale& scale, char* to, const char* from, int64_t piece_bytes) {
            hold(StripedLocks::stripe_of(to));
            strided::accumulate(scale, to, from, piece_bytes);
        });
}

void LockedAccumulator::add_row(const char* source, char* target, int64_t run_bytes, int64_t stride,
                                int64_t run_count) {
    while (run_count > 0) {
        // Runs that lie in this stripe altogether go under one lock, in one loop.
        const int64_t room = StripedLocks::bytes_to_boundary(target) - run_bytes;
        int64_t together = 0;
        if (room >= 0) {
            together = stride > 0 ? std::min(run_count, room / stride + 1) : 1;
        }
        if (together > 1) {
            hold(StripedLocks::stripe_of(target));
            strided::accumulate_row(scale_, {target, stride, source, run_bytes, together});
        } else {
            add(source, target, run_bytes);
            together = 1;
        }
        source += together * run_bytes;
        target = strided::offset_by(target, together * stride);
        run_count -= together;
    }
}

strided::AccScale component_scale(strided::AccType type) {
    strided::AccScale one{};
    one.type = type;
    if (type == strided::AccType::complex64) {
        one.type = strided::AccType::float32;
    } else if (type == strided::AccType::complex128) {
        one.type = strided::AccType::float64;
    }
    one.is_one = true;
    return one;
}

}  // namespace armci::node

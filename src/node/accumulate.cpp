#include "node/accumulate.h"

#include <algorithm>

#include "strided/cursor.h"

namespace armci::node {

void LockedAccumulator::add(const void* source, void* target, int64_t bytes) {
    if (bytes <= StripedLocks::bytes_to_boundary(target)) [[likely]] {
        hold(StripedLocks::stripe_of(target));
        strided::accumulate(scale_, target, source, bytes);
        return;
    }
    for_each_stripe(
        scale_, static_cast<const char*>(source), static_cast<char*>(target), bytes,
        [&](const strided::AccScale& scale, char* to, const char* from, int64_t piece_bytes) {
            hold(StripedLocks::stripe_of(to));
            strided::accumulate(scale, to, from, piece_bytes);
        });
}

void LockedAccumulator::add_row(const strided::AccRow& row) {
    strided::AccRow left = row;
    while (left.run_count > 0) {
        // Runs that lie in this stripe altogether go under one lock, in one loop.
        char* target = static_cast<char*>(left.target);
        const int64_t room = StripedLocks::bytes_to_boundary(target) - row.run_bytes;
        int64_t together = 0;
        if (room >= 0) {
            together =
                row.target_stride > 0 ? std::min(left.run_count, room / row.target_stride + 1) : 1;
        }
        if (together > 1) {
            hold(StripedLocks::stripe_of(target));
            strided::AccRow within = left;
            within.run_count = together;
            strided::accumulate_row(scale_, within);
        } else {
            add(left.source, target, row.run_bytes);
            together = 1;
        }
        left.source = strided::offset_by(left.source, together * row.source_stride);
        left.target = strided::offset_by(target, together * row.target_stride);
        left.run_count -= together;
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

void accumulate(StripedLocks& locks, const strided::AccScale& scale,
                const strided::PairLayout& layout, char* local, char* remote) {
    LockedAccumulator accumulator(locks, scale);
    strided::for_each_row(layout, local, remote, [&](const auto& row) {
        accumulator.add_row({row.remote, row.remote_stride, row.local, row.local_stride,
                             layout.count[0], row.run_count});
    });
}

}  // namespace armci::node

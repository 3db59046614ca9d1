#include "node/accumulate.h"

#include <algorithm>
#include <cstring>

#include "strided/cursor.h"

namespace armci::node {

void LockedAccumulator::add(const void* source, void* target, int64_t bytes) {
    if (bytes <= StripedLocks::bytes_to_boundary(target)) [[likely]] {
        hold(StripedLocks::stripe_of(target));
        strided::accumulate(scale_, target, source, bytes);
        return;
    }
    const int64_t element_bytes = strided::element_bytes(scale_.type);
    const char* from = static_cast<const char*>(source);
    char* to = static_cast<char*>(target);
    while (bytes > 0) {
        const int64_t to_boundary = StripedLocks::bytes_to_boundary(to);
        int64_t piece = std::min(bytes, to_boundary);
        piece -= piece % element_bytes;
        if (piece > 0) {
            hold(StripedLocks::stripe_of(to));
            strided::accumulate(scale_, to, from, piece);
        } else {
            add_across_boundary(from, to);
            piece = element_bytes;
        }
        from += piece;
        to += piece;
        bytes -= piece;
    }
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

// A complex element may be aligned to its component only, and then lie on both sides of a stripe
// boundary. Atomicity is per component: scale first, then add each component under its own lock.
void LockedAccumulator::add_across_boundary(const char* source, char* target) {
    alignas(16) char scaled[16] = {};
    const int64_t element_bytes = strided::element_bytes(scale_.type);
    const int64_t component_bytes = strided::basic_bytes(scale_.type);
    strided::accumulate(scale_, scaled, source, element_bytes);

    strided::AccType component = scale_.type;
    if (component == strided::AccType::complex64) {
        component = strided::AccType::float32;
    } else if (component == strided::AccType::complex128) {
        component = strided::AccType::float64;
    }
    strided::AccScale one{};
    one.type = component;
    one.is_one = true;
    for (int64_t done = 0; done < element_bytes; done += component_bytes) {
        hold(StripedLocks::stripe_of(target + done));
        strided::accumulate(one, target + done, scaled + done, component_bytes);
    }
}

}  // namespace armci::node

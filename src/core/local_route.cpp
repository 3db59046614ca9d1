// SPDX-License-Identifier: BSD-3-Clause
#include "core/local_route.h"

#include <cstring>

#include "node/accumulate.h"

namespace armci::core {
namespace {

void run_strided(Runtime& runtime, const pipeline::Transfer& transfer) {
    auto* remote = reinterpret_cast<char*>(transfer.remote);
    switch (transfer.op) {
        case base::OpKind::put:
            strided::copy(transfer.pair, transfer.local, remote, strided::Direction::to_remote);
            return;
        case base::OpKind::get:
            strided::copy(transfer.pair, transfer.local, remote, strided::Direction::to_local);
            return;
        case base::OpKind::acc:
            node::accumulate(runtime.heap.stripes(), transfer.scale, transfer.pair, transfer.local,
                             remote);
            return;
    }
}

void* const* as_pointers(const uint64_t* addresses) {
    return reinterpret_cast<void* const*>(addresses);
}

void run_vector(Runtime& runtime, const pipeline::Transfer& transfer) {
    const pipeline::VectorSegments& segments = transfer.segments;
    switch (transfer.op) {
        case base::OpKind::put:
            strided::copy_vector(as_pointers(segments.local), as_pointers(segments.remote),
                                 segments.count, segments.segment_bytes);
            return;
        case base::OpKind::get:
            strided::copy_vector(as_pointers(segments.remote), as_pointers(segments.local),
                                 segments.count, segments.segment_bytes);
            return;
        case base::OpKind::acc:
            node::accumulate(
                runtime.heap.stripes(), transfer.scale,
                {segments.remote, segments.local, nullptr, segments.segment_bytes, segments.count});
            return;
    }
}

}  // namespace

void run_local(Runtime& runtime, const pipeline::Transfer& transfer) {
    // One's own attached memory is like any other.
    if (transfer.owner != wire::kGlobal && transfer.target != runtime.world.rank) {
        run_attached(runtime, transfer);
    } else if (transfer.is_vector) {
        run_vector(runtime, transfer);
    } else {
        run_strided(runtime, transfer);
    }
}

}  // namespace armci::core

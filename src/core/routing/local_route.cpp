// SPDX-License-Identifier: BSD-3-Clause
#include "core/routing/local_route.h"

#include "node/accumulate.h"

namespace armci::core {

void run_local(node::NodeHeap& heap, AttachedMemory& attached, const pipeline::Transfer& transfer) {
    // A rank's own attached memory is like any other memory of it.
    if (transfer.place.owner != wire::kGlobal && transfer.target != attached.own_rank()) {
        attached.run(transfer);
        return;
    }
    switch (transfer.op) {
        case base::OpKind::put:
            strided::copy(transfer.sides, strided::Direction::to_remote);
            return;
        case base::OpKind::get:
            strided::copy(transfer.sides, strided::Direction::to_local);
            return;
        case base::OpKind::acc:
            node::accumulate(heap.stripes(), transfer.scale, transfer.sides);
            return;
    }
}

}  // namespace armci::core

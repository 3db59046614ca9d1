// SPDX-License-Identifier: BSD-3-Clause
#include "core/local_route.h"

#include "node/accumulate.h"

namespace armci::core {

void run_local(Runtime& runtime, const pipeline::Transfer& transfer) {
    // One's own attached memory is like any other.
    if (transfer.owner != wire::kGlobal && transfer.target != runtime.world.rank) {
        run_attached(runtime, transfer);
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
            node::accumulate(runtime.heap.stripes(), transfer.scale, transfer.sides);
            return;
    }
}

}  // namespace armci::core

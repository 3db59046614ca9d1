// SPDX-License-Identifier: BSD-3-Clause
// Owners of libfabric objects.
#pragma once

#include <rdma/fabric.h>

#include <memory>

namespace armci::bench {

struct FidClose {
    template <class Fid>
    void operator()(Fid* object) const {
        fi_close(&object->fid);
    }
};

template <class Fid>
using FidPtr = std::unique_ptr<Fid, FidClose>;

}  // namespace armci::bench

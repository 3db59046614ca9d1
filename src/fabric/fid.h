// SPDX-License-Identifier: BSD-3-Clause
// Move-only owners of libfabric objects.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_rma.h>

#include <memory>

#include "base/log.h"

namespace armci::fabric {

struct FidClose {
    template <class Fid>
    void operator()(Fid* object) const {
        if (const int error = fi_close(&object->fid); error != 0) {
            ARMCI_LOG_DEBUG("fi_close (class %zu): %s", object->fid.fclass, fi_strerror(-error));
        }
    }
};

template <class Fid>
using FidPtr = std::unique_ptr<Fid, FidClose>;

struct InfoFree {
    void operator()(fi_info* info) const { fi_freeinfo(info); }
};
using InfoPtr = std::unique_ptr<fi_info, InfoFree>;

}  // namespace armci::fabric

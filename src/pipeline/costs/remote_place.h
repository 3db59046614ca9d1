// SPDX-License-Identifier: BSD-3-Clause
// Where bytes of another node's rank are. The check of a call's arguments finds it, and nothing
// looks it up again.
#pragma once

#include <cstdint>

#include "wire/frame.h"

namespace armci::pipeline {

struct RemotePlace {
    // The owner as frames have it. If it is not wire::kGlobal, the bytes are attached memory, some
    // or all of them.
    uint32_t owner = wire::kGlobal;
    int32_t server = 0;  // the data server that all requests for these bytes go to
    // Whether all of them may be accessed by RMA. Only then have the next two a meaning.
    bool is_registered = false;
    uint64_t key = 0;
    uint64_t rma_distance = 0;  // from an address there to its address for RMA, modulo 2^64

    friend bool operator==(const RemotePlace&, const RemotePlace&) = default;
};

}  // namespace armci::pipeline

// SPDX-License-Identifier: BSD-3-Clause
// A transfer between nodes: what the API call asked for, checked and in canonical form.
#pragma once

#include <cstdint>

#include "base/stats.h"
#include "strided/kernels.h"
#include "strided/sides.h"
#include "wire/frame.h"

namespace armci::pipeline {

struct Transfer {
    const char* function = "";  // the public name, for error text
    base::OpKind op = base::OpKind::put;
    int target = 0;  // world rank
    // The owner as frames have it. If it is not wire::kGlobal, some or all of the remote side is
    // attached memory.
    uint32_t owner = wire::kGlobal;
    int64_t total_bytes = 0;

    // The address arrays of a vector belong to the caller while its call lasts. A task that
    // outlives the call owns copies of them.
    strided::Sides sides;
    strided::AccScale scale;  // for accumulate only
};

}  // namespace armci::pipeline

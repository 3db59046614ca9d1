// SPDX-License-Identifier: BSD-3-Clause
// A transfer between nodes: what the API call asked for, after checking and in canonical form.
#pragma once

#include <cstdint>

#include "base/stats.h"
#include "strided/kernels.h"
#include "strided/sides.h"
#include "wire/frame.h"

namespace armci::pipeline {

struct Transfer {
    const char* function = "";  // the public name, for messages
    base::OpKind op = base::OpKind::put;
    int target = 0;  // world rank
    // As frames have it. Not wire::kGlobal: some or all of the remote side is attached memory.
    uint32_t owner = wire::kGlobal;
    int64_t total_bytes = 0;

    // The addresses of a vector are the caller's while its call lasts; what goes on after that owns
    // copies.
    strided::Sides sides;
    strided::AccScale scale;  // accumulate
};

}  // namespace armci::pipeline

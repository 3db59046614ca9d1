// SPDX-License-Identifier: BSD-3-Clause
// A transfer between nodes: what the API call asked for, checked and in canonical form.
#pragma once

#include <cstdint>
#include <memory>

#include "base/stats.h"
#include "pipeline/costs/remote_place.h"
#include "strided/kernels.h"
#include "strided/sides.h"

namespace armci::pipeline {

struct Transfer {
    const char* function = "";  // the public name, for error text
    base::OpKind op = base::OpKind::put;
    int target = 0;  // world rank
    // Where the remote side is. Inside a node only the owner is set.
    RemotePlace place;
    int64_t total_bytes = 0;

    // The address arrays of a vector belong to the caller while its call lasts. A task that
    // outlives the call owns copies of them.
    strided::Sides sides;
    strided::AccScale scale;  // for accumulate only
    // The place of each block, if the blocks of a vector are in several. Then `place` encloses
    // them.
    std::unique_ptr<RemotePlace[]> places;

    // Returns the place of the block with that byte of the transfer.
    const RemotePlace& place_of(int64_t byte) const {
        return places == nullptr ? place : places[static_cast<size_t>(byte / sides.block_bytes())];
    }
};

}  // namespace armci::pipeline

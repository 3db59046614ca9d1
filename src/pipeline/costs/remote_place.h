// SPDX-License-Identifier: BSD-3-Clause
// Where bytes of another node's rank are. The check of a call's arguments finds it, and nothing
// looks it up again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "wire/frame.h"

namespace armci::pipeline {

struct RemotePlace {
    // The owner as frames have it. If it is not wire::kGlobal, the bytes are attached memory, some
    // or all of them.
    uint32_t owner = wire::kGlobal;
    int32_t server = 0;  // the data server that all requests for these bytes go to
    // Whether all of them may be accessed by RMA. Only then have the next ones a meaning.
    bool is_registered = false;
    uint64_t key = 0;
    uint64_t rma_distance = 0;  // from an address there to its address for RMA, modulo 2^64
    const uint64_t* further_keys = nullptr;  // see fabric::RemoteMemory

    bool operator==(const RemotePlace&) const = default;
};

// Returns the place of several blocks together: it has the owner of any attached memory among them,
// and is registered if all of them are. Its server is that of the first, and it has no key.
inline RemotePlace enclose(const RemotePlace* places, size_t count) {
    RemotePlace all;
    all.server = places[0].server;
    all.is_registered = true;
    for (size_t i = 0; i < count; ++i) {
        all.owner = std::max(all.owner, places[i].owner);
        all.is_registered = all.is_registered && places[i].is_registered;
    }
    return all;
}

}  // namespace armci::pipeline

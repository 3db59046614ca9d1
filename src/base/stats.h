// SPDX-License-Identifier: BSD-3-Clause
// The counters of one process. They are plain words, so counting costs one addition. The thread
// that owns the runtime or holds the API lock writes them; readers in other threads see approximate
// values.
#pragma once

#include <cstdint>

namespace armci::base {

enum class Route : uint8_t { local = 0, rma = 1, server = 2 };
inline constexpr int kRouteCount = 3;

enum class OpKind : uint8_t { put = 0, get = 1, acc = 2 };
inline constexpr int kOpKindCount = 3;

// Both words are added to at once. The alignment keeps them in one cache line: across two, an
// 8-byte put takes a nanosecond longer.
struct alignas(16) Counter {
    uint64_t operations = 0;
    uint64_t bytes = 0;
};

struct Stats {
    // Every put, get and accumulate call that moves at least one byte is counted in exactly one
    // route, with its user bytes. The route `alternate` changes from one operation to the next,
    // never inside one. A vector call has one operation for each block length.
    Counter transfers[kOpKindCount][kRouteCount];
    uint64_t rmw = 0;
    uint64_t fences = 0;         // calls that had to wait for a remote answer
    uint64_t messages_sent = 0;  // frames this process sent to data servers
    uint64_t chunks_sent = 0;    // of those, frames that carried user data
    uint64_t buffer_waits = 0;   // times that a chunk waited for a free buffer or for window
    uint64_t waits = 0;          // waits for the network in threads that may sleep meanwhile
    uint64_t waits_asleep = 0;   // of these, waits that slept without polling first
    uint64_t pieces_taken = 0;   // from the node heap, for global memory and its tables
    uint64_t pieces_kept = 0;    // of these, pieces that were resident since an earlier use

    void count(OpKind op, Route route, int64_t bytes) {
        Counter& counter = transfers[static_cast<int>(op)][static_cast<int>(route)];
        ++counter.operations;
        counter.bytes += static_cast<uint64_t>(bytes);
    }
};

inline const char* name_of(Route route) {
    constexpr const char* kNames[] = {"local", "rma", "server"};
    return kNames[static_cast<int>(route)];
}

inline const char* name_of(OpKind op) {
    constexpr const char* kNames[] = {"put", "get", "acc"};
    return kNames[static_cast<int>(op)];
}

}  // namespace armci::base

// SPDX-License-Identifier: BSD-3-Clause
// What arrives from strangers, that is from processes that are not of this job as far as this one
// can tell. It is dropped and counted (ARMCI_STATS). The first of each kind gets a warning, because
// a stranger who sends many must not fill the log.
//
// All functions are thread-safe.
#pragma once

#include <cstdint>

namespace armci::base {

enum class FromStranger : uint8_t {
    frame,       // a frame without its sender's token
    transfer,    // what the network could not deliver: too long, incomplete, refused
    connection,  // a caller at the port for liveness connections
};
inline constexpr int kFromStrangerCount = 3;

// Counts it. The text says what was dropped, in a sentence without a full stop.
__attribute__((format(printf, 2, 3))) void drop_from_stranger(FromStranger kind, const char* format,
                                                              ...);
// Returns how many were dropped since forget_strangers().
uint64_t count_from_strangers(FromStranger kind);
void forget_strangers();

}  // namespace armci::base

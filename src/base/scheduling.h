// SPDX-License-Identifier: BSD-3-Clause
// How the kernel's scheduler treats a thread.
#pragma once

namespace armci::base {

// Asks for the shortest time slice for the calling thread. A thread that wakes up takes the
// processor at once from one whose slice is longer, where it would otherwise wait for the end of
// that slice, which is milliseconds; it gets no larger share of the processor. Needs no privilege.
// Kernels before 6.12 have no such wish and ignore it, or the whole call.
void ask_for_short_slices();

}  // namespace armci::base

// SPDX-License-Identifier: BSD-3-Clause
// Requests to the kernel's scheduler.
#pragma once

namespace armci::base {

// Requests the shortest time slice for the calling thread. When such a thread wakes up, it preempts
// a thread with a longer slice at once, instead of waiting milliseconds for the end of that slice.
// Its share of the processor does not grow, and it needs no privilege. Kernels before 6.12 ignore
// the request or reject the whole call.
// docs/references.md: Linux EEVDF
void ask_for_short_slices();

}  // namespace armci::base

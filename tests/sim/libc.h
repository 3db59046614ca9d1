// SPDX-License-Identifier: BSD-3-Clause
// The system calls that the library makes while it waits, simulated: the clock, sched_yield(),
// poll() and the futex. The program is linked so that the library's calls of these come here (see
// CMakeLists.txt). The library does not know.
#pragma once

namespace armci::sim {

// A descriptor that poll() finds readable when is_ready(context).
void remember_wait_fd(int fd, bool (*is_ready)(const void* context), const void* context);
void forget_wait_fd(int fd);

}  // namespace armci::sim

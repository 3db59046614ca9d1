// SPDX-License-Identifier: BSD-3-Clause
// Finds out whether the launcher has started more processes than MPI knows of. Each of them is then
// a job by itself.
#pragma once

#include <string>

namespace armci::core {

// Reads only this process's environment. Returns "PMI_SIZE=4" if a launcher has started so many
// processes and this is the first. Otherwise it returns an empty string, also if another launcher
// says that this process is the only one. Such a launcher was called inside the other's job.
std::string launched_processes(char** environment);

// Warns on the first process of a launcher that belongs to another MPI, so that MPI does not know
// of its processes. MPI must be running.
void check_launcher();

}  // namespace armci::core

// SPDX-License-Identifier: BSD-3-Clause
// Whether the launcher has started more processes than MPI knows of: each is then a job by itself.
#pragma once

#include <string>

namespace armci::core {

// By this process's environment alone: "PMI_SIZE=4" where a launcher says that it has started so
// many processes, of which this is the first; else empty. Empty as well where another one says that
// this process is the only one: such a launcher was called inside the other's job.
std::string launched_processes(char** environment);

// Warns on the first process of a launcher whose processes MPI does not know of, because the
// launcher belongs to another MPI. MPI is running.
void check_launcher();

}  // namespace armci::core

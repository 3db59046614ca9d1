// SPDX-License-Identifier: BSD-3-Clause
// The MPI thread level at which this process uses the library. It is the process's own: nothing in
// the library depends on other ranks having the same.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>

#include "base/config.h"

namespace armci::core {

// What a start function asks for; nothing: what MPI provides, or less by ARMCI_THREAD_LEVEL.
using RequestedLevel = std::optional<int>;

// What MPI provides to this process.
int provided_level();
// Ends the job when MPI provides less than a level that was asked for.
void check_thread_level(const char* function, RequestedLevel requested);
int chosen_level(RequestedLevel requested, const base::Config& config);
// Collective, when the library starts: one rank warns when ARMCI_THREAD_LEVEL names a level that
// MPI does not provide.
void warn_of_thread_level(const base::Config& config, MPI_Comm comm);

// "multiple", as in ARMCI_THREAD_LEVEL
const char* value_of_level(int level);
// "MPI_THREAD_MULTIPLE"
const char* name_of_level(int level);
// What a program or user does for MPI_THREAD_MULTIPLE, where the library runs at that level.
std::string how_to_raise_level(int level, const base::Config& config);

}  // namespace armci::core

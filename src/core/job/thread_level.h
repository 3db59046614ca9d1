// SPDX-License-Identifier: BSD-3-Clause
// The MPI thread level at which this process uses the library. Each process has its own level;
// nothing in the library depends on equal levels.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>

#include "base/config.h"

namespace armci::core {

// The level that a start function asks for. Without a value it is what MPI provides, or less by
// ARMCI_THREAD_LEVEL.
using RequestedLevel = std::optional<int>;

// Returns the level that MPI provides to this process.
int provided_level();
// Ends the job when MPI provides less than a level that was asked for.
void check_thread_level(const char* function, RequestedLevel requested);
int chosen_level(RequestedLevel requested, const base::Config& config);
// Is called collectively when the library starts. One rank warns when ARMCI_THREAD_LEVEL names a
// level that MPI does not provide.
void warn_of_thread_level(const base::Config& config, MPI_Comm comm);

// Returns a value of ARMCI_THREAD_LEVEL, such as "multiple".
const char* value_of_level(int level);
// Returns MPI's name, such as "MPI_THREAD_MULTIPLE".
const char* name_of_level(int level);
// Returns what a program or user has to do for MPI_THREAD_MULTIPLE, if the library runs at that
// level.
std::string how_to_raise_level(int level, const base::Config& config);

}  // namespace armci::core

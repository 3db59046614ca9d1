// SPDX-License-Identifier: BSD-3-Clause
// The ARMCI that this program was built with. All use of extensions is here; a build for another
// ARMCI (ARMCI_BENCH_EXTENSIONS 0) has fewer features.
#pragma once

#include "armci-bench/workloads/row.h"

#include <mpi.h>

#include <array>
#include <string>

namespace armci::bench {

// The ranks that ARMCI counts. These are all ranks of the job, but an ARMCI may keep some of them
// for itself: those never return from ARMCI_Init. Call adopt_world() after it.
MPI_Comm world();
void adopt_world();

// Name and version of the library, as given to the build.
std::string library_name();

// libfabric's version and the provider in use; empty if unknown.
std::string libfabric_version();
std::string provider_name();

// Number of nodes and node of a rank, 0 if unknown.
int node_count();
int node_of(int rank);

// Sets how many chunks of one transfer may be under way at a time; 0 means the library's choice.
// Returns the value before. Does nothing where can_limit_pipeline() is false.
bool can_limit_pipeline();
int set_pipeline_depth(int chunks);

// Calls of this process by route, so far.
using RouteCounts = std::array<unsigned long long, 3>;
RouteCounts route_counts(Verb verb);

// "local", "rma", "server", "mixed", or "-" if nothing was counted between the two.
std::string routes_between(const RouteCounts& before, const RouteCounts& after);

}  // namespace armci::bench

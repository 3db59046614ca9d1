// SPDX-License-Identifier: BSD-3-Clause
// Which rank operates on which while a row is measured.
#pragma once

#include "armci-bench/options/options.h"

#include <mpi.h>

namespace armci::bench {

struct Roles {
    int rank = 0;
    int rank_count = 1;
    int target = -1;       // the rank I act on; -1: I do not act
    int origin = -1;       // the rank whose transfers land at, or come from, me; -1: none
    int origin_count = 1;  // from this rank on
    int actor_count = 0;
    MPI_Comm actors = MPI_COMM_NULL;  // the acting ranks; owned by the creator of the roles

    bool acts() const { return target >= 0; }
    // A target that has nothing else to do.
    bool serves() const { return origin >= 0 && !acts(); }
};

// Collective over MPI_COMM_WORLD. Roles by the pattern, and the roles in which every rank acts on
// the one target.
Roles make_pattern_roles(const Options& options);
Roles make_contended_roles(const Options& options);

void free_roles(Roles* roles);

}  // namespace armci::bench

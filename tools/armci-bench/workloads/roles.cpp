// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/workloads/roles.h"

#include "armci-bench/workloads/implementation.h"

namespace armci::bench {

namespace {

Roles world_roles() {
    Roles roles;
    MPI_Comm_rank(world(), &roles.rank);
    MPI_Comm_size(world(), &roles.rank_count);
    return roles;
}

void make_actors_comm(Roles* roles) {
    MPI_Comm_split(world(), roles->acts() ? 0 : MPI_UNDEFINED, roles->rank, &roles->actors);
    const int acts = roles->acts() ? 1 : 0;
    MPI_Allreduce(&acts, &roles->actor_count, 1, MPI_INT, MPI_SUM, world());
}

}  // namespace

Roles make_pattern_roles(const Options& options) {
    Roles roles = world_roles();
    const int count = roles.rank_count;
    const int half = count / 2;
    switch (options.pattern) {
        case Pattern::one:
            roles.target = roles.rank == 0 ? single_target(options, count) : -1;
            roles.origin = roles.rank == single_target(options, count) ? 0 : -1;
            break;
        case Pattern::half:
            roles.target = roles.rank < half ? count - 1 : -1;
            roles.origin = roles.rank == count - 1 ? 0 : -1;
            roles.origin_count = half;
            break;
        case Pattern::pair:
            roles.target = roles.rank < half ? roles.rank + half : -1;
            roles.origin = roles.rank >= half && roles.rank < 2 * half ? roles.rank - half : -1;
            break;
        case Pattern::all:
            roles.target = (roles.rank + 1) % count;
            roles.origin = (roles.rank + count - 1) % count;
            break;
    }
    make_actors_comm(&roles);
    return roles;
}

Roles make_contended_roles(const Options& options) {
    Roles roles = world_roles();
    roles.target = single_target(options, roles.rank_count);
    roles.origin = -1;
    make_actors_comm(&roles);
    return roles;
}

void free_roles(Roles* roles) {
    if (roles->actors != MPI_COMM_NULL) {
        MPI_Comm_free(&roles->actors);
    }
}

}  // namespace armci::bench

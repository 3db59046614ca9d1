// SPDX-License-Identifier: BSD-3-Clause
// The public ARMCI_Group is copied by value; the library's number for the group travels in the
// member that other implementations use for a parent communicator.
#pragma once

#include <cstdint>

#include "api/api.h"
#include "core/messages/groups.h"

namespace armci::api {

// MPI_Comm is a number in some implementations and a pointer in others; only this cast serves both.
inline int group_id(const ARMCI_Group& group) {
    return static_cast<int>((intptr_t)group.noncoll_pgroup_comm) - 1;
}

// A struct of zeros, and so a non-member's, must name no group. Numbers are therefore stored plus
// one.
inline MPI_Comm stored_id(int id) {
    return (MPI_Comm)(intptr_t)(id + 1);
}

// Sets the struct as non-members get it.
inline void clear_group(ARMCI_Group* group) {
    *group = ARMCI_Group{};
    group->comm = MPI_COMM_NULL;
    group->noncoll_pgroup_comm = stored_id(-1);
    group->rank = -1;
    group->size = 0;
}

// Sets the struct as members have it after the group is freed. ARMCI_Free_group still takes it.
inline void mark_freed(ARMCI_Group* group) {
    const MPI_Comm number = group->noncoll_pgroup_comm;
    clear_group(group);
    group->noncoll_pgroup_comm = number;
}

inline void fill_group(core::Group& source, ARMCI_Group* group) {
    *group = ARMCI_Group{};
    group->comm = source.comm();
    group->noncoll_pgroup_comm = stored_id(source.id());
    group->grp_to_abs = source.world_rank_table();
    group->rank = source.rank();
    group->size = source.size();
}

}  // namespace armci::api

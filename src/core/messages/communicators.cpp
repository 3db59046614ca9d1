// SPDX-License-Identifier: BSD-3-Clause
#include "core/messages/communicators.h"

#include <limits>

#include "base/log.h"

namespace armci::core {

int own_tag() {
    int* largest = nullptr;
    int is_set = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest, &is_set);
    return is_set != 0 ? *largest : std::numeric_limits<int>::max();
}

// MPI has communicators for some thousand groups, and its own error text names no remedy.
MPI_Comm Communicators::make(const std::vector<int>& world_ranks, uint64_t group_number) {
    MPI_Comm world = progress_.world().comm;
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Group members = MPI_GROUP_NULL;
    MPI_Comm_group(world, &all);
    MPI_Group_incl(all, static_cast<int>(world_ranks.size()), world_ranks.data(), &members);
    MPI_Group_free(&all);
    if (under_way_++ == 0) {
        MPI_Comm_get_errhandler(world, &usual_);
        MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    }
    const auto tag = static_cast<int>(group_number % static_cast<uint64_t>(own_tag()));
    MPI_Comm made = MPI_COMM_NULL;
    int result = MPI_SUCCESS;
    // MPI waits for the other members. Their other threads may need this rank's meanwhile.
    progress_.threads().sleep_without_lock(
        [&] { result = MPI_Comm_create_group(world, members, tag, &made); });
    MPI_Group_free(&members);
    if (result != MPI_SUCCESS) {
        base::fatal("ARMCI_Group_create",
                    "MPI makes no more communicators, of which each group takes one, and a second "
                    "one at its first collective operation except barriers; free groups that are "
                    "not needed any more (ARMCI_Group_free), and their memory");
    }
    MPI_Comm_set_errhandler(made, usual_);
    if (--under_way_ == 0) {
        MPI_Comm_set_errhandler(world, usual_);
        MPI_Errhandler_free(&usual_);
    }
    return made;
}

MPI_Comm Communicators::own(const Group& group) {
    if (group.own_comm() == MPI_COMM_NULL) {
        // MPI would wait without a message for a member that does not come, and without progress.
        barriers_.wait_for_group(group);
        group.keep_own_comm(make(group.world_ranks(), group.number()));
    }
    return group.own_comm();
}

}  // namespace armci::core

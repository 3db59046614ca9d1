// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/workloads/checked_workload.h"

namespace armci::bench {

CheckedWorkload::CheckedWorkload(const Context& context, Verb verb)
    : Workload(context),
      verb_(verb),
      check_(context.row, context.options, verb, context.row_number) {}

void CheckedWorkload::prepare() {
    const Roles& roles = context().roles;
    if (roles.acts()) {
        check_.fill_local(context().arena.local(), roles.rank);
    }
    if (roles.origin >= 0) {
        const DirectAccess access(context().arena.data(roles.rank));
        check_.fill_remote(context().arena.data(roles.rank), roles.rank);
    }
}

int64_t CheckedWorkload::count_errors() {
    const Roles& roles = context().roles;
    if (verb_ == Verb::get) {
        return roles.acts()
                   ? check_.errors_at_origin(context().arena.local(), roles.rank, roles.target)
                   : 0;
    }
    if (roles.origin < 0) {
        return 0;
    }
    const DirectAccess access(context().arena.data(roles.rank));
    return check_.errors_at_target(context().arena.data(roles.rank), roles.origin, roles.rank,
                                   roles.origin_count);
}

}  // namespace armci::bench

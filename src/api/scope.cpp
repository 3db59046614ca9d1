// SPDX-License-Identifier: BSD-3-Clause
#include "api/scope.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/log.h"

namespace armci::api {

void check_scope(const char* function, int scope) {
    if (scope != SCOPE_ALL && scope != SCOPE_NODE && scope != SCOPE_MASTERS) {
        base::fatal(function, "argument scope = %d: use SCOPE_ALL, SCOPE_NODE or SCOPE_MASTERS",
                    scope);
    }
}

core::GroupRef scope_group(const char* function, int scope, Runtime& runtime) {
    check_scope(function, scope);
    const bool by_node = runtime.config().domain_choice() == base::DomainChoice::node;
    if (scope == SCOPE_NODE) {
        return by_node ? runtime.groups.node() : core::Groups::single(runtime.world.rank);
    }
    return scope == SCOPE_MASTERS && by_node ? runtime.groups.leaders(runtime.world)
                                             : runtime.groups.world();
}

ScopeOfGroup::ScopeOfGroup(const char* function, int scope, const core::GroupRef& group,
                           Runtime& runtime)
    : runtime_(runtime) {
    check_scope(function, scope);
    if (runtime.config().domain_choice() != base::DomainChoice::node || scope == SCOPE_ALL) {
        ranks_ = scope == SCOPE_NODE ? core::Groups::single(runtime.world.rank) : group;
        return;
    }
    const core::World& world = runtime.world;
    const int me = world.rank;
    std::vector<int> ranks;
    std::vector<bool> has_master(static_cast<size_t>(world.node_count), false);
    for (int i = 0; i < group->size(); ++i) {
        const int rank = group->world_rank(i);
        const auto node = static_cast<size_t>(world.node_of[static_cast<size_t>(rank)]);
        if (scope == SCOPE_NODE ? world.on_my_node(rank) : !has_master[node]) {
            ranks.push_back(rank);
        }
        has_master[node] = true;
    }
    if (std::find(ranks.begin(), ranks.end(), me) == ranks.end()) {
        return;
    }
    if (ranks.size() == 1) {
        ranks_ = core::Groups::single(me);
    } else if (static_cast<int>(ranks.size()) == group->size()) {
        ranks_ = group;
    } else {
        ranks_ = runtime.group_maker.make(std::move(ranks), group.get());
        is_made_ = true;
    }
}

ScopeOfGroup::~ScopeOfGroup() {
    if (is_made_) {
        const int id = ranks_->id();
        ranks_.reset();
        runtime_.groups.forget(id);
    }
}

}  // namespace armci::api

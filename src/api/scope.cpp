#include "api/scope.h"

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
    return scope == SCOPE_MASTERS && by_node ? runtime.groups.leaders() : runtime.groups.world();
}

}  // namespace armci::api

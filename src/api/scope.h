// SPDX-License-Identifier: BSD-3-Clause
// Scopes of the message layer: all ranks, the caller's domain, the first ranks of all domains.
#pragma once

#include "api/arguments.h"

namespace armci::api {

void check_scope(const char* function, int scope);

// Returns the group of ranks that take part with the caller, nullptr when the caller does not
// (SCOPE_MASTERS with ARMCI_DOMAINS=node). With one process per domain, each rank is a master and
// alone in its domain.
core::GroupRef scope_group(const char* function, int scope, Runtime& runtime);

// Does the same among the members of a group. The part of a group that is on a node, or its first
// ranks of all nodes, is a group while this object lives. All its members make it at the same time.
class ScopeOfGroup {
  public:
    ScopeOfGroup(const char* function, int scope, const core::GroupRef& group, Runtime& runtime);
    ~ScopeOfGroup();
    ScopeOfGroup(const ScopeOfGroup&) = delete;
    ScopeOfGroup& operator=(const ScopeOfGroup&) = delete;

    // It is nullptr when the caller does not take part.
    const core::GroupRef& ranks() const { return ranks_; }

  private:
    Runtime& runtime_;
    core::GroupRef ranks_;
    bool is_made_ = false;
};

}  // namespace armci::api

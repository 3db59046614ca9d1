// Scopes of the message layer: all ranks, the caller's domain, the first ranks of all domains.
#pragma once

#include "api/arguments.h"

namespace armci::api {

void check_scope(const char* function, int scope);

// The group of ranks that take part with the caller; nullptr when the caller does not
// (SCOPE_MASTERS with ARMCI_DOMAINS=node). With one process per domain, everybody is a master and
// alone in its domain.
core::GroupRef scope_group(const char* function, int scope, Runtime& runtime);

}  // namespace armci::api

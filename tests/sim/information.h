// SPDX-License-Identifier: BSD-3-Clause
// What fi_getinfo says of a twin, and what becomes of the hints.
#pragma once

#include "fabric/provider.h"

namespace armci::sim::network {

// A domain is opened with what was offered: the rules of the network are that from now on.
void keep_offer(const fi_info& info);

}  // namespace armci::sim::network

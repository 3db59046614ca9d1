// SPDX-License-Identifier: BSD-3-Clause
// Replaces raw_network.cpp where there is no libfabric. No plan has rows for it then.

#include "armci-bench/workloads/raw/raw.h"

namespace armci::bench {

bool raw_is_available() {
    return false;
}

std::unique_ptr<RawNetwork> open_raw_network(const Options&, const Arena&, std::string* error) {
    *error = "this program was built without libfabric";
    return nullptr;
}

}  // namespace armci::bench

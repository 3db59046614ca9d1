// SPDX-License-Identifier: BSD-3-Clause
// The provider and interface of raw operations: the same choice as the library's, made with
// libfabric alone, so that the program builds with any ARMCI.
#pragma once

#include <rdma/fabric.h>

#include <memory>
#include <string>

namespace armci::bench {

struct InfoFree {
    void operator()(fi_info* info) const { fi_freeinfo(info); }
};
using InfoPtr = std::unique_ptr<fi_info, InfoFree>;

// `provider` empty: the first that libfabric offers. `interface` (name or IPv4 address) empty: the
// first with an IPv4 address, loopback only if there is nothing else. Null if there is none; then
// *error says why.
InfoPtr choose_raw_provider(const std::string& provider, const std::string& interface,
                            std::string* error);

}  // namespace armci::bench

// SPDX-License-Identifier: BSD-3-Clause
#include "library/library.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace armci::tools {

const api::ToolAccess& library() {
    const api::ToolAccess& access = *armci_private_tool_access();
    if (std::strcmp(access.version, ARMCI_VERSION) != 0) {
        std::fprintf(stderr,
                     "this tool is of armci-ofi %s, but the libarmci.so that it finds is of %s: "
                     "set LD_LIBRARY_PATH, or use the tool of that version\n",
                     ARMCI_VERSION, access.version);
        std::exit(1);
    }
    return access;
}

}  // namespace armci::tools

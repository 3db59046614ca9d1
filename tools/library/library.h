// SPDX-License-Identifier: BSD-3-Clause
// Access to the internals of the libarmci.so that a tool has been started with.
#pragma once

#include "api/tool_access.h"

namespace armci::tools {

// Ends the program with a message if that library is of another version.
const api::ToolAccess& library();

}  // namespace armci::tools

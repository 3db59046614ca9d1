// SPDX-License-Identifier: BSD-3-Clause
// How the system sends over TCP.
#pragma once

#include <string>

namespace armci::tools {

// Returns the congestion control of new connections of this process, such as "cubic", as the system
// names it. It is empty if the system does not tell.
std::string tcp_congestion_control();

}  // namespace armci::tools

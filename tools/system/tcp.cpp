// SPDX-License-Identifier: BSD-3-Clause
#include "system/tcp.h"

#include <fstream>

namespace armci::tools {

std::string tcp_congestion_control() {
    std::ifstream file("/proc/sys/net/ipv4/tcp_congestion_control");
    std::string name;
    file >> name;
    return name;
}

}  // namespace armci::tools

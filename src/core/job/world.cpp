// SPDX-License-Identifier: BSD-3-Clause
#include "core/job/world.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <functional>

namespace armci::core {
namespace {

// Hosts differ in the boot identifier, and containers on one host in the namespace.
uint64_t identity(const char* name_space) {
    std::string identity;
    std::ifstream boot("/proc/sys/kernel/random/boot_id");
    if (!std::getline(boot, identity)) {
        identity = host_name();
    }
    struct stat status {};
    if (stat(name_space, &status) == 0) {
        identity += ":" + std::to_string(status.st_ino);
    }
    return std::hash<std::string>{}(identity);
}

}  // namespace

std::string host_name() {
    char name[HOST_NAME_MAX + 1] = "unknown host";
    gethostname(name, sizeof name - 1);
    return name;
}

uint64_t host_identity() {
    return identity("/proc/self/ns/net");
}

uint64_t clock_identity() {
    return identity("/proc/self/ns/time");
}

std::string describe_node(const World& world) {
    return host_name() + " (node " + std::to_string(world.node) + " of " +
           std::to_string(world.node_count) + ")";
}

}  // namespace armci::core

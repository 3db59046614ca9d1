// SPDX-License-Identifier: BSD-3-Clause
// How much memory this host, and this process's control group, can still give.
#pragma once

#include <cstdint>
#include <string>

namespace armci::node {

struct MemoryLimit {
    int64_t available_bytes = 0;
    std::string
        reason;  // what sets the limit, for the message: "the host" or the control group's file
};

// Where the system tells; tests have files of their own.
struct MemoryFiles {
    std::string meminfo = "/proc/meminfo";
    std::string own_groups = "/proc/self/cgroup";
    std::string groups = "/sys/fs/cgroup";
};

// In a control group the page cache is what it is on the host: memory that can be had.
MemoryLimit available_memory(const MemoryFiles& files = {});

// Memory of the machine in bytes.
int64_t total_memory();

}  // namespace armci::node

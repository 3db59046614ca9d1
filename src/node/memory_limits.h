// SPDX-License-Identifier: BSD-3-Clause
// These functions say how much memory this host, and this process's control group, can still
// provide. They also say how much of it is spare: the library may take it to save time.
#pragma once

#include <cstdint>
#include <string>

namespace armci::node {

struct MemoryLimit {
    int64_t available_bytes = 0;
    std::string
        reason;  // what sets the limit, for the message: "the host" or the control group's file
};

// These are the files in which the system reports this; tests have files of their own.
struct MemoryFiles {
    std::string meminfo = "/proc/meminfo";
    std::string own_groups = "/proc/self/cgroup";
    std::string groups = "/sys/fs/cgroup";
    std::string pressure = "/proc/pressure/memory";
};

// Returns the tightest limit. In a control group the page cache counts as available, as it does on
// the host.
MemoryLimit available_memory(const MemoryFiles& files = {});

// Returns the bytes of spare memory: of what is available, the part below the limit from which a
// control group slows its processes down (memory.high). Returns 0 while processes of the host or
// the group wait for memory, by the kernel's pressure stall information.
int64_t spare_memory(const MemoryFiles& files = {});

// Returns the memory of the machine in bytes.
int64_t total_memory();

}  // namespace armci::node

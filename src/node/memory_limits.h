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

MemoryLimit available_memory();

// Memory of the machine in bytes.
int64_t total_memory();

}  // namespace armci::node

// SPDX-License-Identifier: BSD-3-Clause
// Finds the work queues of this host's DSA devices that programs may use, and opens one.
// docs/running.md says how an administrator sets them up.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "node/dsa/work_queue.h"

namespace armci::node::dsa {

// Where the kernel shows queues, and where it has their character devices.
struct DevicePlaces {
    std::string queues = "/sys/bus/dsa/devices";
    std::string devices = "/dev/dsa";
};

struct QueueDescription {
    std::string name;  // "wq0.1"
    std::string state;
    std::string type;
    QueueLimits limits;

    // Returns why programs cannot use it, or nullptr.
    const char* obstacle() const;
};

// Returns the queues in the order of their names.
std::vector<QueueDescription> list_queues(const DevicePlaces& places);

// Opens a queue of type "user" that is enabled, shared ones first. `turn` decides among equal ones,
// so that the ranks of a node use all of them. Returns nullptr and the reason, with a remedy, if
// there is none.
std::unique_ptr<WorkQueue> open_user_queue(const DevicePlaces& places, uint64_t turn,
                                           std::string* error);

}  // namespace armci::node::dsa

// SPDX-License-Identifier: BSD-3-Clause
// A work queue of a DSA device as its user sees it: descriptors go in, and the device writes
// completion records. It is a device's (user_queue.h) or the software twin's (software_queue.h).
#pragma once

#include <cstdint>
#include <string>

#include "node/dsa/descriptor.h"

namespace armci::node::dsa {

struct QueueLimits {
    bool is_shared = true;               // several processes may submit
    int descriptors = 16;                // that fit the queue
    uint32_t transfer_bytes = 2U << 20;  // that one descriptor may copy
    int batch_descriptors = 32;          // in one batch; 1: there are no batches
};

// One thread submits.
class WorkQueue {
  public:
    WorkQueue() = default;
    virtual ~WorkQueue() = default;
    WorkQueue(const WorkQueue&) = delete;
    WorkQueue& operator=(const WorkQueue&) = delete;

    virtual const QueueLimits& limits() const = 0;
    // How messages name it.
    virtual std::string name() const = 0;
    // Submits one descriptor, and copies it. Returns false if a shared queue has no room now. A
    // dedicated queue loses what does not fit, so its user counts.
    virtual bool submit(const Descriptor& descriptor) = 0;
};

}  // namespace armci::node::dsa

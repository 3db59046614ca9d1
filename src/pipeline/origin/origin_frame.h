// SPDX-License-Identifier: BSD-3-Clause
// A frame that an origin is sending.
#pragma once

#include <cstdint>

#include "pipeline/buffers/out_frame.h"

namespace armci::pipeline {

class Task;

struct OriginFrame : OutFrame {
    void* owner = nullptr;  // the object that `complete` belongs to
    Task* task = nullptr;   // the task that waits for it; of a batch: its gets; nullptr: none
    uint64_t batch = 0;     // the number of a batch, as in Batches::last()
};

}  // namespace armci::pipeline

// SPDX-License-Identifier: BSD-3-Clause
// A frame that an origin is sending.
#pragma once

#include <cstdint>

#include "pipeline/buffers/out_frame.h"

namespace armci::pipeline {

class Task;

struct OriginFrame : OutFrame {
    void* owner = nullptr;  // the object that `complete` belongs to
    Task* task = nullptr;   // that waits for it, or that the gets of a batch are; nullptr: none
    uint64_t batch = 0;     // the number of a batch, as in Batches::last()
};

}  // namespace armci::pipeline

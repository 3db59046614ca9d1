// SPDX-License-Identifier: BSD-3-Clause
// A frame that an origin is sending.
#pragma once

#include <cstdint>

#include "pipeline/buffers/out_frame.h"

namespace armci::pipeline {

class Task;
struct Channel;

struct OriginFrame : OutFrame {
    void* owner = nullptr;       // the object that `complete` belongs to
    Channel* channel = nullptr;  // that it was posted on; nullptr: none
    Task* task = nullptr;        // the task that waits for it; of a batch: its gets; nullptr: none
};

}  // namespace armci::pipeline

// SPDX-License-Identifier: BSD-3-Clause
// A frame that is being sent. It lies at the start of the buffer piece that holds it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fabric/endpoint.h"
#include "wire/frame.h"

namespace armci::pipeline {

class Task;

struct OutFrame {
    fabric::Operation operation;
    void* owner = nullptr;  // the object that `operation.complete` belongs to
    Task* task = nullptr;   // nullptr: no task waits for it
    uint32_t wire_bytes = 0;
    bool is_chunk = false;  // its piece is one of the pipeline's buffers
    uint64_t batch = 0;     // the number of a batch, as in Batches::last()
    int64_t posted_ns = 0;  // of a chunk, for the timeline

    char* wire() { return reinterpret_cast<char*>(this) + kWireOffset; }
    wire::FrameHeader* header() { return reinterpret_cast<wire::FrameHeader*>(wire()); }
    static constexpr size_t kWireOffset = 128;
};
static_assert(sizeof(OutFrame) <= OutFrame::kWireOffset);

}  // namespace armci::pipeline

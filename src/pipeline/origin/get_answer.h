// SPDX-License-Identifier: BSD-3-Clause
// The data frames that answer gets.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pipeline/origin/channels.h"
#include "pipeline/origin/task.h"
#include "wire/frame.h"

namespace armci::pipeline {

inline constexpr size_t kDataHeadBytes = sizeof(wire::FrameHeader) + sizeof(wire::DataBody);
// The smallest reservation. An answer takes room for its frame even if it carries eight bytes.
inline constexpr int64_t kSmallestWindow = 256;

// Decodes an answer to a request for so many bytes, of which so many have come. The job ends if the
// answer does not fit.
wire::DataBody decode_answer(const Channels& channels, const Task& task,
                             const wire::FrameHeader& header, const void* frame,
                             int64_t total_bytes, int64_t taken_bytes);

}  // namespace armci::pipeline

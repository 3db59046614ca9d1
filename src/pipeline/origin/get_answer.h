// SPDX-License-Identifier: BSD-3-Clause
// The data frames that answer gets.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/trace.h"
#include "pipeline/origin/channels.h"
#include "pipeline/origin/task.h"
#include "wire/frame.h"

namespace armci::pipeline {

// The smallest reservation. An answer takes room for its frame even if it carries eight bytes.
inline constexpr int64_t kSmallestWindow = 256;

// Decodes an answer to a request for so many bytes, of which so many have come. The job ends if the
// answer does not fit.
wire::DataBody decode_answer(const Channels& channels, const Task& task,
                             const wire::FrameHeader& header, const void* frame,
                             int64_t total_bytes, int64_t taken_bytes);

// Records in the timeline that its data was unpacked by that rank since begin_ns; 0: there is no
// timeline.
inline void trace_unpacking(int64_t begin_ns, int rank, const wire::FrameHeader& header,
                            const wire::DataBody& body, int node) {
    if (begin_ns != 0) [[unlikely]] {
        base::record(
            {.kind = &base::kTraceUnpackAt,
             .begin_ns = begin_ns,
             .end_ns = base::now_ns(),
             .bytes = static_cast<int64_t>(body.data_bytes),
             .number = static_cast<int64_t>(body.offset),
             .node = node,
             .arrow = base::arrow_of_answer(rank, header.rank, header.request_id, body.offset)});
    }
}

}  // namespace armci::pipeline

// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/get_answer.h"

#include "base/log.h"

namespace armci::pipeline {

wire::DataBody decode_answer(const Channels& channels, const Task& task,
                             const wire::FrameHeader& header, const void* frame,
                             int64_t total_bytes, int64_t taken_bytes) {
    wire::DataBody body;
    if (header.kind != wire::FrameKind::data ||
        !wire::decode_body(frame, header.frame_bytes, &body) ||
        header.frame_bytes != wire::padded(wire::kDataHeadBytes + body.data_bytes) ||
        body.offset > static_cast<uint64_t>(total_bytes) ||
        body.data_bytes > static_cast<uint64_t>(total_bytes - taken_bytes) ||
        body.data_bytes > static_cast<uint64_t>(total_bytes) - body.offset) {
        base::fatal(task.function(), "%s sent a %s frame that does not fit the get it answers",
                    channels.name_of(header.rank).c_str(), wire::name_of(header.kind));
    }
    return body;
}

}  // namespace armci::pipeline

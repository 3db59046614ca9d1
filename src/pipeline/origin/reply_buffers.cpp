// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/reply_buffers.h"

#include <cstring>

#include "wire/frame.h"

namespace armci::pipeline {

bool ReplyBuffers::acquire(size_t bytes, ReplyBuffer* reply_buffer) {
    auto* memory = static_cast<char*>(buffers_.acquire(bytes));
    if (memory == nullptr) {
        return false;
    }
    reply_buffer->immediate = pieces_.take();
    pieces_[reply_buffer->immediate] = {memory, bytes};
    reply_buffer->bytes = static_cast<uint32_t>(bytes);
    reply_buffer->address = buffers_.remote_address(memory);
    return true;
}

void ReplyBuffers::release(const ReplyBuffer& reply_buffer) {
    buffers_.release(pieces_[reply_buffer.immediate].memory);
    pieces_.release(reply_buffer.immediate);
}

const void* ReplyBuffers::written_frame(uint64_t immediate, size_t* frame_bytes) const {
    if (!pieces_.is_used(immediate)) {
        return nullptr;
    }
    const Piece& piece = pieces_[static_cast<uint32_t>(immediate)];
    wire::FrameHeader header;
    std::memcpy(&header, piece.memory, sizeof header);
    *frame_bytes = header.frame_bytes;
    return header.frame_bytes > piece.bytes ? nullptr : piece.memory;
}

}  // namespace armci::pipeline

// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/reply_buffers.h"

#include <cstring>

namespace armci::pipeline {

bool ReplyBuffers::acquire(size_t bytes, ReplyBuffer* reply_buffer) {
    auto* memory = static_cast<char*>(buffers_.acquire(bytes));
    if (memory == nullptr) {
        return false;
    }
    std::memset(memory, 0, sizeof(wire::FrameHeader));  // no frame of an earlier use
    reply_buffer->immediate = pieces_.take();
    pieces_[reply_buffer->immediate] = {memory, bytes};
    reply_buffer->bytes = static_cast<uint32_t>(bytes);
    return true;
}

void ReplyBuffers::release(const ReplyBuffer& reply_buffer) {
    buffers_.release(pieces_[reply_buffer.immediate].memory);
    pieces_.release(reply_buffer.immediate);
}

wire::ReplyPlaces ReplyBuffers::describe(const ReplyBuffer* reply_buffers, uint32_t count) const {
    wire::ReplyPlaces described;
    wire::ReplyBuffersBody& body = described.body;
    body.count = static_cast<uint16_t>(count);
    body.reply_buffer_bytes = reply_buffers[0].bytes;
    for (uint32_t i = 0; i < count; ++i) {
        body.key[i] = buffers_.key(memory(reply_buffers[i]));
        body.address[i] = buffers_.remote_address(memory(reply_buffers[i]));
        body.immediate[i] = reply_buffers[i].immediate;
        buffers_.append_further_keys(memory(reply_buffers[i]), &described.further_keys);
    }
    body.further_rails = static_cast<uint16_t>(further_key_count_);
    return described;
}

void* ReplyBuffers::written(uint64_t immediate, size_t* bytes) const {
    if (!pieces_.is_used(immediate)) {
        return nullptr;
    }
    const Piece& piece = pieces_[static_cast<uint32_t>(immediate)];
    *bytes = piece.bytes;
    return piece.memory;
}

}  // namespace armci::pipeline

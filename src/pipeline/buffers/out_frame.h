// SPDX-License-Identifier: BSD-3-Clause
// A frame that is being sent, by an origin or a data server. It lies at the start of the buffer
// piece that holds it. Senders derive from it what else they keep of a frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "fabric/endpoint.h"
#include "pipeline/buffers/registered_buffers.h"
#include "wire/frame.h"

namespace armci::pipeline {

// The last data of a frame, if it is sent from where it lies. It must not change until the
// operation is complete. The frame's own memory then has the head, and behind it padding and seal.
// Only an endpoint that gathers writes can send it.
struct DataInPlace {
    const char* begin = nullptr;  // nullptr: the data is in the frame's memory
    size_t bytes = 0;
};

struct OutFrame : fabric::Operation {
    uint32_t wire_bytes = 0;
    RegisteredBuffers* buffers = nullptr;  // the buffers that the piece belongs to
    int64_t posted_ns = 0;                 // of a chunk, for the timeline

    char* wire() { return reinterpret_cast<char*>(this) + kWireOffset; }
    wire::FrameHeader* header() { return reinterpret_cast<wire::FrameHeader*>(wire()); }

    // Post it as a message, and as a write into its receiver's memory with that immediate data.
    // Return false when the provider cannot take it now.
    bool post(fabric::Endpoint& endpoint, fabric::PeerAddress to) {
        return endpoint.post_send(to, wire(), wire_bytes, buffers->descriptors(this), this);
    }
    bool post_into(fabric::Endpoint& endpoint, fabric::PeerAddress to,
                   const fabric::RemoteMemory& target, uint32_t immediate,
                   fabric::Endpoint::WriteOrder order = fabric::Endpoint::WriteOrder::none,
                   const DataInPlace& data = {}) {
        if (data.begin != nullptr) {
            return gather_into(endpoint, to, target, immediate, data);
        }
        wire::seal(wire(), wire_bytes, header()->token);
        return endpoint.post_write_notify(to, wire(), wire_bytes + wire::kSealBytes,
                                          buffers->descriptors(this), target, immediate, this,
                                          order);
    }
    // Posts it as a write that nothing announces at its receiver.
    bool post_unannounced(fabric::Endpoint& endpoint, fabric::PeerAddress to,
                          const fabric::RemoteMemory& target) {
        wire::seal(wire(), wire_bytes, header()->token);
        const fabric::RmaBlock block{wire(), wire_bytes + wire::kSealBytes, target};
        return endpoint.post_write(to, &block, 1, buffers->descriptors(this),
                                   fabric::Endpoint::WriteCompletion::local, this);
    }
    // Releases the piece, and so ends the frame. It must not be under way.
    void release() { buffers->release(this); }

    static constexpr size_t kWireOffset = 128;
    // What a piece holds beside the bytes of the frame.
    static constexpr size_t kOverheadBytes = kWireOffset + wire::kSealBytes;

  private:
    bool gather_into(fabric::Endpoint& endpoint, fabric::PeerAddress to,
                     const fabric::RemoteMemory& target, uint32_t immediate,
                     const DataInPlace& data) {
        const size_t padding_bytes = wire::padded(data.bytes) - data.bytes;
        const size_t head_bytes = wire_bytes - padding_bytes - data.bytes;
        wire::seal(wire(), head_bytes + padding_bytes, header()->token);
        return endpoint.post_gathered_notify(
            to,
            {{{wire(), head_bytes},
              {const_cast<char*>(data.begin), data.bytes},
              {wire() + head_bytes, padding_bytes + wire::kSealBytes}}},
            target, immediate, this);
    }
};

// Makes a frame with its header. So many of its bytes lie elsewhere. Returns nullptr when no buffer
// is free.
template <class Frame>
Frame* make_frame(RegisteredBuffers& buffers, wire::FrameKind kind, const wire::Sender& sender,
                  size_t wire_bytes, size_t bytes_in_place = 0) {
    static_assert(sizeof(Frame) <= OutFrame::kWireOffset);
    void* piece = buffers.acquire(OutFrame::kOverheadBytes + wire_bytes - bytes_in_place);
    if (piece == nullptr) {
        return nullptr;
    }
    auto* frame = new (piece) Frame;
    frame->buffers = &buffers;
    frame->wire_bytes = static_cast<uint32_t>(wire_bytes);
    auto* header = new (frame->wire()) wire::FrameHeader;
    header->kind = kind;
    header->token = sender.token;
    header->rank = sender.number;
    header->frame_bytes = frame->wire_bytes;
    return frame;
}

}  // namespace armci::pipeline

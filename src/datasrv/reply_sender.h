// SPDX-License-Identifier: BSD-3-Clause
// Makes and posts the frames that a data server sends to its origins.
#pragma once

#include <cstddef>
#include <cstdint>

#include "datasrv/client.h"
#include "fabric/endpoint.h"
#include "pipeline/buffers/registered_buffers.h"
#include "wire/frame.h"

namespace armci::datasrv {

// A frame that is being sent. It lies at the start of the buffer piece that holds it.
struct OutReply {
    fabric::Operation operation;
    pipeline::RegisteredBuffers* buffers = nullptr;  // the buffers that the piece belongs to
    Client* data_client = nullptr;                   // of a data frame
    uint32_t wire_bytes = 0;
    int64_t posted_ns = 0;  // of a data frame, for the timeline

    char* wire() { return reinterpret_cast<char*>(this) + kWireOffset; }
    wire::FrameHeader* header() { return reinterpret_cast<wire::FrameHeader*>(wire()); }
    static constexpr size_t kWireOffset = 128;
};
static_assert(sizeof(OutReply) <= OutReply::kWireOffset);

// Only one thread may use it at a time. Nothing here waits: what cannot be posted now stays the
// caller's.
class ReplySender {
  public:
    explicit ReplySender(fabric::Endpoint& endpoint) : endpoint_(endpoint) {}
    void open(int server_number) { server_number_ = server_number; }

    // Makes a frame with its header, except the fields that post() sets. Returns nullptr when there
    // is no buffer now.
    OutReply* make(pipeline::RegisteredBuffers& buffers, wire::FrameKind kind, uint64_t request_id,
                   size_t wire_bytes) const;
    // Releases a frame that was not posted.
    static void release(OutReply* reply);

    // Returns false when the provider cannot take it now. A posted frame releases its buffer by
    // itself.
    bool post(Client& client, OutReply* reply);
    // Writes a data frame to the origin's reply buffer of that index.
    bool post_into_reply_buffer(Client& client, OutReply* reply,
                                const wire::ReplyBuffersBody& reply_buffers, uint32_t index);
    // Makes a posted frame appear in the timeline when the provider has completed it.
    static void trace(OutReply* data_frame, int64_t posted_ns);

  private:
    static void on_sent(fabric::Operation* operation, const fabric::Completion& completion);
    static void on_traced_sent(fabric::Operation* operation, const fabric::Completion& completion);
    static void stamp(const Client& client, OutReply* reply);
    static void note_acknowledged(Client& client);

    fabric::Endpoint& endpoint_;
    int server_number_ = 0;
};

}  // namespace armci::datasrv

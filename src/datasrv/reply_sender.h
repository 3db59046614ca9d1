// SPDX-License-Identifier: BSD-3-Clause
// Makes and posts the frames that a data server sends to its origins.
#pragma once

#include <cstddef>
#include <cstdint>

#include "datasrv/client.h"
#include "fabric/endpoint.h"
#include "pipeline/buffers/out_frame.h"
#include "wire/frame.h"

namespace armci::datasrv {

// A frame that a data server is sending.
struct OutReply : pipeline::OutFrame {
    Client* data_client = nullptr;  // of a data frame
};

// Only one thread may use it at a time. Nothing here waits: what cannot be posted now stays the
// caller's.
class ReplySender {
  public:
    explicit ReplySender(fabric::Endpoint& endpoint) : endpoint_(endpoint) {}
    void open(const wire::Sender& self) { self_ = self; }
    // Returns the number of this server in frames.
    int server() const { return self_.number; }

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
                                const wire::ReplyPlaces& reply_buffers, uint32_t index);
    // Makes a posted frame appear in the timeline when the provider has completed it.
    static void trace(OutReply* data_frame, int64_t posted_ns);

  private:
    static void on_sent(fabric::Operation* operation, const fabric::Completion& completion);
    static void on_traced_sent(fabric::Operation* operation, const fabric::Completion& completion);
    static void stamp(const Client& client, OutReply* reply);
    // Writes it to the slot that the client has lent.
    bool post_into_slot(Client& client, OutReply* reply);
    static void note_acknowledged(Client& client);

    fabric::Endpoint& endpoint_;
    wire::Sender self_;
};

}  // namespace armci::datasrv

// SPDX-License-Identifier: BSD-3-Clause
// The short answers of a data server: all but the data of gets.
//
// They have memory of their own, so an origin that does not take the data of its gets delays no
// other origin's answers. What cannot leave now waits here, in order for each client.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>

#include "datasrv/client.h"
#include "datasrv/refusal.h"
#include "datasrv/reply_sender.h"
#include "fabric/domain.h"
#include "pipeline/buffers/registered_buffers.h"
#include "wire/frame.h"

namespace armci::datasrv {

// Only one thread may use it at a time.
class Answers {
  public:
    explicit Answers(ReplySender& sender) : sender_(sender) {}
    bool open(fabric::Domain& domain, fabric::Endpoint& endpoint, std::string* error);
    // The endpoint must be closed before.
    void close();

    // Each of these sends at once or queues the answer. Answers to one client leave in the order of
    // these calls.
    template <class Body>
    void answer(Client& client, wire::FrameKind kind, uint64_t request_id, const Body& body) {
        Waiting answer;
        static_assert(sizeof body <= sizeof answer.body);
        answer.client = &client;
        answer.kind = kind;
        answer.request_id = request_id;
        answer.body_bytes = sizeof body;
        std::memcpy(answer.body, &body, sizeof body);
        send_or_queue(answer);
    }
    void answer_empty(Client& client, wire::FrameKind kind, uint64_t request_id);
    void refuse(Client& client, wire::FrameKind request_kind, uint64_t request_id,
                const Refusal& refusal);
    // Returns false when the acknowledgement cannot leave now. It is not queued, because the next
    // answer says the same.
    bool try_acknowledge(Client& client);

    // Sends what waits. A client whose connection is full does not delay the others. Returns true
    // when something has left.
    bool flush();
    // Drops what waits, without sending it.
    void drop_waiting() { waiting_.clear(); }

    bool has_waiting() const { return !waiting_.empty(); }
    size_t waiting_count() const { return waiting_.size(); }
    size_t used_bytes() const { return buffers_.manager().used_bytes(); }

  private:
    struct Waiting {
        Client* client = nullptr;
        wire::FrameKind kind{};
        uint64_t request_id = 0;
        size_t body_bytes = 0;
        char body[std::max(sizeof(wire::RecvBuffersBody), sizeof(wire::SegmentReply))];
    };
    void send_or_queue(const Waiting& answer);
    bool try_send(const Waiting& answer);

    ReplySender& sender_;
    pipeline::RegisteredBuffers buffers_;
    std::deque<Waiting> waiting_;
};

}  // namespace armci::datasrv

// SPDX-License-Identifier: BSD-3-Clause
#include "datasrv/answers.h"

namespace armci::datasrv {

bool Answers::open(fabric::Domain& domain, fabric::Endpoint& endpoint, std::string* error) {
    constexpr size_t kBytes = 64 << 10;
    return buffers_.open(1, kBytes, domain, endpoint.on_first_rail(), fabric::Access::local, error);
}

void Answers::close() {
    buffers_.close();
    waiting_.clear();
}

void Answers::answer_empty(Client& client, wire::FrameKind kind, uint64_t request_id) {
    Waiting answer;
    answer.client = &client;
    answer.kind = kind;
    answer.request_id = request_id;
    send_or_queue(answer);
}

void Answers::refuse(Client& client, wire::FrameKind request_kind, uint64_t request_id,
                     const Refusal& refusal) {
    wire::FailedBody body{refusal.failure, static_cast<uint32_t>(request_kind), refusal.address,
                          refusal.bytes};
    body.rank = refusal.rank;
    answer(client, wire::FrameKind::failed, request_id, body);
}

bool Answers::try_acknowledge(Client& client) {
    Waiting answer;
    answer.client = &client;
    answer.kind = wire::FrameKind::acknowledge;
    return try_send(answer);
}

bool Answers::flush() {
    const size_t before = waiting_.size();
    std::erase_if(waiting_, [&](const Waiting& answer) {
        Client& client = *answer.client;
        if (!client.takes_no_answers && try_send(answer)) {
            --client.waiting_replies;
            return true;
        }
        client.takes_no_answers = true;
        return false;
    });
    for (const Waiting& answer : waiting_) {
        answer.client->takes_no_answers = false;
    }
    return waiting_.size() < before;
}

bool Answers::try_send(const Waiting& answer) {
    OutReply* reply = sender_.make(buffers_, answer.kind, answer.request_id,
                                   wire::padded(sizeof(wire::FrameHeader) + answer.body_bytes));
    if (reply == nullptr) {
        return false;
    }
    std::memcpy(reply->wire() + sizeof(wire::FrameHeader), answer.body, answer.body_bytes);
    if (!sender_.post(*answer.client, reply)) {
        ReplySender::release(reply);
        return false;
    }
    return true;
}

void Answers::send_or_queue(const Waiting& answer) {
    if (answer.client->waiting_replies > 0 || !try_send(answer)) {
        ++answer.client->waiting_replies;
        waiting_.push_back(answer);
    }
}

}  // namespace armci::datasrv

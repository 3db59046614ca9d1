// SPDX-License-Identifier: BSD-3-Clause
#include "datasrv/reply_sender.h"

#include <cstring>

#include "base/clock.h"
#include "base/trace.h"

namespace armci::datasrv {

OutReply* ReplySender::make(pipeline::RegisteredBuffers& buffers, wire::FrameKind kind,
                            uint64_t request_id, size_t wire_bytes) const {
    auto* reply = pipeline::make_frame<OutReply>(buffers, kind, self_, wire_bytes);
    if (reply != nullptr) {
        reply->complete = on_sent;
        reply->header()->request_id = request_id;
    }
    return reply;
}

void ReplySender::release(OutReply* reply) {
    if (reply->data_client != nullptr) {
        --reply->data_client->data_under_way;
    }
    reply->release();
}

// Every answer acknowledges its origin's frames, and error text says whose it is.
void ReplySender::stamp(const Client& client, OutReply* reply) {
    reply->header()->sequence = client.executed_frames;
    reply->header()->flow = client.executed_bytes;
    reply->header()->levels = client.mailbox;
    reply->peer = client.rank;
}

void ReplySender::note_acknowledged(Client& client) {
    client.acknowledged_bytes = client.executed_bytes;
    client.acknowledged_frames = client.executed_frames;
}

bool ReplySender::post(Client& client, OutReply* reply) {
    stamp(client, reply);
    const bool takes_slot =
        client.lent_slot != 0 && reply->wire_bytes + wire::kSealBytes <= wire::kAnswerSlotBytes;
    if (!(takes_slot ? post_into_slot(client, reply) : reply->post(endpoint_, client.peer))) {
        return false;
    }
    note_acknowledged(client);
    return true;
}

bool ReplySender::post_into_slot(Client& client, OutReply* reply) {
    const wire::AnswerSlotsBody& slots = client.answer_slots;
    const uint64_t offset = uint64_t{wire::kAnswerSlotBytes} * (client.lent_slot - 1);
    if (!reply->post_unannounced(endpoint_, client.peer, {slots.address + offset, slots.key})) {
        return false;
    }
    client.lent_slot = 0;
    return true;
}

bool ReplySender::post_into_reply_buffer(Client& client, OutReply* reply,
                                         const wire::ReplyPlaces& reply_buffers, uint32_t index) {
    stamp(client, reply);
    const wire::ReplyBuffersBody& body = reply_buffers.body;
    const fabric::RemoteMemory target{
        body.address[index], body.key[index],
        reply_buffers.further_keys_of(index, endpoint_.further_key_count())};
    if (!reply->post_into(endpoint_, client.peer, target, body.immediate[index])) {
        return false;
    }
    note_acknowledged(client);
    return true;
}

void ReplySender::trace(OutReply* data_frame, int64_t posted_ns) {
    data_frame->posted_ns = posted_ns;
    data_frame->complete = on_traced_sent;
}

void ReplySender::on_sent(fabric::Operation* operation, const fabric::Completion&) {
    release(static_cast<OutReply*>(operation));
}

void ReplySender::on_traced_sent(fabric::Operation* operation,
                                 const fabric::Completion& completion) {
    auto* reply = static_cast<OutReply*>(operation);
    wire::DataBody body;
    std::memcpy(&body, reply->wire() + sizeof(wire::FrameHeader), sizeof body);
    base::record({.kind = &base::kTraceTransmitAt,
                  .begin_ns = reply->posted_ns,
                  .end_ns = base::now_ns(),
                  .bytes = static_cast<int64_t>(body.data_bytes),
                  .number = static_cast<int64_t>(body.offset),
                  .rank = reply->data_client->rank});
    on_sent(operation, completion);
}

}  // namespace armci::datasrv

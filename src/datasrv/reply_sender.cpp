// SPDX-License-Identifier: BSD-3-Clause
#include "datasrv/reply_sender.h"

#include <cstring>
#include <new>

#include "base/clock.h"
#include "base/trace.h"

namespace armci::datasrv {

OutReply* ReplySender::make(pipeline::RegisteredBuffers& buffers, wire::FrameKind kind,
                            uint64_t request_id, size_t wire_bytes) const {
    void* piece = buffers.acquire(OutReply::kWireOffset + wire_bytes);
    if (piece == nullptr) {
        return nullptr;
    }
    auto* reply = new (piece) OutReply;
    reply->operation.complete = on_sent;
    reply->buffers = &buffers;
    reply->wire_bytes = static_cast<uint32_t>(wire_bytes);
    auto* header = new (reply->wire()) wire::FrameHeader;
    header->kind = kind;
    header->rank = server_number_;
    header->frame_bytes = reply->wire_bytes;
    header->request_id = request_id;
    return reply;
}

void ReplySender::release(OutReply* reply) {
    if (reply->data_client != nullptr) {
        --reply->data_client->data_under_way;
    }
    reply->buffers->release(reply);
}

// Every answer acknowledges its origin's frames, and error text says whose it is.
void ReplySender::stamp(const Client& client, OutReply* reply) {
    reply->header()->sequence = client.executed_frames;
    reply->header()->flow = client.executed_bytes;
    reply->operation.peer = client.rank;
}

void ReplySender::note_acknowledged(Client& client) {
    client.acknowledged_bytes = client.executed_bytes;
    client.acknowledged_frames = client.executed_frames;
}

bool ReplySender::post(Client& client, OutReply* reply) {
    stamp(client, reply);
    if (!endpoint_.post_send(client.peer, reply->wire(), reply->wire_bytes,
                             reply->buffers->descriptor(), &reply->operation)) {
        return false;
    }
    note_acknowledged(client);
    return true;
}

bool ReplySender::post_into_reply_buffer(Client& client, OutReply* reply,
                                         const wire::ReplyBuffersBody& reply_buffers,
                                         uint32_t index) {
    stamp(client, reply);
    const fabric::RemoteMemory target{reply_buffers.address[index], reply_buffers.key};
    if (!endpoint_.post_write_notify(client.peer, reply->wire(), reply->wire_bytes,
                                     reply->buffers->descriptor(), target,
                                     reply_buffers.immediate[index], &reply->operation)) {
        return false;
    }
    note_acknowledged(client);
    return true;
}

void ReplySender::trace(OutReply* data_frame, int64_t posted_ns) {
    data_frame->posted_ns = posted_ns;
    data_frame->operation.complete = on_traced_sent;
}

void ReplySender::on_sent(fabric::Operation* operation, const fabric::Completion&) {
    release(reinterpret_cast<OutReply*>(operation));
}

void ReplySender::on_traced_sent(fabric::Operation* operation,
                                 const fabric::Completion& completion) {
    auto* reply = reinterpret_cast<OutReply*>(operation);
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

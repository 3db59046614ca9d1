// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/frame_receiver.h"

#include "base/log.h"
#include "base/strangers.h"

namespace armci::pipeline {

uint64_t FrameReceiver::token_of(int sender) const {
    if (wire::is_origin(sender)) {
        return barriers_.token_of(wire::rank_of_origin(sender));
    }
    return sender < channels_.servers().count() ? channels_.token_of(sender) : wire::kNoToken;
}

void FrameReceiver::on_frame(void* context, const void* frame, size_t frame_bytes) {
    auto* receiver = static_cast<FrameReceiver*>(context);
    wire::Sender sender;
    if (!wire::decode_sender(frame, frame_bytes, &sender) ||
        !wire::is_token(sender.token, receiver->token_of(sender.number))) {
        base::drop_from_stranger(base::FromStranger::frame,
                                 "dropped a message of %zu bytes that no data server of this job "
                                 "has sent, and no rank that this one meets at barriers",
                                 frame_bytes);
        return;
    }
    // What is in a slot now was mostly sent before. Of two refusals, the first is reported then.
    receiver->take_answers();
    receiver->handle_frame(frame, frame_bytes);
}

void FrameReceiver::on_written(void* context, uint64_t immediate) {
    auto* receiver = static_cast<FrameReceiver*>(context);
    size_t bytes = 0;
    void* memory = receiver->services_.replies.written(immediate, &bytes);
    wire::Sender sender;
    size_t frame_bytes = 0;
    if (memory != nullptr && wire::decode_sender(memory, bytes, &sender)) {
        frame_bytes = wire::take_written(memory, bytes, receiver->token_of(sender.number));
    }
    if (frame_bytes == 0) {
        base::drop_from_stranger(base::FromStranger::frame,
                                 "dropped an announcement that data has been written into reply "
                                 "buffer %llu, where no data server of this job has written any",
                                 static_cast<unsigned long long>(immediate));
        return;
    }
    receiver->handle_frame(memory, frame_bytes);
}

bool FrameReceiver::take_answers() {
    return slots_.collect([this](int server, void* memory) {
        wire::Sender sender;
        const bool is_from_server =
            wire::decode_sender(memory, wire::kAnswerSlotBytes, &sender) && sender.number == server;
        const size_t frame_bytes =
            is_from_server ? wire::take_written(memory, wire::kAnswerSlotBytes, token_of(server))
                           : 0;
        if (frame_bytes > 0) {
            handle_frame(memory, frame_bytes);
        }
        return frame_bytes > 0;
    });
}

void FrameReceiver::handle_frame(const void* frame, size_t frame_bytes) {
    wire::FrameHeader header;
    const bool is_frame = wire::decode_header(frame, frame_bytes, &header);
    if (is_frame && header.kind == wire::FrameKind::barrier && wire::is_origin(header.rank)) {
        barriers_.take(header);
        return;
    }
    if (!is_frame || channels_.find(header.rank) == nullptr) {
        ARMCI_LOG_WARN("ignored a message of %zu bytes that is no answer from a data server",
                       frame_bytes);
        return;
    }
    Channel& channel = *channels_.find(header.rank);
    channel.flow.record_answer(header.sequence, header.flow);
    channel.mailbox = header.levels;
    switch (header.kind) {
        case wire::FrameKind::acknowledge:
            return;
        case wire::FrameKind::grant:
            services_.grants.take(channel, frame, frame_bytes);
            return;
        case wire::FrameKind::failed:
            report_failure(header, frame, frame_bytes);
        case wire::FrameKind::data:
        case wire::FrameKind::value:
        case wire::FrameKind::locked:
        case wire::FrameKind::segment:
        case wire::FrameKind::attached:
            hand_to_task(header, frame);
            return;
        default:
            base::fatal(nullptr, "%s sent a frame of kind %s",
                        channels_.name_of(header.rank).c_str(), wire::name_of(header.kind));
    }
}

void FrameReceiver::hand_to_task(const wire::FrameHeader& header, const void* frame) {
    const PendingRequests::Request* request = services_.requests.find(header.request_id);
    if (request == nullptr) {
        base::fatal(nullptr, "%s answered a request (%s) that this rank did not make",
                    channels_.name_of(header.rank).c_str(), wire::name_of(header.kind));
    }
    Task* task = request->task;
    if (!task->on_answer(services_, header, frame, request->tag)) {
        base::fatal(task->function(), "unexpected %s frame from %s", wire::name_of(header.kind),
                    channels_.name_of(header.rank).c_str());
    }
    tasks_.finish_if_complete(task);
}

void FrameReceiver::report_failure(const wire::FrameHeader& header, const void* frame,
                                   size_t frame_bytes) {
    const std::string server = channels_.name_of(header.rank);
    wire::FailedBody body;
    if (!wire::decode_body(frame, frame_bytes, &body)) {
        base::fatal(nullptr, "%s reported a failure", server.c_str());
    }
    const PendingRequests::Request* request = services_.requests.find(header.request_id);
    const std::string owner = body.rank >= 0 ? " of rank " + std::to_string(body.rank) : "";
    base::fatal(request != nullptr ? request->task->function() : nullptr,
                "%s refused a %s request for %llu bytes at 0x%llx%s: %s", server.c_str(),
                wire::name_of(static_cast<wire::FrameKind>(body.request_kind)),
                static_cast<unsigned long long>(body.bytes),
                static_cast<unsigned long long>(body.address), owner.c_str(),
                wire::describe(body.failure));
}

}  // namespace armci::pipeline

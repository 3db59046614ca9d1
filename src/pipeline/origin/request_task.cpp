// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/request_task.h"

#include "base/log.h"
#include "pipeline/origin/origin_services.h"

namespace armci::pipeline {
namespace {

// Returns whether the request changes memory that later RMA of this origin might see or overwrite.
FrameSender::Effect effect_of(wire::FrameKind kind) {
    switch (kind) {
        case wire::FrameKind::rmw:
        case wire::FrameKind::store:
        case wire::FrameKind::increment:
        case wire::FrameKind::unlock:
            return FrameSender::Effect::mutation;
        default:
            return FrameSender::Effect::none;
    }
}

}  // namespace

bool RequestTask::post(OriginServices& origin) {
    OriginFrame* frame = origin.frames.new_frame(kind_, sizeof(wire::FrameHeader) + body_bytes_);
    if (frame == nullptr) {
        return false;
    }
    if (answer_ == Answer::expected) {
        request_id_ = origin.requests.add(this, 0);
        frame->header()->request_id = request_id_;
    }
    if (asks_acknowledge_) {
        frame->header()->flags |= wire::kAcknowledgeNow;
    }
    std::memcpy(frame->wire() + sizeof(wire::FrameHeader), body_, body_bytes_);
    // The frame has its own memory, so the task may end before the provider has completed it.
    const auto waits =
        answer_ == Answer::expected ? FrameSender::Waits::always : FrameSender::Waits::unless_alone;
    if (!origin.frames.send(channel(), frame, this, effect_of(kind_), waits)) {
        frame->release();
        if (answer_ == Answer::expected) {
            origin.requests.remove(request_id_);
        }
        return false;
    }
    if (answer_ == Answer::expected) {
        add_pending();
    }
    return true;
}

bool RequestTask::on_answer(OriginServices& origin, const wire::FrameHeader& header,
                            const void* frame, int) {
    bool understood = true;
    if (header.kind == wire::FrameKind::value) {
        understood = wire::decode_body(frame, header.frame_bytes, &value_);
    } else if (header.kind == wire::FrameKind::segment) {
        segment_ = std::make_unique<wire::SegmentReply>();
        understood = wire::decode_body(frame, header.frame_bytes, segment_.get());
    } else if (header.kind == wire::FrameKind::attached) {
        understood = wire::decode_body(frame, header.frame_bytes, &attached_);
    } else if (header.kind != wire::FrameKind::locked) {
        understood = false;
    }
    if (!understood) {
        base::fatal(function(), "%s answered a %s request with a %s frame",
                    origin.channels.name_of(header.rank).c_str(), wire::name_of(kind_),
                    wire::name_of(header.kind));
    }
    origin.requests.remove(request_id_);
    remove_pending();
    return true;
}

}  // namespace armci::pipeline

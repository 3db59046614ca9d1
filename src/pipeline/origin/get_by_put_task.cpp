// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/get_by_put_task.h"

#include <cstring>

#include "base/log.h"
#include "pipeline/origin/origin_services.h"

namespace armci::pipeline {

GetByPutTask::GetByPutTask(Transfer&& transfer) : RmaTask(std::move(transfer)) {
    this->transfer().sides.for_each_block([this](char* local, char* remote, int64_t bytes) {
        request_ = {reinterpret_cast<uint64_t>(remote), static_cast<uint64_t>(bytes),
                    reinterpret_cast<uint64_t>(local)};
    });
}

bool GetByPutTask::post(OriginServices& origin) {
    if (way_ == Way::undecided) {
        sink_ = origin.rma.register_sink(reinterpret_cast<void*>(request_.local_address),
                                         request_.bytes);
        way_ = sink_.valid() ? Way::put : Way::read;
        request_.local_address = sink_.remote_base();
        request_.local_key = sink_.key();
        sink_.copy_further_keys(request_.local_further_keys);
    }
    return way_ == Way::put ? send_request(origin) : RmaTask::post(origin);
}

bool GetByPutTask::send_request(OriginServices& origin) {
    OriginFrame* frame = origin.frames.new_frame(wire::FrameKind::get_by_put,
                                                 sizeof(wire::FrameHeader) + sizeof request_);
    if (frame == nullptr) {
        return false;
    }
    const uint64_t request_id = origin.requests.add(this, 0);
    frame->header()->request_id = request_id;
    std::memcpy(frame->wire() + sizeof(wire::FrameHeader), &request_, sizeof request_);
    if (!origin.frames.send(channel(), frame, this, FrameSender::Effect::none)) {
        frame->release();
        origin.requests.remove(request_id);
        return false;
    }
    add_pending();  // until the server has written all of it
    origin.frames.counters().change_under_way(static_cast<int64_t>(request_.bytes));
    return true;
}

bool GetByPutTask::on_answer(OriginServices& origin, const wire::FrameHeader& header,
                             const void* frame, int) {
    wire::ValueBody written;
    if (header.kind != wire::FrameKind::value ||
        !wire::decode_body(frame, header.frame_bytes, &written) ||
        static_cast<uint64_t>(written.value) != request_.bytes) {
        base::fatal(function(), "%s sent a %s frame that does not fit the get it answers",
                    origin.channels.name_of(header.rank).c_str(), wire::name_of(header.kind));
    }
    origin.requests.remove(header.request_id);
    sink_ = {};
    remove_pending();
    origin.frames.counters().change_under_way(-static_cast<int64_t>(request_.bytes));
    return true;
}

}  // namespace armci::pipeline

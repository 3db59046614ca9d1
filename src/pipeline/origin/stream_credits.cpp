// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/stream_credits.h"

#include <algorithm>
#include <cstring>

namespace armci::pipeline {

void StreamCredits::open(const OriginOptions& options) {
    budget_bytes_ = static_cast<int64_t>(options.receive_bytes);
    window_bytes_ =
        std::max<int64_t>(2 * static_cast<int64_t>(options.buffer_bytes), budget_bytes_ / 4);
}

bool StreamCredits::reserve(int64_t bytes) {
    if (reserved_bytes_ > 0 && reserved_bytes_ + bytes > budget_bytes_) {
        return false;
    }
    reserved_bytes_ += bytes;
    return true;
}

void StreamCredits::send(Channel& channel, uint64_t request_id, const wire::CreditBody& taken) {
    const Credit credit{&channel, request_id, taken};
    if (!try_credit(credit)) {
        credits_due_.push_back(credit);
    }
}

void StreamCredits::send_due() {
    std::erase_if(credits_due_, [&](const Credit& credit) { return try_credit(credit); });
}

bool StreamCredits::try_credit(const Credit& credit) {
    OriginFrame* frame = frames_.new_frame(wire::FrameKind::get_credit,
                                           sizeof(wire::FrameHeader) + sizeof(wire::CreditBody));
    if (frame == nullptr) {
        return false;
    }
    frame->header()->request_id = credit.request_id;
    std::memcpy(frame->wire() + sizeof(wire::FrameHeader), &credit.taken, sizeof credit.taken);
    return frames_.send_or_release(*credit.channel, frame);
}

}  // namespace armci::pipeline

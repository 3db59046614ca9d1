// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/granted_recv_buffers.h"

#include <algorithm>

namespace armci::pipeline {
namespace {

// A shorter rest is not worth a frame: most of what would fit there travels as a message.
constexpr uint32_t kShortestRest = 16 << 10;

// A buffer is closed by its fourth frame, however short that is.
constexpr uint64_t kUsuallyFilled = 128 << 10;

}  // namespace

uint32_t GrantedRecvBuffers::wanted(uint32_t closing, size_t largest_message_bytes) const {
    if (area == nullptr) {
        return 0;
    }
    uint64_t needed = closing > 0 ? kept() : 0;
    // A transfer that fits one message needs no receive buffer.
    if (queued_bytes > static_cast<int64_t>(largest_message_bytes) / 2) {
        const auto filled = std::min<uint64_t>(area->recv_buffer_bytes / 2, kUsuallyFilled);
        const auto for_queue = static_cast<uint64_t>(queued_bytes) / filled + 1;
        needed = std::max(needed, std::min<uint64_t>(for_queue, area->recv_buffer_count));
    }
    const uint64_t left = held() - std::min(closing, held());
    return left <= needed / 2 ? static_cast<uint32_t>(needed - left) : 0;
}

OpenRecvBuffer GrantedRecvBuffers::open_now(uint64_t executed_frames) const {
    OpenRecvBuffer now = open;
    if (last_frame <= executed_frames) {
        now.used_bytes = 0;
        now.frames = 0;
    }
    return now;
}

// Returns how long a frame at `end` may be, behind so many others.
uint32_t GrantedRecvBuffers::left_behind(uint32_t end, uint16_t frames) const {
    const uint32_t left = area->recv_buffer_bytes - std::min(end, area->recv_buffer_bytes);
    const bool is_full = !are_shared || frames >= kMaxFramesInRecvBuffer || left < kShortestRest;
    return is_full ? 0 : left;
}

uint32_t GrantedRecvBuffers::room(uint64_t executed_frames) const {
    if (!granted.empty()) {
        return area->recv_buffer_bytes;
    }
    const OpenRecvBuffer now = open_now(executed_frames);
    return now.is_open ? left_behind(now.used_bytes, now.frames) : 0;
}

bool GrantedRecvBuffers::find_place(size_t bytes, uint64_t executed_frames,
                                    RecvPlace* place) const {
    const OpenRecvBuffer now = open_now(executed_frames);
    const uint32_t left_in_open = now.is_open ? left_behind(now.used_bytes, now.frames) : 0;
    *place = {};
    if (bytes <= left_in_open) {
        place->recv_buffer = now.recv_buffer;
        place->offset = now.used_bytes;
        place->frames = static_cast<uint16_t>(now.frames + 1);
    } else if (!granted.empty() && bytes <= area->recv_buffer_bytes) {
        place->recv_buffer = granted.back();
        place->frames = 1;
        place->is_new = true;
    } else {
        return false;
    }
    const auto taken = static_cast<uint32_t>((bytes + kRecvPlaceBytes - 1) / kRecvPlaceBytes);
    place->end = place->offset + taken * kRecvPlaceBytes;
    // Of two with room, the one with more room stays open.
    const uint32_t left = left_behind(place->end, place->frames);
    place->stays_open = left > (place->is_new ? left_in_open : 0);
    if (!place->stays_open) {
        place->closes = place->recv_buffer + 1;
    } else if (place->is_new && now.is_open) {
        place->closes = now.recv_buffer + 1;
    }
    return true;
}

void GrantedRecvBuffers::take(const RecvPlace& place, uint64_t frame) {
    if (place.is_new) {
        granted.pop_back();
    }
    if (place.stays_open) {
        open = {place.recv_buffer, place.end, place.frames, true};
    } else if (!place.is_new) {
        open = {};
    }
    last_frame = frame;
    ran_out |= runs_out;
    closed += place.closes != 0 ? 1 : 0;
}

uint32_t GrantedRecvBuffers::list_unneeded(uint32_t count, uint32_t* recv_buffers) const {
    const auto of_granted = std::min(count, static_cast<uint32_t>(granted.size()));
    std::copy(granted.end() - of_granted, granted.end(), recv_buffers);
    if (of_granted == count || !open.is_open) {
        return of_granted;
    }
    recv_buffers[of_granted] = open.recv_buffer;
    return of_granted + 1;
}

void GrantedRecvBuffers::drop(uint32_t count) {
    if (count > granted.size()) {
        granted.clear();
        open = {};
    } else {
        granted.resize(granted.size() - count);
    }
}

}  // namespace armci::pipeline

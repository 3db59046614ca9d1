// SPDX-License-Identifier: BSD-3-Clause
// Requests that add and remove segments of global memory, or ask where attached memory is.
#include "datasrv/handlers.h"

namespace armci::datasrv {
namespace {

Outcome check_range(const TargetMemory& memory, const wire::SegmentBody& segment) {
    if (!memory.is_in_heap(segment.address, segment.bytes)) {
        return Refusal{wire::Failure::bad_address, segment.address, segment.bytes};
    }
    return {};
}

}  // namespace

Outcome handle_add_segment(const HandlerParts& parts, const Request& request,
                           const wire::SegmentBody& body) {
    if (const Outcome refusal = check_range(parts.memory, body)) {
        return refusal;
    }
    wire::SegmentReply reply;
    if (const Outcome refusal = parts.memory.add_segment(body, &reply)) {
        return refusal;
    }
    parts.answer(request, wire::FrameKind::segment, reply);
    return {};
}

Outcome handle_remove_segment(const HandlerParts& parts, const Request& request,
                              const wire::SegmentBody& body) {
    if (const Outcome refusal = check_range(parts.memory, body)) {
        return refusal;
    }
    const wire::ValueBody removed{parts.memory.remove_segment(body.address) ? 1 : 0};
    parts.answer(request, wire::FrameKind::value, removed);
    return {};
}

Outcome handle_find_attached(const HandlerParts& parts, const Request& request,
                             const wire::FindAttachedBody& body) {
    const node::Attachment* found =
        parts.memory.find_attached(static_cast<uint32_t>(body.owner), body.address, body.bytes);
    const wire::AttachedBody range =
        found != nullptr ? wire::AttachedBody{found->begin, found->end} : wire::AttachedBody{};
    parts.answer(request, wire::FrameKind::attached, range);
    return {};
}

}  // namespace armci::datasrv

// SPDX-License-Identifier: BSD-3-Clause
// The table of handlers: the handler of each kind of request, how its body is decoded, and what is
// checked before the handler looks at memory.
#include "datasrv/handlers.h"

#include <array>
#include <cstddef>

#include "node/word_atomics.h"

namespace armci::datasrv {
namespace {

// The check of a body whose handler takes any values.
template <class Body>
Outcome check(const Request&, const Body&) {
    return {};
}

Outcome check(const Request& request, const wire::RecvBuffersBody& body) {
    if (body.count > wire::kMaxRecvBuffersPerFrame) {
        return request.malformed();
    }
    return {};
}

Outcome check(const Request& request, const wire::RmwBody& body) {
    if (body.operation > static_cast<uint32_t>(node::WordOperation::swap_long)) {
        return request.malformed(body.address);
    }
    const auto bytes =
        static_cast<uint64_t>(node::word_bytes(static_cast<node::WordOperation>(body.operation)));
    if (body.address % bytes != 0) {
        return Refusal{wire::Failure::misaligned, body.address, bytes};
    }
    return {};
}

Outcome check(const Request&, const wire::StoreBody& body) {
    if (body.address % sizeof(int) != 0) {
        return Refusal{wire::Failure::misaligned, body.address, sizeof(int)};
    }
    return {};
}

Outcome check(const Request& request, const wire::FindAttachedBody& body) {
    if (body.bytes == 0 || body.owner == wire::kGlobal || body.owner > UINT32_MAX) {
        return request.malformed(body.address);
    }
    return {};
}

Outcome check(const Request& request, const wire::GetByPutBody& body) {
    if (body.bytes == 0) {
        return request.malformed(body.address);
    }
    return {};
}

using Handler = Outcome (*)(const HandlerParts&, const Request&);

template <class Body, Outcome (*kHandle)(const HandlerParts&, const Request&, const Body&)>
Outcome decoded(const HandlerParts& parts, const Request& request) {
    Body body;
    if (!wire::decode_body(request.frame, request.header.frame_bytes, &body)) {
        return request.malformed();
    }
    if (const Outcome refusal = check(request, body)) {
        return refusal;
    }
    return kHandle(parts, request, body);
}

// The handler of frames that only have to be counted.
Outcome do_nothing(const HandlerParts&, const Request&) {
    return {};
}

Outcome refuse_kind(const HandlerParts&, const Request& request) {
    return request.malformed();
}

struct Row {
    wire::FrameKind kind;
    Handler handler;
};
constexpr Row kRows[] = {
    {wire::FrameKind::hello, do_nothing},  // its address has been taken already
    {wire::FrameKind::fence, do_nothing},
    {wire::FrameKind::want, do_nothing},
    {wire::FrameKind::put, handle_put},
    {wire::FrameKind::accumulate, handle_accumulate},
    {wire::FrameKind::get, handle_get},
    {wire::FrameKind::get_by_put, decoded<wire::GetByPutBody, handle_get_by_put>},
    {wire::FrameKind::batch, handle_batch},
    {wire::FrameKind::get_credit, decoded<wire::CreditBody, handle_credit>},
    {wire::FrameKind::release_recv_buffers, decoded<wire::RecvBuffersBody, handle_release>},
    {wire::FrameKind::rmw, decoded<wire::RmwBody, handle_rmw>},
    {wire::FrameKind::store, decoded<wire::StoreBody, handle_store>},
    {wire::FrameKind::increment, decoded<wire::StoreBody, handle_increment>},
    {wire::FrameKind::lock, decoded<wire::LockBody, handle_lock>},
    {wire::FrameKind::try_lock, decoded<wire::LockBody, handle_try_lock>},
    {wire::FrameKind::unlock, decoded<wire::LockBody, handle_unlock>},
    {wire::FrameKind::add_segment, decoded<wire::SegmentBody, handle_add_segment>},
    {wire::FrameKind::remove_segment, decoded<wire::SegmentBody, handle_remove_segment>},
    {wire::FrameKind::find_attached, decoded<wire::FindAttachedBody, handle_find_attached>},
};

constexpr auto kHandlers = [] {
    std::array<Handler, 256> handlers{};
    handlers.fill(refuse_kind);
    for (const Row& row : kRows) {
        handlers[static_cast<uint8_t>(row.kind)] = row.handler;
    }
    return handlers;
}();

}  // namespace

void execute(const HandlerParts& parts, const Request& request) {
    const wire::FrameHeader& header = request.header;
    if (const Outcome refusal = kHandlers[static_cast<uint8_t>(header.kind)](parts, request)) {
        parts.answers.refuse(request.client, header.kind, header.request_id, *refusal);
    }
}

}  // namespace armci::datasrv

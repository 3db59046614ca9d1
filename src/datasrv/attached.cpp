// SPDX-License-Identifier: BSD-3-Clause
// Requests for memory that ranks of the node have attached: it is private to their processes.
#include "datasrv/server.h"
#include "node/process_accumulate.h"

namespace armci::datasrv {

namespace {

using Direction = node::ProcessMover::Direction;

// Stores, or adds where there is a scale.
template <class Cursor>
node::AccessFailure change(node::StripedLocks& locks, const node::Attachment& process,
                           Cursor& cursor, const strided::AccScale* scale, const char* data,
                           int64_t bytes) {
    if (scale == nullptr) {
        node::ProcessMover mover(process, Direction::to_process);
        node::move_layout(mover, cursor, data, bytes);
        return mover.failure();
    }
    node::ProcessAccumulator accumulator(locks, *scale, process);
    while (bytes > 0) {
        const strided::Block block = cursor.next(bytes);
        accumulator.add(data, block.data, block.bytes);
        data += block.bytes;
        bytes -= block.bytes;
    }
    accumulator.finish();
    return accumulator.failure();
}

}  // namespace

Server::Place Server::place_of(uint64_t address, uint64_t bytes, uint32_t owner,
                               node::Attachment* process) {
    if (segments_.contains(address, bytes)) {
        return Place::global;
    }
    const node::Attachment* found =
        owner != wire::kGlobal ? attachments_.find(owner - 1, address, bytes) : nullptr;
    if (found == nullptr) {
        return Place::nowhere;
    }
    *process = *found;
    return Place::attached;
}

void Server::handle_find_attached(Client& client, const wire::FrameHeader& header,
                                  const void* frame, size_t frame_bytes) {
    wire::FindAttachedBody body;
    if (!wire::decode_body(frame, frame_bytes, &body) || body.bytes == 0 ||
        body.owner == wire::kGlobal || body.owner > UINT32_MAX) {
        fail(client, header, wire::Failure::malformed, body.address, frame_bytes);
        return;
    }
    const node::Attachment* found =
        attachments_.find(static_cast<uint32_t>(body.owner) - 1, body.address, body.bytes);
    const wire::AttachedBody range =
        found != nullptr ? wire::AttachedBody{found->begin, found->end} : wire::AttachedBody{};
    answers_.answer(client, wire::FrameKind::attached, header.request_id, range);
}

void Server::change_attached(Client& client, const wire::FrameHeader& header,
                             const node::Attachment& process, const wire::TransferView& view) {
    const strided::AccScale scale =
        strided::make_scale(static_cast<strided::AccType>(header.acc_type), view.body.scale);
    const strided::AccScale* factor = header.kind == wire::FrameKind::accumulate ? &scale : nullptr;
    const auto bytes = static_cast<int64_t>(view.body.data_bytes);
    strided::Cursor place(view.layout.side);
    place.seek(static_cast<int64_t>(view.body.offset));
    const node::AccessFailure failure = place.visit([&](auto& cursor) {
        return change(heap_->stripes(), process, cursor, factor, view.data, bytes);
    });
    if (failure.error != 0) {
        answers_.refuse(client, header.kind, header.request_id,
                        access_refusal(process, failure, bytes));
    }
}

bool Server::change_attached(Client& client, const wire::FrameHeader& header,
                             const node::Attachment& process, uint64_t address,
                             const strided::AccScale* scale, const void* data, int64_t bytes) {
    strided::Layout block;
    block.count[0] = bytes;
    strided::StridedCursor cursor(reinterpret_cast<void*>(address), block);
    const node::AccessFailure failure =
        change(heap_->stripes(), process, cursor, scale, static_cast<const char*>(data), bytes);
    if (failure.error != 0) {
        answers_.refuse(client, header.kind, header.request_id,
                        access_refusal(process, failure, bytes));
    }
    return failure.error == 0;
}

void Server::rmw_attached(Client& client, const wire::FrameHeader& header,
                          const node::Attachment& process, const wire::RmwBody& body) {
    const auto operation = static_cast<node::WordOperation>(body.operation);
    wire::ValueBody old;
    node::AccessFailure failure;
    if (!node::read_modify_write(heap_->stripes(), process, operation,
                                 reinterpret_cast<void*>(body.address), body.operand, &old.value,
                                 &failure)) {
        answers_.refuse(client, header.kind, header.request_id,
                        access_refusal(process, failure, node::word_bytes(operation)));
        return;
    }
    answers_.answer(client, wire::FrameKind::value, header.request_id, old);
}

}  // namespace armci::datasrv

// SPDX-License-Identifier: BSD-3-Clause
// Requests that carry data: chunks of puts and accumulates, gets, and batches of small operations.
#include <cstring>

#include "datasrv/attached.h"
#include "datasrv/handlers.h"
#include "node/accumulate.h"

namespace armci::datasrv {
namespace {

void add(node::StripedLocks& locks, strided::StridedCursor& to, const strided::AccScale& scale,
         const char* data, int64_t bytes) {
    node::LockedAccumulator accumulator(locks, scale);
    while (bytes > 0) {
        const strided::Row row = to.next_row(bytes);
        accumulator.add_row(
            {row.data, row.stride, data, row.block_bytes, row.block_bytes, row.block_count});
        data += row.block_count * row.block_bytes;
        bytes -= row.block_count * row.block_bytes;
    }
}

// Adds whole blocks together, and the parts of a divided block by themselves.
void add(node::StripedLocks& locks, strided::VectorCursor& to, const strided::AccScale& scale,
         const char* data, int64_t bytes) {
    while (bytes > 0) {
        if (to.is_at_block_start() && bytes >= to.block_bytes()) {
            const int64_t count = bytes / to.block_bytes();
            node::accumulate(locks, scale,
                             {to.next_addresses(count), nullptr, data, to.block_bytes(), count});
            data += count * to.block_bytes();
            bytes -= count * to.block_bytes();
        } else {
            const strided::Block block = to.next(bytes);
            node::LockedAccumulator(locks, scale).add(data, block.data, block.bytes);
            data += block.bytes;
            bytes -= block.bytes;
        }
    }
}

// Decodes a transfer and finds its memory.
Outcome open_transfer(const HandlerParts& parts, const Request& request, wire::TransferView* view,
                      Location* location) {
    if (!wire::decode_transfer(request.frame, request.header.frame_bytes, request.header, view,
                               &parts.addresses)) {
        return request.malformed();
    }
    *location = parts.memory.find(view->layout, view->body.owner);
    if (location->is_nowhere()) {
        return location->refusal();
    }
    return {};
}

// The data of a get goes to `answer`.
Outcome execute_entry(TargetMemory& memory, const wire::BatchView& view, char* answer) {
    const wire::BatchEntry& entry = view.entry;
    const Location location = memory.find(entry.address, entry.data_bytes, entry.owner);
    if (location.is_nowhere()) {
        return location.refusal();
    }
    auto* to = reinterpret_cast<char*>(entry.address);
    if (entry.operation == wire::BatchOperation::get) {
        if (location.is_attached()) {
            return read_attached(location.process, entry.address, answer, entry.data_bytes);
        }
        strided::copy_block(to, answer, entry.data_bytes);
        return {};
    }
    if (entry.operation == wire::BatchOperation::put) {
        if (location.is_attached()) {
            return change_attached(memory.stripes(), location.process, entry.address, nullptr,
                                   view.data, entry.data_bytes);
        }
        strided::copy_block(view.data, to, entry.data_bytes);
        return {};
    }
    const strided::AccScale scale =
        strided::make_scale(static_cast<strided::AccType>(entry.acc_type), view.scale);
    if (location.is_attached()) {
        return change_attached(memory.stripes(), location.process, entry.address, &scale, view.data,
                               entry.data_bytes);
    }
    node::LockedAccumulator accumulator(memory.stripes(), scale);
    accumulator.add(view.data, to, entry.data_bytes);
    return {};
}

}  // namespace

Outcome handle_put(const HandlerParts& parts, const Request& request) {
    wire::TransferView view;
    Location location;
    if (const Outcome refusal = open_transfer(parts, request, &view, &location)) {
        return refusal;
    }
    if (location.is_attached()) {
        return change_attached(parts.memory.stripes(), location.process, view, nullptr);
    }
    strided::Cursor to(view.layout.side);
    to.seek(static_cast<int64_t>(view.body.offset));
    strided::unpack(to, view.data, static_cast<int64_t>(view.body.data_bytes));
    return {};
}

Outcome handle_accumulate(const HandlerParts& parts, const Request& request) {
    wire::TransferView view;
    Location location;
    if (const Outcome refusal = open_transfer(parts, request, &view, &location)) {
        return refusal;
    }
    node::StripedLocks& stripes = parts.memory.stripes();
    const strided::AccScale scale = strided::make_scale(
        static_cast<strided::AccType>(request.header.acc_type), view.body.scale);
    if (location.is_attached()) {
        return change_attached(stripes, location.process, view, &scale);
    }
    strided::Cursor to(view.layout.side);
    to.seek(static_cast<int64_t>(view.body.offset));
    to.visit([&](auto& cursor) {
        add(stripes, cursor, scale, view.data, static_cast<int64_t>(view.body.data_bytes));
    });
    return {};
}

Outcome handle_get(const HandlerParts& parts, const Request& request) {
    wire::TransferView view;
    Location location;
    if (const Outcome refusal = open_transfer(parts, request, &view, &location)) {
        return refusal;
    }
    parts.streams.start(request.client, request.header.request_id, view.layout, view.body,
                        view.reply_buffers, location.is_attached() ? &location.process : nullptr);
    return {};
}

// Origins send this only for memory that they were told is registered.
Outcome handle_get_by_put(const HandlerParts& parts, const Request& request,
                          const wire::GetByPutBody& body) {
    if (parts.memory.registration_of(body.address, body.bytes) == nullptr) {
        return Refusal{wire::Failure::bad_address, body.address, body.bytes};
    }
    parts.gets_by_put.start(request.client, request.header.request_id, body);
    return {};
}

// The batch is executed up to the first bad entry. The origin that sent it ends the job. Gets are
// read when their turn comes, so they see the batch's changes before them and no later ones.
Outcome handle_batch(const HandlerParts& parts, const Request& request) {
    wire::BatchReader reader(request.frame, request.header.frame_bytes);
    wire::BatchView view;
    wire::ReplyPlaces reply_buffers;
    if (!reader.take_reply_buffers(request.header, &reply_buffers)) {
        return request.malformed();
    }
    alignas(uint64_t) char answer[wire::kMaxBatchAnswerBytes];
    size_t answer_bytes = 0;
    bool malformed = false;
    while (reader.next(&view, &malformed)) {
        const bool is_get = view.entry.operation == wire::BatchOperation::get;
        const size_t bytes = is_get ? wire::padded(view.entry.data_bytes) : 0;
        if (bytes > sizeof answer - answer_bytes || (is_get && !wire::has_gets(request.header))) {
            return request.malformed(view.entry.address);
        }
        if (is_get) {  // zeros the padding, so that it leaks no memory of this process
            std::memset(answer + answer_bytes + bytes - sizeof(uint64_t), 0, sizeof(uint64_t));
        }
        if (const Outcome refusal = execute_entry(parts.memory, view, answer + answer_bytes)) {
            return refusal;
        }
        answer_bytes += bytes;
    }
    if (malformed) {
        return request.malformed();
    }
    if (answer_bytes > 0) {
        parts.streams.answer(request.client, request.header.request_id, {answer, answer_bytes},
                             reply_buffers);
    }
    return {};
}

}  // namespace armci::datasrv

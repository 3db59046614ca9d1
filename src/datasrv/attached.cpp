// SPDX-License-Identifier: BSD-3-Clause
#include "datasrv/attached.h"

#include "node/process_accumulate.h"
#include "node/process_memory.h"

namespace armci::datasrv {
namespace {

using Direction = node::ProcessMover::Direction;

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

Outcome outcome_of(const node::AccessFailure& failure, const node::Attachment& process,
                   int64_t bytes) {
    if (failure.error == 0) {
        return {};
    }
    return access_refusal(process, failure, bytes);
}

}  // namespace

Outcome change_attached(node::StripedLocks& locks, const node::Attachment& process,
                        const wire::TransferView& view, const strided::AccScale* scale) {
    const auto bytes = static_cast<int64_t>(view.body.data_bytes);
    strided::Cursor to(view.layout.side);
    to.seek(static_cast<int64_t>(view.body.offset));
    const node::AccessFailure failure = to.visit(
        [&](auto& cursor) { return change(locks, process, cursor, scale, view.data, bytes); });
    return outcome_of(failure, process, bytes);
}

Outcome change_attached(node::StripedLocks& locks, const node::Attachment& process,
                        uint64_t address, const strided::AccScale* scale, const void* data,
                        int64_t bytes) {
    strided::Layout block;
    block.count[0] = bytes;
    strided::StridedCursor cursor(reinterpret_cast<void*>(address), block);
    const node::AccessFailure failure =
        change(locks, process, cursor, scale, static_cast<const char*>(data), bytes);
    return outcome_of(failure, process, bytes);
}

Outcome read_attached(const node::Attachment& process, uint64_t address, char* data,
                      int64_t bytes) {
    node::ProcessMover mover(process, Direction::from_process);
    mover.add(data, reinterpret_cast<const void*>(address), bytes);
    mover.finish();
    return outcome_of(mover.failure(), process, bytes);
}

Outcome rmw_attached(node::StripedLocks& locks, const node::Attachment& process,
                     const wire::RmwBody& body, wire::ValueBody* old) {
    const auto operation = static_cast<node::WordOperation>(body.operation);
    node::AccessFailure failure;
    if (!node::read_modify_write(locks, process, operation, reinterpret_cast<void*>(body.address),
                                 body.operand, &old->value, &failure)) {
        return access_refusal(process, failure, node::word_bytes(operation));
    }
    return {};
}

}  // namespace armci::datasrv

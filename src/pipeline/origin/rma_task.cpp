// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/rma_task.h"

#include <algorithm>

#include "base/log.h"
#include "pipeline/origin/origin_services.h"

namespace armci::pipeline {

RmaTask::RmaTask(Transfer&& transfer)
    : Task(transfer.function), transfer_(std::move(transfer)), next_(transfer_.sides) {
    if (!transfer_.place.is_registered) {
        base::fatal(function(), "the remote memory is not registered for RMA");
    }
}

void RmaTask::register_local(OriginServices& origin) {
    // Registering what lies between the blocks as well is worth it up to this ratio.
    constexpr int64_t kSparsest = 4;
    is_prepared_ = true;
    if (!origin.rma.may_register_local(transfer_.total_bytes)) {
        return;
    }
    const strided::AddressRange memory = transfer_.sides.local_memory();
    if (memory.bytes > 0 &&
        static_cast<int64_t>(memory.bytes) / kSparsest <= transfer_.total_bytes &&
        origin.rma.registers_local(transfer_.total_bytes)) {
        registration_ = origin.rma.register_local(memory,
                                                  transfer_.op == base::OpKind::put
                                                      ? fabric::Access::local_source
                                                      : fabric::Access::local_sink,
                                                  transfer_.total_bytes);
    }
}

template <class Cursor>
bool RmaTask::post_blocks(OriginServices& origin, Cursor& cursor) {
    // Long blocks gain nothing from sharing an operation, and their pieces would grow too large.
    constexpr int64_t kLongestShared = 64 << 10;
    const fabric::Region& region = registration_.region();
    const auto largest = static_cast<int64_t>(origin.rma.largest_bytes(region.valid()));
    const bool is_put = transfer_.op == base::OpKind::put;
    while (cursor.position() < transfer_.total_bytes) {
        fabric::RmaBlock blocks[fabric::kMaxRmaBlocks];
        size_t block_count = 0;
        int64_t room = largest;
        const int64_t begin = cursor.position();
        do {
            const RemotePlace& place = transfer_.place_of(cursor.position());
            const strided::PairBlock block = cursor.next(room);
            fabric::RmaBlock& piece = blocks[block_count++];
            piece.local = block.local;
            piece.bytes = static_cast<size_t>(block.bytes);
            piece.remote = remote_memory(place, block.remote);
            room = std::min(room, kLongestShared) - block.bytes;
        } while (block_count < origin.rma.max_blocks() &&
                 cursor.position() < transfer_.total_bytes && room > 0);
        const bool posted = is_put ? origin.rma.write(channel(), this, blocks, block_count, region)
                                   : origin.rma.read(channel(), this, blocks, block_count, region);
        if (!posted) {
            cursor.seek(begin);
            return false;
        }
    }
    return true;
}

bool RmaTask::post(OriginServices& origin) {
    const bool is_put = transfer_.op == base::OpKind::put;
    Channel& to = channel();
    // Only the first operation has to wait for earlier ones of other kinds.
    if (next_.position() == 0 &&
        !(is_put ? origin.fences.may_write(to) : origin.fences.may_read(to))) {
        return false;
    }
    if (!is_prepared_) {
        register_local(origin);
    }
    if (!next_.visit([&](auto& cursor) { return post_blocks(origin, cursor); })) {
        return false;
    }
    if (is_put && to.fence_habit.fence_follows()) {
        origin.fences.ask_early(to);
    }
    return true;
}

}  // namespace armci::pipeline

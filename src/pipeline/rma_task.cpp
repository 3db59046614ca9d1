// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/rma_task.h"

#include <algorithm>

#include "base/log.h"
#include "pipeline/origin.h"

namespace armci::pipeline {

RmaTask::RmaTask(Transfer&& transfer) : Task(transfer.function), transfer_(std::move(transfer)) {}

fabric::RmaBlock RmaTask::piece_at(Origin& origin, const Position& position,
                                   int64_t max_bytes) const {
    uint64_t remote = 0;
    int64_t block_bytes = 0;
    fabric::RmaBlock piece;
    if (transfer_.is_vector) {
        const VectorSegments& segments = transfer_.segments;
        piece.local = reinterpret_cast<char*>(segments.local[position.segment]) + position.in_block;
        remote = segments.remote[position.segment];
        block_bytes = segments.segment_bytes;
    } else {
        piece.local =
            strided::offset_by(transfer_.local, position.local_offset + position.in_block);
        remote = transfer_.remote + static_cast<uint64_t>(position.remote_offset);
        block_bytes = transfer_.pair.count[0];
    }
    remote += static_cast<uint64_t>(position.in_block);
    piece.bytes = static_cast<size_t>(std::min(block_bytes - position.in_block, max_bytes));
    if (!origin.resolve(channel().node, remote, static_cast<int64_t>(piece.bytes), &piece.remote)) {
        base::fatal(function(), "remote memory at 0x%llx on node %d is not registered for RMA",
                    static_cast<unsigned long long>(remote), channel().node);
    }
    return piece;
}

void RmaTask::advance(Position* position, int64_t bytes) const {
    position->bytes += bytes;
    position->in_block += bytes;
    const int64_t block_bytes =
        transfer_.is_vector ? transfer_.segments.segment_bytes : transfer_.pair.count[0];
    if (position->in_block < block_bytes) {
        return;
    }
    position->in_block = 0;
    if (transfer_.is_vector) {
        ++position->segment;
        return;
    }
    const strided::PairLayout& pair = transfer_.pair;
    for (int level = 0; level < pair.levels; ++level) {
        if (++position->index[level] < pair.count[level + 1]) {
            position->local_offset += pair.local_stride[level];
            position->remote_offset += pair.remote_stride[level];
            return;
        }
        position->index[level] = 0;
        position->local_offset -= (pair.count[level + 1] - 1) * pair.local_stride[level];
        position->remote_offset -= (pair.count[level + 1] - 1) * pair.remote_stride[level];
    }
}

void RmaTask::register_local(Origin& origin) {
    // Registering what lies between the runs as well pays up to a point.
    constexpr int64_t kSparsest = 4;
    is_prepared_ = true;
    if (!origin.registers_local(transfer_.total_bytes) || transfer_.is_vector) {
        return;
    }
    const strided::Extent extent = strided::extent(strided::local_side(transfer_.pair));
    const int64_t sparsest = transfer_.is_local_apart ? 1 : kSparsest;
    if ((extent.end - extent.begin) / sparsest <= transfer_.total_bytes) {
        region_ = origin.register_local(
            transfer_.local + extent.begin, static_cast<size_t>(extent.end - extent.begin),
            transfer_.op == base::OpKind::put ? fabric::Access::local_source
                                              : fabric::Access::local_sink);
    }
}

bool RmaTask::post(Origin& origin) {
    // Long runs gain nothing from sharing an operation, and their pieces would grow too large.
    constexpr int64_t kLongestShared = 64 << 10;
    const bool is_put = transfer_.op == base::OpKind::put;
    Channel& to = channel();
    // Only the first operation has to wait for earlier ones of other kinds.
    if (progress_.bytes == 0 && !(is_put ? origin.may_write(to) : origin.may_read(to))) {
        return false;
    }
    if (!is_prepared_) {
        register_local(origin);
    }
    const auto largest = static_cast<int64_t>(origin.largest_rma_bytes(region_.valid()));
    while (progress_.bytes < transfer_.total_bytes) {
        fabric::RmaBlock blocks[fabric::kMaxRmaBlocks];
        size_t block_count = 0;
        int64_t room = largest;
        Position next = progress_;
        do {
            blocks[block_count] = piece_at(origin, next, room);
            const auto bytes = static_cast<int64_t>(blocks[block_count].bytes);
            advance(&next, bytes);
            ++block_count;
            room = std::min(room, kLongestShared) - bytes;
        } while (block_count < origin.max_rma_blocks() && next.bytes < transfer_.total_bytes &&
                 room > 0);
        const bool posted = is_put ? origin.write(to, this, blocks, block_count, region_)
                                   : origin.read(to, this, blocks, block_count, region_);
        if (!posted) {
            return false;
        }
        progress_ = next;
    }
    if (is_put && to.fence_follows()) {
        origin.ask_for_fence(to);
    }
    return true;
}

}  // namespace armci::pipeline

#include "pipeline/rma_task.h"

#include <algorithm>

#include "base/log.h"
#include "pipeline/origin.h"

namespace armci::pipeline {

RmaTask::RmaTask(Transfer&& transfer) : Task(transfer.function), transfer_(std::move(transfer)) {}

RmaTask::Piece RmaTask::current() const {
    if (transfer_.is_vector) {
        const VectorSegments& segments = transfer_.segments;
        return {reinterpret_cast<char*>(segments.local[segment_]) + in_run_,
                segments.remote[segment_] + static_cast<uint64_t>(in_run_),
                segments.segment_bytes - in_run_};
    }
    return {strided::offset_by(transfer_.local, local_offset_ + in_run_),
            transfer_.remote + static_cast<uint64_t>(remote_offset_ + in_run_),
            transfer_.pair.count[0] - in_run_};
}

void RmaTask::advance(int64_t bytes) {
    done_bytes_ += bytes;
    in_run_ += bytes;
    const int64_t run_bytes =
        transfer_.is_vector ? transfer_.segments.segment_bytes : transfer_.pair.count[0];
    if (in_run_ < run_bytes) {
        return;
    }
    in_run_ = 0;
    if (transfer_.is_vector) {
        ++segment_;
        return;
    }
    const strided::PairLayout& pair = transfer_.pair;
    for (int level = 0; level < pair.levels; ++level) {
        if (++index_[level] < pair.count[level + 1]) {
            local_offset_ += pair.local_stride[level];
            remote_offset_ += pair.remote_stride[level];
            return;
        }
        index_[level] = 0;
        local_offset_ -= (pair.count[level + 1] - 1) * pair.local_stride[level];
        remote_offset_ -= (pair.count[level + 1] - 1) * pair.remote_stride[level];
    }
}

void RmaTask::register_local(Origin& origin) {
    // Registering what lies between the runs as well pays up to a point.
    constexpr int64_t kSparsest = 4;
    is_prepared_ = true;
    if (!origin.registers_local(transfer_.total_bytes) || transfer_.is_vector) {
        return;
    }
    const strided::Extent hull = strided::extent(strided::local_side(transfer_.pair));
    if ((hull.end - hull.begin) / kSparsest <= transfer_.total_bytes) {
        region_ = origin.register_local(
            transfer_.local + hull.begin, static_cast<size_t>(hull.end - hull.begin),
            transfer_.op == base::OpKind::put ? fabric::Access::local_source
                                              : fabric::Access::local_sink);
    }
}

bool RmaTask::post(Origin& origin) {
    const bool is_put = transfer_.op == base::OpKind::put;
    Channel& to = channel();
    // Only the first operation has to wait for earlier ones of other kinds.
    if (done_bytes_ == 0 && !(is_put ? origin.may_write(to) : origin.may_read(to))) {
        return false;
    }
    if (!is_prepared_) {
        register_local(origin);
    }
    const auto largest = static_cast<int64_t>(origin.largest_rma_bytes(region_.valid()));
    while (done_bytes_ < transfer_.total_bytes) {
        const Piece piece = current();
        const int64_t bytes = std::min(piece.bytes, largest);
        fabric::RemoteMemory memory;
        if (!origin.resolve(to.node, piece.remote, bytes, &memory)) {
            base::fatal(function(), "remote memory at 0x%llx on node %d is not registered for RMA",
                        static_cast<unsigned long long>(piece.remote), to.node);
        }
        const bool posted = is_put ? origin.write(to, this, piece.local, bytes, region_, memory)
                                   : origin.read(to, this, piece.local, bytes, region_, memory);
        if (!posted) {
            return false;
        }
        advance(bytes);
    }
    return true;
}

}  // namespace armci::pipeline

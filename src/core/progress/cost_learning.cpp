// SPDX-License-Identifier: BSD-3-Clause
#include "core/progress/cost_learning.h"

#include <algorithm>

#include "base/clock.h"

namespace armci::core {
namespace {

using base::OpKind;

uint64_t operations_between_nodes(const base::Stats& stats) {
    uint64_t sum = stats.rmw;
    for (const auto& of_op : stats.transfers) {
        for (const base::Route route : {base::Route::rma, base::Route::server}) {
            sum += of_op[static_cast<size_t>(route)].operations;
        }
    }
    return sum;
}

bool is_idle(const pipeline::Origin& origin, int server) {
    const pipeline::Channel* channel = origin.channels().find(server);
    return origin.tasks().count() == 0 && origin.batches().have_left() &&
           (channel == nullptr || !channel->remote_work_pending());
}

}  // namespace

void CostLearning::open(const pipeline::CostModel& prior, const Options& options) {
    for (Learner& learner : links_) {
        learner = {prior, {prior.constants(), prior.limits()}};
    }
    options_ = options;
}

bool CostLearning::wants_trial(const pipeline::TransferShape& shape, int64_t min_rma_block,
                               const pipeline::Origin& origin, int server) {
    if (!options_.learns || shape.total_bytes < kMinBytes || min_rma_block == INT64_MAX ||
        shape.block_bytes < min_rma_block / 2 || shape.block_bytes / 2 >= min_rma_block ||
        !is_idle(origin, server)) {
        return false;
    }
    since_trial_ = (since_trial_ + 1) % kTrialPeriod;
    if (since_trial_ != 0) {
        return false;
    }
    passed_over_ = kRarely - 1;  // so it is measured
    return true;
}

bool CostLearning::is_due(const Learner& learner) {
    if (learner.costs.samples() < kOftenSamples) {
        return true;
    }
    passed_over_ = (passed_over_ + 1) % kRarely;
    return passed_over_ == 0;
}

bool CostLearning::open_measurement(const Call& call, pipeline::Origin& origin,
                                    const base::Stats& stats) {
    is_open_ = is_idle(origin, call.server) && is_due(of(call.link));
    if (is_open_) {
        server_ = call.server;
        link_ = call.link;
        is_get_ = call.op == OpKind::get;
        operations_ = operations_between_nodes(stats) - 1;
        inside_ns_ = 0;
        shape_count_ = 0;
    }
    return is_open_;
}

// Returns false if it does not belong to the measurement.
bool CostLearning::add(const Call& call) {
    if (call.server != server_ || (call.op == OpKind::get) != is_get_) {
        return false;
    }
    for (size_t i = 0; i < shape_count_; ++i) {
        pipeline::TimedTransfers& equal = transfers_[i];
        if (equal.op == call.op && equal.route == call.route &&
            equal.shape.total_bytes == call.shape.total_bytes &&
            equal.shape.block_bytes == call.shape.block_bytes) {
            ++equal.count;
            return true;
        }
    }
    if (shape_count_ == kMaxShapes) {
        return false;
    }
    transfers_[shape_count_++] = {call.op, call.route, call.shape, 1};
    return true;
}

void CostLearning::begin_call(const Call& call, pipeline::Origin& origin,
                              const base::Stats& stats) {
    if (!options_.learns || call.shape.total_bytes < kMinBytes) {
        return;
    }
    // What is open and idle has ended at an unknown time.
    if (is_open_ && is_idle(origin, server_)) {
        is_open_ = false;
    }
    const bool is_first = !is_open_;
    if (is_first && !open_measurement(call, origin, stats)) {
        return;
    }
    if (!add(call)) {
        is_open_ = false;
        return;
    }
    in_call_ = true;
    call_began_ns_ = base::now_ns();
    began_ns_ = is_first ? call_began_ns_ : began_ns_;
}

void CostLearning::finish_call(pipeline::Origin& origin, const base::Stats& stats) {
    const int64_t now_ns = base::now_ns();
    in_call_ = false;
    inside_ns_ += now_ns - call_began_ns_;
    end_if_over(now_ns, origin, stats);
}

void CostLearning::finish_wait(int64_t began_ns, pipeline::Origin& origin,
                               const base::Stats& stats) {
    const int64_t now_ns = base::now_ns();
    inside_ns_ += began_ns == 0 ? 0 : now_ns - began_ns;
    end_if_over(now_ns, origin, stats);
}

void CostLearning::end_if_over(int64_t now_ns, pipeline::Origin& origin, const base::Stats& stats) {
    if (!is_idle(origin, server_)) {
        return;
    }
    is_open_ = false;
    uint64_t measured = 0;
    for (size_t i = 0; i < shape_count_; ++i) {
        measured += static_cast<uint64_t>(transfers_[i].count);
    }
    const int64_t ns = now_ns - began_ns_;
    const bool was_alone = operations_between_nodes(stats) == operations_ + measured;
    if (was_alone && inside_ns_ >= ns - ns / 4) {
        take_sample(static_cast<double>(ns) * 1e-3, origin);
    }
}

void CostLearning::take_sample(double measured_us, pipeline::Origin& origin) {
    Learner& learner = links_[static_cast<size_t>(link_)];
    if (!learner.costs.observe({transfers_.data(), shape_count_}, measured_us)) {
        return;
    }
    learner.model.take_learned(pipeline::scaled(learner.costs.prior(), learner.costs.used()));
    if (options_.min_get_by_put > 0) {
        learner.model.choose_get_by_put_from(options_.min_get_by_put);
    }
    if (options_.rails > 0) {
        // Links share the buffers, so the longest way decides. Some are left for other transfers,
        // because a rank that loses its processor learns a latency that the network does not have.
        int64_t depth = 0;
        for (const Learner& of_link : links_) {
            const pipeline::PipelineLimits& limits = of_link.model.limits();
            depth = std::max(depth, std::min(of_link.model.depth_of_long(limits.chunk_bytes),
                                             limits.chunk_count - limits.chunk_count / 4));
        }
        origin.frames().allow_chunks_of_transfer(static_cast<int32_t>(options_.rails * depth));
    }
}

}  // namespace armci::core

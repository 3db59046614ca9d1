// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/costs/cost_model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "wire/frame.h"

namespace armci::pipeline {
namespace {

using base::OpKind;

constexpr int64_t kMinChunk = 4096;
// Larger sizes use the choice for this size class.
constexpr int kLargestClass = 40;
// The class of kFirstLearnedBytes, and of no smaller size.
constexpr int kFirstLearnedClass = std::bit_width(uint64_t{kFirstLearnedBytes});
static_assert(std::has_single_bit(uint64_t{kFirstLearnedBytes}));

double as_double(int64_t value) {
    return static_cast<double>(value);
}

double far_bytes(const TransferShape& shape) {
    return as_double(std::max<int64_t>(0, shape.total_bytes - kNearBytes));
}

}  // namespace

double cost_of_block(const int64_t* known_bytes, const double* known_us, size_t count,
                     int64_t block_bytes) {
    if (block_bytes <= known_bytes[0]) {
        return known_us[0];
    }
    for (size_t i = 1; i < count; ++i) {
        if (block_bytes <= known_bytes[i]) {
            const double part = as_double(block_bytes - known_bytes[i - 1]) /
                                as_double(known_bytes[i] - known_bytes[i - 1]);
            return known_us[i - 1] + part * (known_us[i] - known_us[i - 1]);
        }
    }
    return known_us[count - 1] / as_double(known_bytes[count - 1]) * as_double(block_bytes);
}

double StageTimes::slowest_us() const {
    return std::max({pack_us, transmit_us, unpack_us});
}

CostModel::CostModel(const CostConstants& constants, const PipelineLimits& limits)
    : constants_(constants), limits_(limits) {
    limits_.chunk_bytes = std::max<int64_t>(limits_.chunk_bytes, 1);
    limits_.chunk_count = std::max<int64_t>(limits_.chunk_count, 1);
    choose_from(INT64_MAX);
}

void CostModel::choose_by_costs() {
    choose_by_costs_from(1);
    min_single_[static_cast<size_t>(OpKind::put)] = find_min_single(OpKind::put);
    min_single_[static_cast<size_t>(OpKind::get)] = find_min_single(OpKind::get);
    max_fenced_frame_ = find_max_fenced_frame();
    chooses_by_costs_ = true;
}

void CostModel::take_learned(const CostConstants& constants) {
    constants_ = constants;
    choose_by_costs_from(kFirstLearnedClass);
}

// Chooses for blocking transfers of that size class or a larger one.
void CostModel::choose_by_costs_from(int first_class) {
    for (const OpKind op : {OpKind::put, OpKind::get}) {
        auto& min_block = min_block_[static_cast<size_t>(op)];
        for (int bits = first_class; bits < kSizeClasses; ++bits) {
            // The size in the middle of all sizes of that many bits stands for them.
            min_block[bits] = bits > kLargestClass ? min_block[kLargestClass]
                                                   : find_min_block(op, (int64_t{3} << bits) / 4);
        }
    }
    min_get_by_put_ = find_min_get_by_put();
}

// Compares a few separate RMA operations with one frame for all of them. If the frame is cheaper
// for a few, it is cheaper for more.
int64_t CostModel::find_min_single(OpKind op) const {
    constexpr double kFew = 4;
    const RmaCosts& rma = constants_.rma[static_cast<size_t>(op)];
    const ServerCosts& server = constants_.server[static_cast<size_t>(op)];
    int64_t min = INT64_MAX;
    for (int64_t bytes = kMaxSharingBytes; bytes > 0; bytes /= 2) {
        const double single_us =
            rma.single_us + rma.blocks.at(bytes) - rma.blocks.at(kRmaBlockBytes[0]);
        const double shared_us = stage_times(op, bytes, bytes).sum_us() - server.chunk_us;
        if (kFew * single_us > server.request_us + server.chunk_us + kFew * shared_us) {
            break;
        }
        min = bytes;
    }
    return min;
}

// Up to which size the two copies of a frame cost less than one more message. It costs about half
// of its latency, because it leaves right behind the write.
int64_t CostModel::find_max_fenced_frame() const {
    const RmaCosts& rma = constants_.rma[static_cast<size_t>(OpKind::put)];
    const double message_us = (rma.latency_us + rma.blocks.at(kRmaBlockBytes[0])) / 2;
    int64_t max = 0;
    for (int64_t bytes = kRmaBlockBytes[0]; bytes <= limits_.chunk_bytes; bytes *= 2) {
        const StageTimes stages = stage_times(OpKind::put, bytes, bytes);
        if (stages.pack_us + stages.unpack_us > message_us) {
            break;
        }
        max = bytes;
    }
    return max;
}

// From which size on remote puts save at least a tenth, for all sizes that are larger. What they
// save must pay for the target's processor, which reads do not need. Short gets are left out, so
// that this, too, is nothing that learned costs change for them.
int64_t CostModel::find_min_get_by_put() const {
    constexpr double kWorthwhile = 0.9;
    int64_t min = INT64_MAX;
    for (int bits = kLargestClass; int64_t{1} << bits >= kFirstLearnedBytes; --bits) {
        const int64_t bytes = int64_t{1} << bits;
        if (get_by_put_us(bytes) > kWorthwhile * rma_us(OpKind::get, {bytes, bytes})) {
            break;
        }
        min = bytes;
    }
    return min;
}

void CostModel::choose_from(int64_t min_block_bytes) {
    for (auto& min_block : min_block_) {
        min_block.fill(min_block_bytes);
    }
    min_block_[static_cast<size_t>(OpKind::acc)].fill(INT64_MAX);
    min_get_by_put_ = INT64_MAX;
    max_fenced_frame_ = 0;
    chooses_by_costs_ = false;
    min_single_.fill(min_block_bytes);
    min_single_[static_cast<size_t>(OpKind::acc)] = INT64_MAX;
}

double CostModel::rma_us(OpKind op, const TransferShape& shape) const {
    if (op == OpKind::acc) {
        return std::numeric_limits<double>::infinity();
    }
    if (shape.total_bytes <= 0) {
        return 0;
    }
    const RmaCosts& costs = constants_.rma[static_cast<size_t>(op)];
    const int64_t block_bytes = std::clamp<int64_t>(shape.block_bytes, 1, shape.total_bytes);
    const double blocks = as_double(shape.total_bytes) / as_double(block_bytes);
    const double rails = op == OpKind::get ? rails_of(shape.total_bytes, limits_.divided_bytes) : 1;
    return costs.latency_us + blocks * costs.blocks.at(block_bytes) / rails +
           far_bytes(shape) * costs.far_byte_us;
}

double CostModel::get_by_put_us(int64_t bytes) const {
    return bytes <= 0 ? 0
                      : constants_.server[static_cast<size_t>(OpKind::get)].request_us +
                            rma_us(OpKind::put, {bytes, bytes});
}

StageTimes CostModel::stage_times(OpKind op, int64_t bytes, int64_t block_bytes) const {
    const ServerCosts& costs = constants_.server[static_cast<size_t>(op)];
    const CopyCurve& unpack = op == OpKind::acc ? constants_.accumulate : constants_.unpack;
    const double blocks = as_double(bytes) / as_double(block_bytes);
    StageTimes stages;
    stages.pack_us = blocks * constants_.pack.at(block_bytes);
    stages.transmit_us = costs.chunk_us + as_double(bytes) * costs.byte_us;
    stages.unpack_us = blocks * unpack.at(block_bytes);
    return stages;
}

double CostModel::rails_of(int64_t bytes, int64_t piece_bytes) const {
    return as_double(std::min(limits_.rails, (bytes - 1) / piece_bytes + 1));
}

double CostModel::steady_us(OpKind op, const StageTimes& stages) const {
    const double overlap = constants_.server[static_cast<size_t>(op)].overlap;
    const double sum = stages.sum_us();
    double overlapped = std::max(stages.slowest_us(), sum / as_double(limits_.chunk_count));
    if (op == OpKind::get) {
        // A reply buffer is used again when its origin has sent a credit.
        const double turn_us = sum + constants_.server[static_cast<size_t>(op)].request_us;
        const auto depth = std::min<int64_t>(limits_.chunk_count, wire::kMaxReplyBuffers);
        overlapped = std::max(overlapped, turn_us / as_double(depth));
    }
    return overlap * overlapped + (1 - overlap) * sum;
}

ServerPlan CostModel::server_plan(OpKind op, const TransferShape& shape) const {
    return server_plan(op, shape, limits_.chunk_bytes);
}

ServerPlan CostModel::server_plan(OpKind op, const TransferShape& shape,
                                  int64_t chunk_bytes) const {
    ServerPlan plan;
    if (shape.total_bytes <= 0) {
        return plan;
    }
    const int64_t block_bytes = std::clamp<int64_t>(shape.block_bytes, 1, shape.total_bytes);
    plan.chunk_bytes = std::clamp<int64_t>(chunk_bytes, 1, shape.total_bytes);
    plan.chunk_count = (shape.total_bytes - 1) / plan.chunk_bytes + 1;
    plan.chunk = stage_times(op, plan.chunk_bytes, block_bytes);
    const double rails = rails_of(shape.total_bytes, plan.chunk_bytes);
    const auto divided = [rails](StageTimes stages) {
        stages.transmit_us /= rails;
        return stages;
    };
    plan.steady_us = steady_us(op, divided(plan.chunk));

    const int64_t whole_chunks = shape.total_bytes / plan.chunk_bytes;
    const int64_t rest_bytes = shape.total_bytes % plan.chunk_bytes;
    const ServerCosts& costs = constants_.server[static_cast<size_t>(op)];
    plan.total_us = costs.request_us + plan.chunk.sum_us() +
                    as_double(whole_chunks - 1) * plan.steady_us +
                    far_bytes(shape) * costs.far_byte_us;
    if (op != OpKind::get && is_small(shape)) {
        plan.total_us = costs.small_us + plan.chunk.pack_us + plan.chunk.unpack_us;
        plan.useful_depth = 1;
        return plan;
    }
    if (rest_bytes > 0) {
        plan.total_us += steady_us(op, divided(stage_times(op, rest_bytes, block_bytes)));
    }

    plan.useful_depth =
        useful_depth(op, plan.chunk, std::min(limits_.chunk_count, plan.chunk_count));
    return plan;
}

// A buffer is held while it is packed and transmitted, and until the provider says that it has
// left. That takes the latency of a write where the target's adapter confirms it.
int64_t CostModel::useful_depth(OpKind op, const StageTimes& stages, int64_t max) const {
    const RmaCosts& rma =
        constants_.rma[static_cast<size_t>(op == OpKind::get ? OpKind::get : OpKind::put)];
    const double held_us = stages.pack_us + stages.transmit_us + rma.latency_us;
    const double wanted = std::ceil(held_us / stages.slowest_us()) + 1;
    // If no stage takes time, the quotient is not a number, or too large for an integer.
    return wanted < as_double(max) ? std::llround(wanted) : max;
}

int64_t CostModel::depth_of_long(int64_t chunk_bytes) const {
    return server_plan(OpKind::put, kLongTransfer, chunk_bytes).useful_depth;
}

int64_t CostModel::best_chunk_bytes(OpKind op, const TransferShape& shape) const {
    int64_t best_bytes = limits_.chunk_bytes;
    double best_us = server_plan(op, shape, best_bytes).total_us;
    for (int64_t bytes = best_bytes / 2; bytes >= kMinChunk; bytes /= 2) {
        const double us = server_plan(op, shape, bytes).total_us;
        if (us < best_us) {
            best_us = us;
            best_bytes = bytes;
        }
    }
    return best_bytes;
}

// Tries one long block, then shorter ones, in steps of an eighth or a byte, while RMA is not the
// slower route.
int64_t CostModel::find_min_block(OpKind op, int64_t total_bytes) const {
    int64_t min = INT64_MAX;
    for (int64_t block_bytes = total_bytes; block_bytes > 0;
         block_bytes -= std::max<int64_t>(1, block_bytes / 8)) {
        const TransferShape shape{total_bytes, block_bytes};
        if (rma_us(op, shape) > server_plan(op, shape).total_us) {
            break;
        }
        min = block_bytes;
    }
    return min;
}

}  // namespace armci::pipeline

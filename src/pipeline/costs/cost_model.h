// SPDX-License-Identifier: BSD-3-Clause
// What a transfer between nodes will cost on either route, and therefore which route it takes.
//
// A model in the sense of a formula: no network, no MPI, no state but its constants. Times are in
// microseconds and mean one transfer of a stream of blocking transfers to one target, up to remote
// completion.
//
//   rma     latency + blocks * block(block length) + far bytes * far byte
//   get by put  request of a get + rma cost of a put: the target's data server writes
//   server  request + (pack + transmit + unpack of the first chunk) + steady * further chunks
//           + far bytes * far byte
//           small ones, which are copied: small + pack + unpack
//           transmit = chunk + bytes * byte
//           steady   = overlap * max(slowest stage, sum of stages / depth)
//                      + (1 - overlap) * sum of stages
//           with rails (PipelineLimits) several chunks are transmitted at the same time
//           of gets at least overlap * (request + sum of stages) / reply buffers: a chunk takes the
//           place of one that the origin has credited
//
// The stages of a chunk run at the same time on three parties (the packing side, the network, the
// unpacking side) as far as `overlap` says. It is 1 with a network adapter that works by itself,
// less where the same processors drive sockets. No more than `depth` chunks are under way at once.
// For accumulate, unpacking adds. Far bytes are those beyond kNearBytes: large transfers leave the
// caches, and each of their bytes costs more on either route.
// docs/references.md: Tipparaju 2001, Culler 1996
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/stats.h"

namespace armci::pipeline {

// Returns the cost of one block from costs known at some lengths. It is linear between them,
// constant below the first, and proportional to the length above the last.
double cost_of_block(const int64_t* known_bytes, const double* known_us, size_t count,
                     int64_t block_bytes);

// A curve of that kind over the lengths in kBytes, which ascend.
template <const auto& kBytes>
struct BlockCurve {
    static constexpr size_t kPoints = kBytes.size();
    std::array<double, kPoints> block_us{};

    double at(int64_t block_bytes) const {
        return cost_of_block(kBytes.data(), block_us.data(), kPoints, block_bytes);
    }
};

inline constexpr int64_t kNearBytes = 512 << 10;
inline constexpr std::array<int64_t, 6> kCopyBlockBytes = {8, 32, 128, 512, 2048, 8192};
inline constexpr std::array<int64_t, 6> kRmaBlockBytes = {64,       512,      4 << 10,
                                                          16 << 10, 64 << 10, 512 << 10};
using CopyCurve = BlockCurve<kCopyBlockBytes>;
using RmaCurve = BlockCurve<kRmaBlockBytes>;

struct RmaCosts {
    double latency_us = 0;  // of a transfer, in addition to its blocks:
    RmaCurve blocks;        // one more block of a stream
    // One more short transfer of a stream of non-blocking ones. No profile has it: it comes from
    // the provider table.
    double single_us = 0;
    double far_byte_us = 0;
};

struct ServerCosts {
    double request_us = 0;  // of a transfer, in addition to its chunks:
    double chunk_us = 0;    // one more frame with data of a stream
    double byte_us = 0;     // of transmission, without packing and unpacking
    double overlap = 0;     // 0..1
    double far_byte_us = 0;
    double small_us = 0;  // of a small transfer
};

// The constants are broadcast as bytes, so they are plain numbers only.
struct CostConstants {
    std::array<RmaCosts, 2> rma{};                         // put, get
    std::array<ServerCosts, base::kOpKindCount> server{};  // put, get, accumulate
    CopyCurve pack, unpack, accumulate;
};

// Transfers up to these limits are small: several of them share a frame. Non-blocking ones may be
// longer, where that costs less than RMA.
inline constexpr int64_t kMaxSmallBytes = 2048;
inline constexpr int64_t kMaxSharingBytes = 8192;
inline constexpr int64_t kMaxSmallBlocks = 16;
// Learned costs do not change the routes of shorter transfers, and the small ones are shorter.
inline constexpr int64_t kFirstLearnedBytes = 2 * kMaxSmallBytes;

// Limits that the transport sets for a transfer.
struct PipelineLimits {
    int64_t chunk_bytes = 0;  // of user data in a full frame
    int64_t chunk_count = 1;  // frames of one transfer under way: buffers, or the server's window
    int64_t small_bytes = 0;  // kMaxSmallBytes where small transfers share frames
    // Where direct puts take one rail of several, and the costs are those of one: how many rails
    // the chunks of a transfer, and the operations of a direct get, are divided among.
    int64_t rails = 1;
    int64_t divided_bytes = 1;  // of such an operation
};

struct TransferShape {
    int64_t total_bytes = 0;
    int64_t block_bytes = 0;  // of the blocks that are contiguous on both sides
};

// A long transfer in short blocks, from which sizes of buffers follow.
inline constexpr TransferShape kLongTransfer = {8 << 20, 512};

struct StageTimes {
    double pack_us = 0;
    double transmit_us = 0;
    double unpack_us = 0;

    double sum_us() const { return pack_us + transmit_us + unpack_us; }
    double slowest_us() const;
};

// The predicted course of a transfer through the server.
struct ServerPlan {
    double total_us = 0;
    int64_t chunk_count = 0;
    int64_t chunk_bytes = 0;  // of every chunk except the last
    StageTimes chunk;         // of one such chunk
    double steady_us = 0;     // between one such chunk and the next
    // Number of buffers of the origin that keeps the slowest stage busy: the time for which one is
    // held, divided by that of the slowest stage and rounded up, and one more for jitter. At most
    // the number of chunks and of buffers.
    int64_t useful_depth = 0;
};

class CostModel {
  public:
    // Predicts costs. Until one of the next two is called, the server route is chosen for
    // everything.
    CostModel() { choose_from(INT64_MAX); }
    CostModel(const CostConstants& constants, const PipelineLimits& limits);

    // From now on the predicted costs decide. The call takes a fraction of a millisecond.
    void choose_by_costs();
    // Takes constants that were learned from longer transfers. Only after choose_by_costs(), whose
    // choices for short ones stay: the route of those shorter than kFirstLearnedBytes, which of
    // them share a frame, and up to which length a frame carries a put that is fenced alone. All
    // depend on what a message costs the processors.
    void take_learned(const CostConstants& constants);
    // From now on RMA is chosen for blocks of at least that many bytes, whatever they cost.
    void choose_from(int64_t min_block_bytes);

    // Returns the shortest block with which a put or get of that size takes the RMA route,
    // INT64_MAX if none does. Each call asks this, so it is one look-up by the size's power of two.
    int64_t min_rma_block(base::OpKind op, int64_t total_bytes) const {
        return min_block_[static_cast<size_t>(op)]
                         [std::bit_width(static_cast<uint64_t>(total_bytes))];
    }

    // Returns whether a non-blocking transfer fits a frame that others share.
    bool can_share(const TransferShape& shape) const {
        return limits_.small_bytes > 0 && shape.total_bytes <= kMaxSharingBytes &&
               shape.total_bytes <= kMaxSmallBlocks * shape.block_bytes;
    }
    // Returns whether it should, because a separate RMA operation would not cost less.
    bool should_share(base::OpKind op, const TransferShape& shape) const {
        return can_share(shape) &&
               ((op != base::OpKind::get && is_small(shape)) || shape.block_bytes < min_single(op));
    }
    // Returns from which block length on a non-blocking transfer should be RMA of its own,
    // INT64_MAX if none should.
    int64_t min_single(base::OpKind op) const { return min_single_[static_cast<size_t>(op)]; }

    // Returns the size from which a get of one block goes by remote put, INT64_MAX if none does. It
    // is at least kFirstLearnedBytes unless it was set.
    int64_t min_get_by_put() const { return min_get_by_put_; }
    void choose_get_by_put_from(int64_t min_bytes) { min_get_by_put_ = min_bytes; }

    // Returns the largest put of one block, a power of two of bytes, that goes in a frame if a
    // fence follows it, 0 if none does. It is for networks where a fence after RMA is a message of
    // its own: a frame asks for its acknowledgement itself.
    int64_t max_fenced_frame() const { return max_fenced_frame_; }
    // Returns whether predicted costs decide.
    bool chooses_by_costs() const { return chooses_by_costs_; }

    // These predict; the cost of an empty transfer is 0. There is no accumulate by RMA, so its cost
    // is infinite.
    double rma_us(base::OpKind op, const TransferShape& shape) const;
    double get_by_put_us(int64_t bytes) const;
    ServerPlan server_plan(base::OpKind op, const TransferShape& shape) const;
    ServerPlan server_plan(base::OpKind op, const TransferShape& shape, int64_t chunk_bytes) const;

    // Returns the useful depth of a long put in short blocks, in chunks of that length.
    int64_t depth_of_long(int64_t chunk_bytes) const;

    // Returns the chunk length with which the transfer takes least, of the full frame and its
    // halves down to 4 KiB.
    int64_t best_chunk_bytes(base::OpKind op, const TransferShape& shape) const;

    bool is_small(const TransferShape& shape) const {
        return shape.total_bytes <= limits_.small_bytes &&
               shape.total_bytes <= kMaxSmallBlocks * shape.block_bytes;
    }

    const CostConstants& constants() const { return constants_; }
    const PipelineLimits& limits() const { return limits_; }

  private:
    static constexpr int kSizeClasses = 65;  // one for every bit width

    StageTimes stage_times(base::OpKind op, int64_t bytes, int64_t block_bytes) const;
    // Returns how many rails a transfer in pieces of that length is divided among.
    double rails_of(int64_t bytes, int64_t piece_bytes) const;
    double steady_us(base::OpKind op, const StageTimes& stages) const;
    int64_t useful_depth(base::OpKind op, const StageTimes& stages, int64_t max) const;
    int64_t find_min_block(base::OpKind op, int64_t total_bytes) const;
    int64_t find_min_get_by_put() const;
    int64_t find_min_single(base::OpKind op) const;
    int64_t find_max_fenced_frame() const;
    void choose_by_costs_from(int first_class);

    CostConstants constants_;
    PipelineLimits limits_;
    std::array<std::array<int64_t, kSizeClasses>, base::kOpKindCount> min_block_{};
    int64_t min_get_by_put_ = INT64_MAX;
    std::array<int64_t, base::kOpKindCount> min_single_{};
    int64_t max_fenced_frame_ = 0;
    bool chooses_by_costs_ = false;
};

}  // namespace armci::pipeline

// SPDX-License-Identifier: BSD-3-Clause
// Measures transfers of this rank while they are made, and has the cost models that follow.
//
// A measurement is of transfers to one server that begin while nothing is under way, and ends when
// nothing is. It holds gets, or puts and accumulates; for the latter it ends with a fence. Only
// unambiguous ones count: no other operation between nodes was made meanwhile, and the rank spent
// most of the time inside the library. Short transfers are not measured, so they cost no clock
// read. A measured call reads the clock twice, and a wait that belongs to a measurement once. When
// enough samples are there, only one measurement in some is made.
//
// Each rank learns for itself. A route is the choice of the origin alone, so ranks need not agree.
// Only one thread may use it at a time. Where several threads call, nothing is measured.
#pragma once

#include <array>
#include <cstdint>

#include "base/stats.h"
#include "pipeline/costs/cost_model.h"
#include "pipeline/costs/learned_costs.h"
#include "pipeline/origin/origin.h"

namespace armci::core {

// What connects two nodes. Pairs of one kind have the same costs.
enum class Link : uint8_t {
    host = 0,     // virtual nodes of one host
    network = 1,  // hosts
};
inline constexpr int kLinkCount = 2;

class CostLearning {
  public:
    static constexpr int64_t kMinBytes = 16 << 10;  // of a transfer that is measured
    static constexpr int64_t kOftenSamples = 64;    // until then everything is measured
    // Then one of kRarely transfers is measured. Of those that cost about the same on both routes,
    // one of kTrialPeriod is a trial. Both numbers are odd, because programs put and get in turn.
    static constexpr int kRarely = 7;
    static constexpr int kTrialPeriod = 31;

    struct Options {
        bool learns = false;         // or all links have the prior
        int64_t min_get_by_put = 0;  // a size that the user has set, or 0
        // The adapters that chunks of one transfer are divided among, each of which needs as many
        // chunks as the model says; 0 if the user has set the number of buffers.
        int rails = 0;
    };
    // `prior` has limits, constants and choices.
    void open(const pipeline::CostModel& prior, const Options& options);

    bool learns() const { return options_.learns; }
    const pipeline::CostModel& model(Link link) const { return of(link).model; }
    const pipeline::LearnedCosts& learned(Link link) const { return of(link).costs; }

    // Returns whether this transfer to a server should take the other route than the model says. It
    // is one in some of those that cost about the same on both. A route that is never taken teaches
    // nothing. While a task or anything to that server is under way there are no trials: the change
    // of the route would take two round trips.
    bool wants_trial(const pipeline::TransferShape& shape, int64_t min_rma_block,
                     const pipeline::Origin& origin, int server);

    struct Call {
        int server = 0;
        Link link = Link::network;
        base::OpKind op = base::OpKind::put;
        base::Route route = base::Route::server;
        pipeline::TransferShape shape;
    };
    // Are called before and after the call that makes such a transfer, which has been counted.
    void begin_call(const Call& call, pipeline::Origin& origin, const base::Stats& stats);
    void end_call(pipeline::Origin& origin, const base::Stats& stats) {
        if (in_call_) {
            finish_call(origin, stats);
        }
    }
    // Is called before a wait that other ranks end, which an open measurement would include.
    void drop() { is_open_ = false; }
    // A wait for the network is over, which began then (0: it had no need to wait).
    void end_wait(int64_t began_ns, pipeline::Origin& origin, const base::Stats& stats) {
        if (is_open_ && !in_call_) {
            finish_wait(began_ns, origin, stats);
        }
    }

  private:
    static constexpr size_t kMaxShapes = 8;  // of one measurement
    struct Learner {
        pipeline::CostModel model;
        pipeline::LearnedCosts costs;
    };

    const Learner& of(Link link) const { return links_[static_cast<size_t>(link)]; }
    bool is_due(const Learner& learner);
    bool open_measurement(const Call& call, pipeline::Origin& origin, const base::Stats& stats);
    bool add(const Call& call);
    void finish_call(pipeline::Origin& origin, const base::Stats& stats);
    void finish_wait(int64_t began_ns, pipeline::Origin& origin, const base::Stats& stats);
    void end_if_over(int64_t now_ns, pipeline::Origin& origin, const base::Stats& stats);
    void take_sample(double measured_us, pipeline::Origin& origin);

    std::array<Learner, kLinkCount> links_;
    Options options_;
    int passed_over_ = 0;
    int since_trial_ = 0;

    // The measurement that is open, if any.
    bool is_open_ = false;
    bool in_call_ = false;
    int server_ = 0;
    Link link_ = Link::network;
    bool is_get_ = false;
    uint64_t operations_ = 0;  // between nodes, without those of this measurement
    int64_t began_ns_ = 0;
    int64_t call_began_ns_ = 0;
    int64_t inside_ns_ = 0;  // the library
    std::array<pipeline::TimedTransfers, kMaxShapes> transfers_;
    size_t shape_count_ = 0;
};

}  // namespace armci::core

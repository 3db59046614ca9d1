// SPDX-License-Identifier: BSD-3-Clause
// A barrier among the first ranks of the nodes, by messages between their endpoints. This is what
// one of them keeps; it knows no network.
//
// The dissemination algorithm (docs/references.md: Hensgen 1988): in round r each node tells the
// one 2^r ahead of it that it has come so far, and waits to be told by the one 2^r behind it. After
// ceil(log2 N) rounds each has heard, through others, from all.
//
// Messages may come early, by rounds or by one barrier, and in any order.
#pragma once

#include <cstdint>
#include <vector>

namespace armci::pipeline {

class InterNodeBarrier {
  public:
    InterNodeBarrier() = default;
    InterNodeBarrier(int node, int node_count);

    int node() const { return node_; }
    int round_count() const { return static_cast<int>(notifications_.size()); }
    // The node that is told, and the one that tells, in a round.
    int notified_in(int round) const;
    int notifier_in(int round) const;

    // This node comes to the next barrier.
    void arrive();
    bool is_complete() const { return round_ == round_count(); }
    // The round, while there is somebody to be told, and -1 otherwise; then say when it is done.
    int round_to_notify() const { return is_complete() || has_notified_ ? -1 : round_; }
    void note_notified();
    uint64_t number() const { return number_; }
    int round() const { return round_; }

    // Nodes that this barrier waits for and that have never told this one anything; with
    // `may_be_unsent` also those whose message of the first barrier may not have left.
    std::vector<int> silent_nodes(bool may_be_unsent) const;

    // A node's message. False when none can come from it now.
    bool take_message(int from, uint64_t round, uint64_t number);

  private:
    // By the one node that tells this one in a round, once a barrier: of all barriers up to this
    // number, and perhaps of the one after the next, whose message has overtaken another.
    struct Notified {
        uint64_t number = 0;
        bool skips_one = false;
    };
    void advance();

    int node_ = 0;
    int node_count_ = 1;
    uint64_t number_ = 0;  // of this barrier, or of the last when it is complete
    int round_ = 0;
    bool has_notified_ = false;            // in this round
    std::vector<Notified> notifications_;  // by round
};

}  // namespace armci::pipeline

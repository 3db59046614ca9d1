// SPDX-License-Identifier: BSD-3-Clause
// A barrier among the nodes of a group, by messages between its first members there. This is the
// state of one of them, without the network. Nodes have numbers in the group here, from 0.
//
// It uses the dissemination algorithm (docs/references.md: Hensgen 1988). In round r each node
// notifies the one 2^r ahead of it, and waits for the notification of the one 2^r behind it. After
// ceil(log2 N) rounds each knows, through others, that all have come.
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
    // Return the node that this one notifies in a round, and the node that notifies this one.
    int notified_in(int round) const;
    int notifier_in(int round) const;

    // This node arrives at the next barrier.
    void arrive();
    bool is_complete() const { return round_ == round_count(); }
    // Returns the round whose notification is due, -1 when none is. Call note_notified() when it is
    // sent.
    int round_to_notify() const { return is_complete() || has_notified_ ? -1 : round_; }
    void note_notified();
    uint64_t number() const { return number_; }
    int round() const { return round_; }

    // Returns the nodes that this barrier waits for and that have never sent anything to this one.
    // With `may_be_unsent` it adds those to which this node's first message may not have left.
    std::vector<int> silent_nodes(bool may_be_unsent) const;

    // Takes a node's message. Returns false when none can come from it now.
    bool take_message(int from, uint64_t round, uint64_t number);

  private:
    // What the one node that notifies this one in a round, once a barrier, has notified: all
    // barriers up to this number. It may include the one after the next, if its message has
    // overtaken another.
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

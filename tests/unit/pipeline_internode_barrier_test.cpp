// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/internode_barrier.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace armci::pipeline::test {
namespace {

struct Message {
    int from = 0;
    int to = 0;
    int round = 0;
    uint64_t number = 0;
};

// Nodes whose messages arrive in any order.
class Nodes {
  public:
    Nodes(int count, unsigned seed) : random_(seed) {
        for (int node = 0; node < count; ++node) {
            nodes_.emplace_back(node, count);
        }
    }

    InterNodeBarrier& operator[](int node) { return nodes_[static_cast<size_t>(node)]; }

    void arrive(int node) {
        (*this)[node].arrive();
        notify(node);
    }
    // Returns false if no message is under way.
    bool deliver_one() {
        if (on_the_way_.empty()) {
            return false;
        }
        std::swap(on_the_way_[random_() % on_the_way_.size()], on_the_way_.back());
        const Message message = on_the_way_.back();
        on_the_way_.pop_back();
        EXPECT_TRUE((*this)[message.to].take_message(
            message.from, static_cast<uint64_t>(message.round), message.number));
        notify(message.to);
        return true;
    }
    size_t draw(size_t limit) { return random_() % limit; }
    int sent() const { return sent_; }

  private:
    void notify(int node) {
        InterNodeBarrier& barrier = (*this)[node];
        while (barrier.round_to_notify() >= 0) {
            const int round = barrier.round_to_notify();
            on_the_way_.push_back({node, barrier.notified_in(round), round, barrier.number()});
            ++sent_;
            barrier.note_notified();
        }
    }

    std::vector<InterNodeBarrier> nodes_;
    std::vector<Message> on_the_way_;
    std::minstd_rand random_;
    int sent_ = 0;
};

TEST(InterNodeBarrier, NoNodePassesBeforeTheLastArrives) {
    for (int count = 2; count <= 33; ++count) {
        for (unsigned seed = 0; seed < 20; ++seed) {
            Nodes nodes(count, seed);
            const auto last = static_cast<int>(nodes.draw(static_cast<size_t>(count)));
            for (int node = 0; node < count; ++node) {
                if (node != last) {
                    nodes.arrive(node);
                }
            }
            while (nodes.deliver_one()) {
            }
            for (int node = 0; node < count; ++node) {
                EXPECT_EQ(nodes[node].is_complete(), node == last);  // the last rank is at no node
            }
            nodes.arrive(last);
            while (nodes.deliver_one()) {
            }
            for (int node = 0; node < count; ++node) {
                EXPECT_TRUE(nodes[node].is_complete()) << node << " of " << count;
            }
            EXPECT_EQ(nodes.sent(), count * nodes[0].round_count());
        }
    }
}

TEST(InterNodeBarrier, AcceptsMessagesOneBarrierAheadInAnyOrder) {
    constexpr int kBarriers = 30;
    for (int count = 2; count <= 19; ++count) {
        Nodes nodes(count, static_cast<unsigned>(count));
        for (int node = 0; node < count; ++node) {
            nodes.arrive(node);
        }
        bool is_over = false;
        while (!is_over) {
            const bool moved = nodes.draw(2) == 0 && nodes.deliver_one();
            const auto node = static_cast<int>(nodes.draw(static_cast<size_t>(count)));
            if (nodes[node].is_complete() && nodes[node].number() < kBarriers) {
                for (int other = 0; other < count; ++other) {
                    ASSERT_GE(nodes[other].number(), nodes[node].number());
                }
                nodes.arrive(node);
            } else if (!moved && !nodes.deliver_one()) {
                is_over = true;
                for (int other = 0; other < count; ++other) {
                    is_over = is_over && nodes[other].number() == kBarriers;
                }
            }
        }
        for (int node = 0; node < count; ++node) {
            EXPECT_TRUE(nodes[node].is_complete());
        }
    }
}

TEST(InterNodeBarrier, RefusesImpossibleMessages) {
    InterNodeBarrier barrier(1,
                             4);  // it gets a message of node 0 in round 0 and of node 3 in round 1
    barrier.arrive();
    EXPECT_FALSE(barrier.take_message(2, 0, 1));  // another node's turn
    EXPECT_FALSE(barrier.take_message(3, 0, 1));
    EXPECT_FALSE(barrier.take_message(0, 2, 1));  // no such round
    EXPECT_FALSE(barrier.take_message(0, ~uint64_t{0}, 1));
    EXPECT_FALSE(barrier.take_message(0, 0, 0));
    EXPECT_TRUE(barrier.take_message(0, 0, 2));   // one ahead, and before the first
    EXPECT_FALSE(barrier.take_message(0, 0, 2));  // twice
    EXPECT_FALSE(barrier.take_message(0, 0, 3));  // two ahead: this node has not said 2 yet
    EXPECT_TRUE(barrier.take_message(0, 0, 1));
    EXPECT_FALSE(barrier.take_message(0, 0, 1));
    EXPECT_FALSE(barrier.take_message(0, 0, 2));
    EXPECT_TRUE(barrier.take_message(3, 1, 1));
    EXPECT_FALSE(barrier.take_message(3, 1, 1));
}

TEST(InterNodeBarrier, ListsSilentNodes) {
    InterNodeBarrier barrier(1, 4);
    EXPECT_TRUE(barrier.silent_nodes(false).empty());
    barrier.arrive();
    EXPECT_EQ(barrier.silent_nodes(false), std::vector<int>{0});
    EXPECT_EQ(barrier.silent_nodes(true), (std::vector<int>{0, 2}));
    barrier.note_notified();
    ASSERT_TRUE(barrier.take_message(0, 0, 1));
    EXPECT_EQ(barrier.silent_nodes(false), std::vector<int>{3});
    EXPECT_EQ(barrier.silent_nodes(true), (std::vector<int>{3, 2, 3}));
    barrier.note_notified();
    ASSERT_TRUE(barrier.take_message(3, 1, 1));
    ASSERT_TRUE(barrier.is_complete());
    EXPECT_TRUE(barrier.silent_nodes(false).empty());
    barrier.arrive();
    EXPECT_TRUE(barrier.silent_nodes(true).empty());
}

TEST(InterNodeBarrier, OneNodeDoesNotWait) {
    InterNodeBarrier barrier(0, 1);
    EXPECT_EQ(barrier.round_count(), 0);
    barrier.arrive();
    EXPECT_TRUE(barrier.is_complete());
}

}  // namespace
}  // namespace armci::pipeline::test

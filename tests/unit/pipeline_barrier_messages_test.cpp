// SPDX-License-Identifier: BSD-3-Clause
// Barriers among nodes over the network: those of several groups at a time, whose members overlap.
#include "pipeline/origin/barrier_messages.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "frame_builder.h"
#include "server_fixture.h"
#include "stderr_capture.h"

namespace armci::test {
namespace {

using pipeline::BarrierMessages;
using pipeline::InterNodeBarrier;
using pipeline::JoinedBarrier;

constexpr int kRanks = 5;  // each is the first one of its node

class Barriers : public ::testing::Test {
  protected:
    void SetUp() override {
        NetworkOptions options;
        options.origin_count = kRanks;
        network_ = std::make_unique<TestNetwork>(options);
        ASSERT_EQ(network_->error(), "");
    }

    // The barrier of a group, by place in the group.
    using Joined = std::vector<std::shared_ptr<JoinedBarrier>>;

    Joined join(uint64_t group, const std::vector<int>& ranks) {
        Joined joined;
        for (size_t place = 0; place < ranks.size(); ++place) {
            joined.push_back(
                messages(ranks[place])
                    .join("ARMCI_Group_create", group,
                          InterNodeBarrier(static_cast<int>(place), static_cast<int>(ranks.size())),
                          [&](int other) {
                              const int rank = ranks[static_cast<size_t>(other)];
                              return BarrierMessages::Partner{rank, 10 + rank, token_of_rank(rank),
                                                              messages(rank).address().data()};
                          }));
        }
        return joined;
    }
    BarrierMessages& messages(int rank) { return network_->origin(rank).barriers(); }
    // Polls until nothing is left to arrive, as far as a test can know.
    void poll_for_a_while() {
        for (int turn = 0; turn < 2000; ++turn) {
            network_->progress();
        }
    }

    std::unique_ptr<TestNetwork> network_;
};

TEST_F(Barriers, EndWhenTheLastMemberHasCome) {
    const std::vector<int> ranks = {3, 0, 4, 1, 2};
    const Joined joined = join(7, ranks);
    for (size_t last = 0; last < ranks.size(); ++last) {
        for (size_t place = 0; place < ranks.size(); ++place) {
            if (place != last) {
                messages(ranks[place]).arrive(*joined[place]);
            }
        }
        poll_for_a_while();
        for (size_t place = 0; place < ranks.size(); ++place) {
            EXPECT_EQ(joined[place]->is_complete(), place == last);
            EXPECT_EQ(messages(ranks[place]).none_under_way(), place == last);
        }
        messages(ranks[last]).arrive(*joined[last]);
        for (size_t place = 0; place < ranks.size(); ++place) {
            network_->wait_until([&] { return joined[place]->is_past(); });
            EXPECT_TRUE(messages(ranks[place]).none_under_way());
        }
    }
}

// Whoever has left is not looked at again, so the barrier may be destroyed. A call that looks for
// free buffers may take the last message, behind notify().
TEST_F(Barriers, MayBeDestroyedWhenTheyHaveBeenLeft) {
    const Joined joined = join(7, {0, 1});
    messages(0).arrive(*joined[0]);
    poll_for_a_while();
    wire::FrameHeader header;
    header.rank = wire::number_of_origin(1);
    header.sequence = 1;
    header.flow = 7;
    messages(0).take(header);
    EXPECT_TRUE(joined[0]->is_complete());
    messages(0).leave(*joined[0]);
    EXPECT_TRUE(messages(0).none_under_way());
}

// Rank 1 is in all three groups, and a barrier of each is under way at the same time.
TEST_F(Barriers, OfSeveralGroupsAreUnderWayAtATime) {
    const std::vector<std::vector<int>> groups = {{0, 1}, {1, 2, 0}, {4, 3, 2, 1}};
    std::vector<Joined> joined;
    for (size_t group = 0; group < groups.size(); ++group) {
        joined.push_back(join(group + 1, groups[group]));
    }
    for (int round = 0; round < 20; ++round) {
        for (size_t group = 0; group < groups.size(); ++group) {
            const size_t here = (group + static_cast<size_t>(round)) % groups.size();
            for (size_t place = 0; place < groups[here].size(); ++place) {
                if (groups[here][place] != 1) {
                    messages(groups[here][place]).arrive(*joined[here][place]);
                }
            }
        }
        // Rank 1 comes to one after the other; only that one ends.
        for (size_t step = 0; step < groups.size(); ++step) {
            const size_t group = (step + static_cast<size_t>(round)) % groups.size();
            for (size_t place = 0; place < groups[group].size(); ++place) {
                EXPECT_FALSE(joined[group][place]->is_complete() && groups[group][place] != 1);
                if (groups[group][place] == 1) {
                    messages(1).arrive(*joined[group][place]);
                }
            }
            for (const auto& barrier : joined[group]) {
                network_->wait_until([&] { return barrier->is_past(); });
            }
        }
    }
}

TEST_F(Barriers, RanksAreKnownByTheirTokens) {
    EXPECT_EQ(messages(0).token_of(1), wire::kNoToken);
    const Joined joined = join(1, {0, 1, 2});
    EXPECT_EQ(messages(0).token_of(1), token_of_rank(1));
    EXPECT_EQ(messages(0).token_of(3), wire::kNoToken);
    EXPECT_EQ(messages(0).token_of(-1), wire::kNoToken);
}

// A member that has left takes no more messages of the group, and says so.
TEST_F(Barriers, MessagesForAGroupThatWasLeftAreIgnored) {
    Joined joined = join(5, {0, 1});
    joined[0].reset();
    const StderrCapture captured;
    messages(1).arrive(*joined[1]);
    network_->wait_until([&] {
        return captured.text().find("barrier 1 of group 5 that rank 1 cannot have sent") !=
               std::string::npos;
    });
    EXPECT_FALSE(joined[1]->is_complete());
    // A new group of the same ranks is not disturbed.
    const Joined next = join(6, {0, 1});
    messages(0).arrive(*next[0]);
    messages(1).arrive(*next[1]);
    network_->wait_until([&] { return next[0]->is_past() && next[1]->is_past(); });
}

TEST_F(Barriers, ReportsSayWhatIsAwaited) {
    const Joined joined = join(9, {2, 0, 1});
    EXPECT_EQ(messages(0).describe(), "");
    EXPECT_TRUE(messages(0).silent_nodes().empty());
    messages(0).arrive(*joined[1]);
    network_->wait_until([&] { return network_->origin(0).load().posts == 0; });
    EXPECT_EQ(messages(0).describe(),
              "barrier 1 among nodes of group 9 waits for node 12, in round 1 of 2");
    EXPECT_EQ(messages(0).silent_nodes(), std::vector<int>{12});
    messages(2).arrive(*joined[0]);
    messages(1).arrive(*joined[2]);
    for (const auto& barrier : joined) {
        network_->wait_until([&] { return barrier->is_past(); });
    }
    EXPECT_EQ(messages(0).describe(), "");
}

}  // namespace
}  // namespace armci::test

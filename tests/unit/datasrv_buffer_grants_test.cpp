// SPDX-License-Identifier: BSD-3-Clause
// Which client is granted receive buffers: by the rules of buffer_grants.h, also under random use.
#include "datasrv/buffer_grants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace armci::datasrv::test {
namespace {

constexpr uint32_t kRoom = 8;

std::vector<uint32_t> grant_to(BufferGrants& grants, const GrantClient& expected) {
    GrantClient* client = nullptr;
    uint32_t recv_buffers[kRoom];
    const uint32_t count = grants.next(kRoom, &client, recv_buffers);
    EXPECT_TRUE(count == 0 || client == &expected);
    return {recv_buffers, recv_buffers + count};
}

TEST(BufferGrants, GrantsOneClientAtMostHalfOfTheBuffers) {
    BufferGrants grants;
    grants.open(16);
    GrantClient client;
    grants.want(client, 5);
    EXPECT_THAT(grant_to(grants, client), testing::SizeIs(5));
    EXPECT_EQ(client.held, 5U);
    EXPECT_THAT(grant_to(grants, client), testing::IsEmpty());
    grants.want(client, 11);
    EXPECT_THAT(grant_to(grants, client), testing::SizeIs(3));
    EXPECT_THAT(grant_to(grants, client), testing::IsEmpty());
    EXPECT_EQ(grants.free_count(), 8U) << "another may come";
}

TEST(BufferGrants, GrantsSeveralBuffersAtATimeToAnActiveClient) {
    BufferGrants grants;
    grants.open(16);
    GrantClient client;
    grants.want(client, 16);
    const std::vector<uint32_t> recv_buffers = grant_to(grants, client);
    ASSERT_THAT(recv_buffers, testing::SizeIs(8));
    grants.want(client, 16);
    EXPECT_THAT(grant_to(grants, client), testing::IsEmpty());
    ASSERT_TRUE(grants.use(client, recv_buffers[0]));
    EXPECT_THAT(grant_to(grants, client), testing::IsEmpty()) << "each grant is a message";
    ASSERT_TRUE(grants.use(client, recv_buffers[1]));
    EXPECT_THAT(grant_to(grants, client), testing::SizeIs(2));
}

// A message has room for fewer buffers than a quarter of what the client may hold.
TEST(BufferGrants, GrantsAClientItsHalfOfManyBuffersInSeveralMessages) {
    BufferGrants grants;
    grants.open(128);
    GrantClient client;
    grants.want(client, 100);
    for (uint32_t held = kRoom; held <= 64; held += kRoom) {
        EXPECT_THAT(grant_to(grants, client), testing::SizeIs(kRoom));
        EXPECT_EQ(client.held, held);
    }
    EXPECT_THAT(grant_to(grants, client), testing::IsEmpty());
}

TEST(BufferGrants, BufferIsUsedOnceAndOnlyByItsHolder) {
    BufferGrants grants;
    grants.open(4);
    GrantClient mine;
    GrantClient other;
    grants.want(mine, 1);
    const std::vector<uint32_t> recv_buffers = grant_to(grants, mine);
    ASSERT_THAT(recv_buffers, testing::SizeIs(1));
    EXPECT_FALSE(grants.use(other, recv_buffers[0]));
    EXPECT_FALSE(grants.use(mine, recv_buffers[0] + 1));
    EXPECT_FALSE(grants.use(mine, 4));
    EXPECT_TRUE(grants.use(mine, recv_buffers[0]));
    EXPECT_FALSE(grants.use(mine, recv_buffers[0]));
    EXPECT_EQ(grants.free_count(), 3U) << "it is free when its frame has been executed";
    grants.release(recv_buffers[0]);
    EXPECT_EQ(grants.free_count(), 4U);
}

TEST(BufferGrants, SharesBuffersEquallyAmongRequestingClients) {
    BufferGrants grants;
    grants.open(16);
    std::vector<GrantClient> clients(4);
    for (GrantClient& client : clients) {
        grants.want(client, 100);
    }
    GrantClient* client = nullptr;
    uint32_t recv_buffers[kRoom];
    while (grants.next(kRoom, &client, recv_buffers) > 0) {
    }
    for (const GrantClient& each : clients) {
        EXPECT_EQ(each.held, 4U);
    }
}

TEST(BufferGrants, IdleHolderLeavesHalfToOtherClients) {
    BufferGrants grants;
    grants.open(8);
    GrantClient first;
    GrantClient second;
    grants.want(first, 100);
    EXPECT_THAT(grant_to(grants, first), testing::SizeIs(4));
    grants.want(first, 0);
    grants.want(second, 100);
    EXPECT_THAT(grant_to(grants, second), testing::SizeIs(4));
    EXPECT_THAT(grant_to(grants, second), testing::IsEmpty()) << "nothing is free";
}

TEST(BufferGrants, GrantsOneBufferToManyClientsInTurn) {
    BufferGrants grants;
    grants.open(1);
    std::vector<GrantClient> clients(100);
    for (GrantClient& client : clients) {
        grants.want(client, 1);
    }
    std::vector<int> turns(clients.size());
    for (size_t turn = 0; turn < 10 * clients.size(); ++turn) {
        GrantClient* client = nullptr;
        uint32_t recv_buffer = 0;
        ASSERT_EQ(grants.next(1, &client, &recv_buffer), 1U);
        ++turns[static_cast<size_t>(client - clients.data())];
        ASSERT_TRUE(grants.use(*client, recv_buffer));
        grants.want(*client, 1);
        grants.release(recv_buffer);
    }
    EXPECT_THAT(turns, testing::Each(10));
}

TEST(BufferGrants, GrantsNothingAfterARequestIsWithdrawn) {
    BufferGrants grants;
    grants.open(4);
    GrantClient client;
    grants.want(client, 3);
    grants.want(client, 0);
    EXPECT_THAT(grant_to(grants, client), testing::IsEmpty());
    EXPECT_EQ(grants.keep(), 1U);
}

// Every buffer is held by exactly one client, or free, or being read. No client exceeds its share
// for long. Every client that wants buffers gets some as long as others release theirs.
TEST(BufferGrants, RandomUseNeitherLosesNorDuplicatesBuffers) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        std::mt19937 random(seed);
        const uint32_t recv_buffer_count = 1 + random() % 200;
        BufferGrants grants;
        grants.open(recv_buffer_count);
        std::vector<GrantClient> clients(1 + random() % 12);
        std::vector<std::set<uint32_t>> held(clients.size());
        std::set<uint32_t> being_read;
        for (int step = 0; step < 3000; ++step) {
            const size_t index = random() % clients.size();
            switch (random() % 4) {
                case 0:
                    grants.want(clients[index], random() % 20);
                    break;
                case 1: {
                    GrantClient* client = nullptr;
                    uint32_t recv_buffers[kRoom];
                    const uint32_t count = grants.next(kRoom, &client, recv_buffers);
                    for (uint32_t i = 0; i < count; ++i) {
                        const auto to = static_cast<size_t>(client - clients.data());
                        for (const std::set<uint32_t>& other : held) {
                            ASSERT_FALSE(other.contains(recv_buffers[i]));
                        }
                        ASSERT_FALSE(being_read.contains(recv_buffers[i]));
                        held[to].insert(recv_buffers[i]);
                    }
                    break;
                }
                case 2:
                    if (!held[index].empty()) {
                        const uint32_t recv_buffer = *held[index].begin();
                        ASSERT_TRUE(grants.use(clients[index], recv_buffer));
                        held[index].erase(recv_buffer);
                        being_read.insert(recv_buffer);
                    }
                    break;
                default:
                    if (!being_read.empty()) {
                        grants.release(*being_read.begin());
                        being_read.erase(being_read.begin());
                    }
            }
            size_t accounted = being_read.size() + grants.free_count();
            for (size_t i = 0; i < clients.size(); ++i) {
                ASSERT_EQ(clients[i].held, held[i].size());
                accounted += held[i].size();
            }
            ASSERT_EQ(accounted, recv_buffer_count);
        }
    }
}

}  // namespace
}  // namespace armci::datasrv::test

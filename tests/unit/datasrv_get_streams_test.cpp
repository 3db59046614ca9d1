// SPDX-License-Identifier: BSD-3-Clause
// The order in which gets are answered when the data server's buffers do not suffice for all.
#include "datasrv/get_streams.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <string>
#include <vector>

#include "datasrv/server_options.h"
#include "fabric/domain.h"
#include "fabric/endpoint.h"
#include "fabric/environment.h"
#include "raw_client.h"

namespace armci::datasrv::test {
namespace {

constexpr size_t kArenaBytes = 64 << 10;
constexpr size_t kShortBytes = 400;     // a piece of 1 KiB
constexpr size_t kLongBytes = 7 << 10;  // a piece of 8 KiB

class GetStreamsTest : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string error;
        ASSERT_TRUE(armci::test::open_default_domain(&domain_, 4, &error)) << error;
        ServerOptions options;
        options.buffer_count = 1;
        options.buffer_bytes = kArenaBytes;
        ASSERT_TRUE(endpoint_.open(domain_, {}, &error)) << error;
        ASSERT_TRUE(frames_.open(options, domain_, endpoint_, &error)) << error;
        ASSERT_TRUE(answers_.open(domain_, endpoint_, &error)) << error;
        const fabric::PeerAddress self = endpoint_.insert_peer(endpoint_.address().data());
        for (Client* client : {&first_, &second_}) {
            client->peer = self;
            client->data_under_way = 1;  // the reserve is for clients without
        }
        first_.rank = 1;
        second_.rank = 2;
        get(first_, 1, kShortBytes);  // connects
        send_all();
    }
    void TearDown() override {
        streams_.clear();
        std::for_each(held_.begin(), held_.end(), ReplySender::release);
        while (endpoint_.outstanding() > 0) {
            endpoint_.poll();
            sched_yield();
        }
        endpoint_.close();
        answers_.close();
        frames_.close();
    }

    void get(Client& client, uint64_t request, size_t bytes) {
        streams_.answer(client, request, std::vector<char>(bytes), {});
    }
    // Takes buffers until so much is left of what these clients may have.
    void leave_room(size_t bytes) {
        while (frames_.used_bytes() + bytes < kArenaBytes - kArenaBytes / 4) {
            OutReply* frame = frames_.make(other_, 0, kShortBytes);
            ASSERT_NE(frame, nullptr);
            held_.push_back(frame);
        }
    }
    void give_back() {
        std::for_each(held_.begin(), held_.end(), ReplySender::release);
        held_.clear();
    }
    void send_all() {
        while (streams_.count() > 0 || endpoint_.outstanding() > 0) {
            streams_.progress();
            endpoint_.poll();
            sched_yield();
        }
    }

    const fabric::LibfabricEnvironment environment_;
    fabric::Domain domain_;
    fabric::Endpoint endpoint_;
    ReplySender sender_{endpoint_};
    Answers answers_{sender_};
    DataFrames frames_{sender_};
    GetStreams streams_{sender_, frames_, answers_};
    Client first_;
    Client second_;
    Client other_;
    std::vector<OutReply*> held_;
};

TEST_F(GetStreamsTest, AreAnsweredAtOnceWhereThereIsRoom) {
    leave_room(kArenaBytes / 4);
    get(first_, 2, kLongBytes);
    EXPECT_EQ(streams_.count(), 0U);
}

// Otherwise short gets, of which more and more come, would take what the long one waits for.
TEST_F(GetStreamsTest, AShortOneDoesNotPassALongOneOfItsClient) {
    leave_room(4 << 10);
    get(first_, 2, kLongBytes);
    get(first_, 3, kShortBytes);
    EXPECT_FALSE(streams_.progress());
    EXPECT_EQ(streams_.count(), 2U);
    give_back();
    EXPECT_TRUE(streams_.progress());
    EXPECT_EQ(streams_.count(), 0U);
}

TEST_F(GetStreamsTest, AShortOneOfAnotherClientNeedNotWait) {
    leave_room(4 << 10);
    get(first_, 2, kLongBytes);
    get(second_, 3, kShortBytes);
    EXPECT_TRUE(streams_.progress());
    EXPECT_EQ(streams_.count(), 1U);
}

// A new get waits for its turn although there is room for it by now.
TEST_F(GetStreamsTest, ANewOneDoesNotPassThoseThatWait) {
    leave_room(4 << 10);
    get(first_, 2, kLongBytes);
    give_back();
    get(second_, 3, kShortBytes);
    EXPECT_EQ(streams_.count(), 2U);
    EXPECT_TRUE(streams_.progress());
    EXPECT_EQ(streams_.count(), 0U);
    get(second_, 4, kShortBytes);  // none waits any more
    EXPECT_EQ(streams_.count(), 0U);
}

}  // namespace
}  // namespace armci::datasrv::test

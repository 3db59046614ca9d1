// SPDX-License-Identifier: BSD-3-Clause
// Before origins close their endpoints a data server stops sending to them.
#include "served_by_hand.h"

namespace armci::test {
namespace {

struct ServerSilence : ServedByHand {
    // Rank `rank` holds as many buffers as it may, and wants more.
    void want_all(int rank, uint8_t flags = 0) {
        talk_as(rank);
        handshake();
        Frame want = make_frame(wire::FrameKind::want);
        header_of(want).flow = server().recv_area().recv_buffer_count;
        header_of(want).flags |= flags;
        client_->send(client_->next(std::move(want)));
    }
    // What was sent has been executed, but not acknowledged.
    void wait_for_free_recv_buffers(size_t count) {
        wait_until(
            [&] { return server().load().free_recv_buffers == static_cast<int64_t>(count); });
        ASSERT_EQ(server().load().free_recv_buffers, static_cast<int64_t>(count));
    }
};

// Buffers become free that a client wanted which has left, by a write that requests an
// acknowledgement.
TEST_F(ServerSilence, SendsNothingToOriginsThatMayHaveLeft) {
    const std::vector<uint32_t> recv_buffers = acquire_recv_buffers(recv_buffers_per_client());
    RawClient* first = client_;
    want_all(2);
    wait_for_free_recv_buffers(0);
    want_all(3, wire::kAcknowledgeNow);
    wait_until([&] { return client_->acknowledged_frames() == client_->sent_frames(); });
    ASSERT_TRUE(client_->granted_recv_buffers().empty());
    server().fall_silent();
    wait_until([&] { return server().has_fallen_silent(); });
    ASSERT_TRUE(server().has_fallen_silent());
    delete std::exchange(clients_[3], nullptr);

    client_ = first;
    const uint64_t acknowledged = client_->acknowledged_frames();
    Frame immediate = return_frame(recv_buffers);
    header_of(immediate).flags |= wire::kAcknowledgeNow;
    client_->send(client_->next(std::move(immediate)));
    wait_for_free_recv_buffers(recv_buffers.size());
    EXPECT_EQ(client_->acknowledged_frames(), acknowledged);
    const datasrv::Server::Load load = server().load();
    EXPECT_EQ(load.posts, 0);
    EXPECT_EQ(load.waiting_answers, 0);
    EXPECT_EQ(load.acknowledgements, 0);
    close();  // this server is of no use to other tests
}

}  // namespace
}  // namespace armci::test

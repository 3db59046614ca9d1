// SPDX-License-Identifier: BSD-3-Clause
// Frames that origins write into their mailboxes, and answers that a data server writes into slots.
#include "served_by_hand.h"

namespace armci::test {
namespace {

class ServerMailbox : public ServedByHand {
  protected:
    void SetUp() override {
        ServedByHand::SetUp();
        if (!HasFatalFailure() && !network_->domain(0).shows_writes()) {
            GTEST_SKIP() << "the provider does not show writes";
        }
    }
    // The server knows no other ranks then.
    void start_anew() {
        close();
        ASSERT_NO_FATAL_FAILURE(open());
    }
    // Returns 1 + the number of the client's mailbox, as the server's last answer says.
    uint32_t mailbox() {
        fence();
        return client_->answers().back().header.levels;
    }
    // A numbered request that adds to the first word.
    Frame request(int64_t operand, uint32_t slot = 0) {
        Frame frame = client_->next(rmw_frame(node::WordOperation::fetch_add_long, base_, operand));
        header_of(frame).request_id = ++last_request_;
        header_of(frame).flags = static_cast<uint8_t>(slot << wire::kAnswerSlotShift);
        return frame;
    }
    int64_t word() const {
        int64_t value = 0;
        std::memcpy(&value, memory_, sizeof value);
        return value;
    }
    void add_to_expected(int64_t operand) {
        int64_t value = 0;
        std::memcpy(&value, expected_.data(), sizeof value);
        value += operand;
        std::memcpy(expected_.data(), &value, sizeof value);
    }
    RawClient::Answer wait_for_slot(uint32_t slot) {
        RawClient::Answer answer;
        wait_until([&] {
            answer = client_->take_from_slot(slot);
            return !answer.bytes.empty();
        });
        return answer;
    }
};

// There are three, and the fixture's own origin has the first one.
TEST_F(ServerMailbox, FirstOriginsHaveOne) {
    ASSERT_NO_FATAL_FAILURE(start_anew());
    RawClient* const first = client_;
    EXPECT_EQ(mailbox(), 2U);
    talk_as(2);
    handshake();
    EXPECT_EQ(mailbox(), 3U);
    talk_as(3);
    handshake();
    EXPECT_EQ(mailbox(), 0U);
    client_ = first;
    EXPECT_EQ(mailbox(), 2U);
    close();  // ranks 2 and 3 are known now
}

TEST_F(ServerMailbox, FramesThereAreExecuted) {
    const uint32_t number = mailbox() - 1;
    const int64_t before = word();
    client_->write_into_mailbox(request(5), number);
    const RawClient::Answer answer = wait_for(wire::FrameKind::value, last_request_);
    EXPECT_EQ(answer.body<wire::ValueBody>().value, before);
    EXPECT_EQ(answer.header.sequence, client_->sent_frames());
    add_to_expected(5);
    expect_memory();
    // It counts as a message.
    const uint64_t bytes = client_->acknowledged_bytes();
    client_->write_into_mailbox(request(1), number);
    EXPECT_EQ(wait_for(wire::FrameKind::value, last_request_).header.flow,
              bytes + frame_bytes(rmw_frame(node::WordOperation::fetch_add_long, base_, 1)));
    add_to_expected(1);
    expect_good_service();
}

// The server looks again and again while a frame arrives. Here its end comes late.
TEST_F(ServerMailbox, FramesAreExecutedWhenTheyAreComplete) {
    const uint32_t number = mailbox() - 1;
    const Frame frame = request(7);
    const int64_t before = word();
    client_->write_into_mailbox(frame, number, RawClient::Seal::none);
    wait_until([&] { return client_->has_completed(); });
    expect_good_service();
    EXPECT_EQ(word(), before);
    EXPECT_EQ(client_->find(wire::FrameKind::value, last_request_), nullptr);
    client_->write_into_mailbox(frame, number);
    wait_for(wire::FrameKind::value, last_request_);
    add_to_expected(7);
    expect_memory();
    // Once, and the seal that lies there does not complete the next one.
    const Frame next = request(9);
    client_->write_into_mailbox(next, number, RawClient::Seal::none);
    wait_until([&] { return client_->has_completed(); });
    expect_good_service();
    expect_memory();
    client_->write_into_mailbox(next, number);
    wait_for(wire::FrameKind::value, last_request_);
    add_to_expected(9);
    expect_memory();
}

TEST_F(ServerMailbox, FramesOfOtherOriginsAreNotExecuted) {
    const uint32_t number = mailbox() - 1;
    const Frame good = request(3);
    const auto expect_ignored = [&](auto&& change) {
        Frame frame = good;
        change(frame);
        client_->write_into_mailbox(frame, number, RawClient::Seal::none);
        wait_until([&] { return client_->has_completed(); });
        expect_good_service();
    };
    {
        const StderrCapture captured;
        expect_ignored([&](Frame& frame) {  // another rank's, which would be its first
            header_of(frame).sequence = 1;
            header_of(frame).rank = 2;
            header_of(frame).token = token_of_rank(2);
            frame.push_back(token_of_rank(2));
        });
        EXPECT_EQ(captured.text(), "");
    }
    expect_ignored([&](Frame& frame) {  // of another job
        header_of(frame).token = token_of_rank(kRawRank) + 1;
        frame.push_back(token_of_rank(kRawRank) + 1);
    });
    expect_ignored([&](Frame& frame) {  // with another seal
        frame.push_back(token_of_rank(2));
    });
    expect_ignored([&](Frame& frame) {  // longer than a mailbox
        header_of(frame).frame_bytes = pipeline::kMailboxBytes;
        frame.push_back(token_of_rank(kRawRank));
    });
    const auto expect_warning = [&](auto&& change) {
        const StderrCapture captured;
        expect_ignored([&](Frame& frame) {
            change(header_of(frame));
            frame.push_back(token_of_rank(kRawRank));
        });
        wait_for_warning(captured, "into its mailbox, which is no request");
    };
    expect_warning([](auto& header) { header.version = wire::kVersion + 1; });
    expect_warning([](auto& header) { header.flow = wire::encode_flow({0, 1}); });
    expect_memory();
    client_->write_into_mailbox(good, number);
    wait_for(wire::FrameKind::value, last_request_);
    add_to_expected(3);
    expect_memory();
}

TEST_F(ServerMailbox, AnswersGoIntoTheSlotThatWasLent) {
    ASSERT_NO_FATAL_FAILURE(start_anew());
    talk_as(2);
    client_->send(client_->next(client_->hello_with_slots()));
    ASSERT_EQ(mailbox(), 3U);
    const uint32_t number = 2;
    for (const uint32_t slot : {1U, wire::kAnswerSlots}) {
        const int64_t before = word();
        client_->write_into_mailbox(request(2, slot), number);
        const RawClient::Answer answer = wait_for_slot(slot - 1);
        EXPECT_EQ(answer.header.kind, wire::FrameKind::value);
        EXPECT_EQ(answer.header.request_id, last_request_);
        EXPECT_EQ(answer.header.sequence, client_->sent_frames());
        EXPECT_EQ(answer.body<wire::ValueBody>().value, before);
        EXPECT_EQ(client_->find(wire::FrameKind::value, last_request_), nullptr);
        // It was lent for one frame.
        client_->write_into_mailbox(request(2), number);
        wait_for(wire::FrameKind::value, last_request_);
        EXPECT_TRUE(client_->take_from_slot(slot - 1).bytes.empty());
        add_to_expected(4);
    }
    expect_memory();
    close();  // rank 2 is known now
}

TEST_F(ServerMailbox, SlotsOfOriginsWithoutSlotsAreNotUsed) {
    const uint32_t number = mailbox() - 1;  // before the request gets its number
    client_->write_into_mailbox(request(4, 3), number);
    wait_for(wire::FrameKind::value, last_request_);
    add_to_expected(4);
    expect_memory();
}

TEST_F(ServerMailbox, HandshakeMustEndWithItsSlots) {
    talk_as(3);
    for (const size_t bytes : {size_t{8}, sizeof(wire::AnswerSlotsBody) + 8}) {
        Frame frame = client_->hello();
        frame.resize(frame.size() + bytes / sizeof(uint64_t));
        header_of(frame).frame_bytes = static_cast<uint32_t>(frame_bytes(frame));
        const StderrCapture captured;
        client_->send(client_->numbered(frame, 1));
        wait_for_warning(captured, "handshake of rank 3 without a valid address");
    }
    handshake();
    expect_good_service();
    close();  // rank 3 is known now
}

}  // namespace
}  // namespace armci::test

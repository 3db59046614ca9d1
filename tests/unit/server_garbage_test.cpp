// SPDX-License-Identifier: BSD-3-Clause
// A data server ignores messages that are no requests, or are out of sequence, with a warning. They
// change no memory, and other ranks are still served.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "base/strangers.h"
#include "served_by_hand.h"

namespace armci::test {
namespace {

using node::WordOperation;
using wire::FrameKind;

constexpr const char* kStranger = "that no rank of this job has sent";
constexpr const char* kNothingWritten = "where no rank of this job has written any";
constexpr const char* kNoRequest = "that is no request";
constexpr const char* kNotGranted = "which was not granted to its sender";
constexpr const char* kNotInSequence = "which does not fit in its sequence";

class ServerGarbage : public ServedByHand {
  protected:
    // The server ignores it with that warning, and its sequence number is still expected.
    void expect_ignored(const std::string& what, const Frame& frame, size_t bytes,
                        const char* warning) {
        SCOPED_TRACE(what);
        base::forget_strangers();  // so that it warns again
        const StderrCapture captured;
        client_->send(frame, bytes);
        wait_for_warning(captured, warning);
        fence();
        expect_memory();
    }
    void expect_ignored(const std::string& what, const Frame& frame, const char* warning) {
        expect_ignored(what, frame, frame_bytes(frame), warning);
    }
};

// promise: server.ignores
// promise: server.strangers
TEST_F(ServerGarbage, DropsWhatNoRankOfTheJobHasSent) {
    const auto changed = [&](auto&& change) {
        Frame frame = client_->numbered(harmful_put(), client_->sent_frames() + 1);
        change(header_of(frame));
        return frame;
    };
    std::mt19937_64 random(1);
    for (const size_t bytes : {8, 40, 48, 256, 4096, 8192}) {
        Frame frame(bytes / sizeof(uint64_t));
        std::generate(frame.begin(), frame.end(), random);
        expect_ignored("random bytes", frame, kStranger);
    }
    const Frame good = client_->numbered(harmful_put(), client_->sent_frames() + 1);
    for (const size_t bytes : {1u, 8u, 32u, 40u, 47u}) {
        expect_ignored("shorter than a header", good, bytes, kStranger);
    }
    for (const int32_t rank : {-1, kRanks, INT_MAX, INT_MIN}) {
        expect_ignored("rank", changed([&](auto& header) { header.rank = rank; }), kStranger);
    }
    for (int bit = 0; bit < 64; ++bit) {
        expect_ignored("token", changed([&](auto& header) { header.token ^= uint64_t{1} << bit; }),
                       kStranger);
    }
    expect_ignored("no token", changed([](auto& header) { header.token = wire::kNoToken; }),
                   kStranger);
    expect_ignored("another rank's token",
                   changed([](auto& header) { header.token = token_of_rank(0); }), kStranger);
    expect_ignored("another rank's number", changed([](auto& header) { header.rank = 0; }),
                   kStranger);
    expect_ignored("the server's token",
                   changed([](auto& header) { header.token = token_of_server(0); }), kStranger);
    expect_good_service();
}

// A stranger cannot introduce itself as a rank: its handshake is dropped, the rank's is taken.
// promise: server.strangers
TEST_F(ServerGarbage, TakesNoHandshakeOfAStranger) {
    talk_as(2);
    const std::vector<unsigned char>& address = server().address();
    Frame frame =
        client_->numbered(make_frame(FrameKind::hello, address.data(), address.size()), 1);
    header_of(frame).token ^= 1;
    base::forget_strangers();
    const size_t client_bytes = server().client_bytes();
    const StderrCapture captured;
    client_->send(frame);
    wait_for_warning(captured, kStranger);
    EXPECT_EQ(server().client_bytes(), client_bytes);  // nothing is kept of a stranger
    handshake();
    EXPECT_EQ(client_->acknowledged_frames(), 2u);
    expect_good_service();
}

// One warning is enough, however many come; all of them are counted.
// promise: server.strangers
TEST_F(ServerGarbage, CountsStrangersAndWarnsOnce) {
    constexpr uint64_t kMessages = 500;
    Frame frame = client_->numbered(harmful_put(), client_->sent_frames() + 1);
    header_of(frame).token = 1;
    base::forget_strangers();
    const StderrCapture captured;
    for (uint64_t i = 0; i < kMessages; ++i) {
        client_->send(frame);
    }
    wait_until([&] { return base::count_from_strangers(base::FromStranger::frame) == kMessages; });
    const std::string text = captured.text();
    const size_t first = text.find(kStranger);
    EXPECT_NE(first, std::string::npos);
    EXPECT_EQ(text.find("dropped", first + 1), std::string::npos) << text;
    EXPECT_TRUE(client_->answers().empty() || client_->find(FrameKind::failed, 0) == nullptr);
    fence();
    expect_memory();
    expect_good_service();
}

// promise: server.ignores
TEST_F(ServerGarbage, IgnoresMessagesThatAreNoRequests) {
    const Frame good = client_->numbered(harmful_put(), client_->sent_frames() + 1);
    for (const size_t bytes : {48u, 56u, 96u}) {
        expect_ignored("truncated", good, bytes, kNoRequest);
    }
    // The frames after these are not aligned in the server's receive memory.
    for (const size_t bytes : {49u, 95u}) {
        expect_ignored("odd length", good, bytes, kNoRequest);
    }
    const auto changed = [&](auto&& change) {
        Frame frame = client_->numbered(harmful_put(), client_->sent_frames() + 1);
        change(header_of(frame));
        return frame;
    };
    for (const uint16_t magic : {0, 0xc1a4, 0xffff}) {
        expect_ignored("magic", changed([&](auto& header) { header.magic = magic; }), kNoRequest);
    }
    for (const uint8_t version : {uint8_t{0}, uint8_t{wire::kVersion + 1}, uint8_t{255}}) {
        expect_ignored("version", changed([&](auto& header) { header.version = version; }),
                       kNoRequest);
    }
    for (const int difference : {-40, -8, 1, 8, 1 << 30}) {
        expect_ignored("frame_bytes",
                       changed([&](auto& header) { header.frame_bytes += difference; }),
                       kNoRequest);
    }
    expect_good_service();
}

// promise: server.ignores
TEST_F(ServerGarbage, IgnoresRequestsBeforeTheHandshake) {
    talk_as(2);
    {
        const StderrCapture captured;
        client_->send(client_->numbered(harmful_put(), 1));
        wait_for_warning(captured, "which has not sent its handshake");
    }
    const std::vector<char> address(server().address().size() + 8, '\1');
    for (const size_t bytes : {size_t{0}, size_t{8}, address.size()}) {
        const StderrCapture captured;
        client_->send(client_->numbered(make_frame(FrameKind::hello, address.data(), bytes), 1));
        wait_for_warning(captured, "a handshake of rank 2 without a valid address");
    }
    expect_memory();
    handshake();
    EXPECT_EQ(client_->acknowledged_frames(), 2u);
    expect_good_service();
}

// Bytes that are as long as an address but are none are not passed to the provider. Where no
// process listens at the address, only that client's answers wait.
TEST_F(ServerGarbage, InvalidHandshakeAddressDelaysOnlyThatClient) {
    talk_as(2);
    std::vector<char> address(server().address().size(), '\1');
    {
        const StderrCapture captured;
        client_->send(
            client_->numbered(make_frame(FrameKind::hello, address.data(), address.size()), 1));
        wait_for_warning(captured, "a handshake of rank 2 without a valid address");
    }
    std::copy(server().address().begin(), server().address().end(), address.begin());
    sa_family_t family = 0;
    std::memcpy(&family, address.data(), sizeof family);
    if (family != AF_INET) {
        GTEST_SKIP() << "the provider's addresses are of another sort";
    }
    address[2] = 0;  // port 1, where no process listens
    address[3] = 1;
    client_->send(client_->next(make_frame(FrameKind::hello, address.data(), address.size())));
    client_->send(client_->next(RawClient::asking_fence()));
    client_->send(client_->next(make_frame(FrameKind::increment, wire::StoreBody{base_ + 8, 1})));
    int32_t expected = 0;
    std::memcpy(&expected, expected_.data() + 8, sizeof expected);
    ++expected;
    std::memcpy(expected_.data() + 8, &expected, sizeof expected);
    wait_until([&] { return std::equal(expected_.begin(), expected_.end(), memory_); });
    expect_good_service();
    close();  // answers that wait for that address would delay all following tests
}

// A second handshake changes nothing.
TEST_F(ServerGarbage, IgnoresASecondHandshake) {
    std::vector<char> address(server().address().size(), '\0');
    client_->send(client_->next(make_frame(FrameKind::hello, address.data(), address.size())));
    fence();
    expect_good_service();
}

// The message is longer than the rest of the server's receive buffer.
// promise: server.ignores
TEST_F(ServerGarbage, IgnoresMessagesThatAreTooLong) {
    if (!network_->writes_chunks()) {
        GTEST_SKIP() << "messages are as long as chunks where the provider has no immediate data";
    }
    constexpr int kMessages = 200;  // many more than the server has receive buffers
    const Frame frame = put_frame(base_ + 64, std::vector<char>(70'000, 'x'));
    base::forget_strangers();
    for (int i = 0; i < kMessages; ++i) {
        client_->send(client_->numbered(frame, client_->sent_frames() + 1));
        wait_until([&] {
            return base::count_from_strangers(base::FromStranger::transfer) ==
                   static_cast<uint64_t>(i) + 1;
        });
    }
    expect_memory();
    fence();
    expect_good_service();
}

TEST_F(ServerGarbage, IgnoresInvalidWritesIntoReceiveBuffers) {
    if (!network_->writes_chunks()) {
        GTEST_SKIP() << "the provider has no immediate data";
    }
    const auto expect_write_ignored =
        [&](const std::string& what, const Frame& frame, uint32_t recv_buffer, uint32_t immediate,
            const char* warning, RawClient::Seal seal = RawClient::Seal::own) {
            SCOPED_TRACE(what);
            base::forget_strangers();
            const StderrCapture captured;
            client_->write_into_recv_buffer(frame, recv_buffer, immediate, seal);
            wait_for_warning(captured, warning);
            expect_memory();
        };
    const auto good = [&] { return client_->numbered(harmful_put(), client_->sent_frames() + 1); };
    const uint32_t recv_buffer_count = server().recv_area().recv_buffer_count;
    expect_write_ignored("not granted", good(), 3, client_->place_of(3), kNotGranted);
    expect_write_ignored("no such receive buffer", good(), 3, client_->place_of(recv_buffer_count),
                         kNothingWritten);
    expect_write_ignored("last number", good(), 3, UINT32_MAX, kNothingWritten);
    fence();

    const uint32_t recv_buffer = acquire_recv_buffers(1).front();
    const auto expect_frame_ignored = [&](const std::string& what, const char* warning,
                                          auto&& change) {
        Frame frame = good();
        change(header_of(frame));
        expect_write_ignored(what, frame, recv_buffer, client_->place_of(recv_buffer), warning);
    };
    expect_frame_ignored("no token", kNothingWritten,
                         [](auto& header) { header.token = wire::kNoToken; });
    expect_frame_ignored("another token", kNothingWritten, [](auto& header) { ++header.token; });
    expect_frame_ignored("another rank's number", kNothingWritten,
                         [](auto& header) { header.rank = 2; });
    expect_frame_ignored("no rank", kNothingWritten, [](auto& header) { header.rank = -1; });
    expect_frame_ignored("rank outside the job", kNothingWritten,
                         [](auto& header) { header.rank = kRanks; });
    expect_frame_ignored("magic", kNotGranted, [](auto& header) { header.magic = 0; });
    expect_frame_ignored("version", kNotGranted,
                         [](auto& header) { header.version = wire::kVersion + 1; });
    expect_frame_ignored("no bytes", kNothingWritten, [](auto& header) { header.frame_bytes = 0; });
    expect_frame_ignored("longer than the receive buffer", kNothingWritten, [&](auto& header) {
        header.frame_bytes = server().recv_area().recv_buffer_bytes + 8;
    });
    expect_frame_ignored("no room for the seal", kNothingWritten, [&](auto& header) {
        header.frame_bytes = server().recv_area().recv_buffer_bytes;
    });
    expect_frame_ignored("longest", kNothingWritten,
                         [](auto& header) { header.frame_bytes = UINT32_MAX - 7; });
    Frame incomplete = good();
    incomplete.push_back(0);
    expect_write_ignored("no seal", incomplete, recv_buffer, client_->place_of(recv_buffer),
                         kNothingWritten, RawClient::Seal::none);

    // The receive buffer is still granted to this client.
    const Frame right = client_->next(harmful_put());
    std::fill_n(expected_.begin() + 64, 256, 'x');
    client_->write_into_recv_buffer(right, recv_buffer);
    wait_until([&] { return memory_[64 + 255] == 'x'; });
    fence();
    expect_memory();
    expect_write_ignored("closed already", good(), recv_buffer, client_->place_of(recv_buffer),
                         kNotGranted);
    // The place of the seal, where that of the frame before was.
    expect_write_ignored("without its seal, in place of one as long", good(), recv_buffer,
                         client_->place_of(recv_buffer), kNothingWritten, RawClient::Seal::none);
    // The announcement alone, of what has been taken: the write goes elsewhere.
    expect_write_ignored("announced twice", good(), 3, client_->place_of(recv_buffer),
                         kNothingWritten);
    fence();
    expect_good_service();
}

TEST_F(ServerGarbage, IgnoresMessagesThatTakeBuffersNotGranted) {
    for (const uint32_t closes :
         {uint32_t{1}, server().recv_area().recv_buffer_count + 1, UINT32_MAX}) {
        const StderrCapture captured;
        Frame put = client_->numbered(harmful_put(), client_->sent_frames() + 1);
        header_of(put).flow = wire::encode_flow({.closes = closes});
        client_->send(put);
        wait_for_warning(captured, "was not granted");
    }
    fence();
    expect_memory();
    expect_good_service();
}

TEST_F(ServerGarbage, IgnoresSequenceNumbersOutsideTheWindow) {
    talk_as(3);
    handshake();
    Frame increment = make_frame(FrameKind::increment, wire::StoreBody{base_, 1});
    client_->send(client_->next(increment));
    fence();
    int32_t expected = 0;
    std::memcpy(&expected, expected_.data(), sizeof expected);
    ++expected;
    std::memcpy(expected_.data(), &expected, sizeof expected);
    expect_memory();
    for (const uint64_t number : {uint64_t{0}, uint64_t{1}, client_->sent_frames()}) {
        expect_ignored("executed already", client_->numbered(increment, number), kNotInSequence);
    }

    // Early frames wait, but not more than a window of them. Here the frame is missing that all of
    // them wait for.
    const uint64_t missing = client_->sent_frames() + 1;
    const Frame early = put_frame(base_, std::vector<char>(4096, 'y'));
    constexpr size_t kWindowBytes = 64 << 10;  // TestNetwork's
    const size_t fitting = kWindowBytes / frame_bytes(early);
    for (uint64_t i = 0; i < fitting; ++i) {
        client_->send(client_->numbered(early, missing + 1000 * (i + 1)));
    }
    for (const uint64_t number : {missing + 1000, missing + 1, UINT64_MAX}) {
        const StderrCapture captured;
        client_->send(client_->numbered(early, number));
        wait_for_warning(captured, kNotInSequence);
    }
    expect_memory();
    expect_good_service();
    fence();  // it has the missing number
    expect_memory();
}

// A frame in a receive buffer is checked when it arrives. Writes over it while it waits for its
// predecessor have no effect.
TEST_F(ServerGarbage, ExecutesWhatArrivedThoughItIsOverwritten) {
    if (!network_->writes_chunks()) {
        GTEST_SKIP() << "the provider has no immediate data";
    }
    const uint32_t recv_buffer = acquire_recv_buffers(1).front();
    const uint64_t missing = client_->sent_frames() + 1;
    Frame frame = client_->numbered(harmful_put(), missing + 1);
    const int64_t early_frames = server().load().early_frames;
    client_->write_into_recv_buffer(frame, recv_buffer);
    wait_until([&] { return server().load().early_frames > early_frames; });
    // The second write is ignored, because it has the number of the first; the third overwrites it.
    for (const uint32_t claimed_bytes : {header_of(frame).frame_bytes, UINT32_MAX - 7}) {
        const bool is_complete = claimed_bytes == header_of(frame).frame_bytes;
        header_of(frame).frame_bytes = claimed_bytes;
        base::forget_strangers();
        const StderrCapture captured;
        client_->write_into_recv_buffer(frame, recv_buffer);
        wait_for_warning(captured, is_complete ? kNotInSequence : kNothingWritten);
    }
    client_->send(client_->next(RawClient::asking_fence()));
    client_->set_sent_frames(missing + 1);
    std::fill_n(expected_.begin() + 64, 256, 'x');
    fence();
    expect_memory();
    expect_good_service();
}

// Valid frames with flipped bits, and random bytes after a valid header: their effects stay inside
// the segments.
TEST_F(ServerGarbage, FramesWithFlippedBitsStayInsideTheSegments) {
    std::mt19937_64 random(4);
    const wire::BatchEntry entry{base_ + 8, 16, wire::BatchOperation::accumulate, 2};
    const wire::BatchEntry get{base_ + 8, 16, wire::BatchOperation::get};
    const std::vector<Frame> whole = {
        harmful_put(),
        make_strided_transfer(FrameKind::accumulate, transfer_body(64), base_ + 8,
                              rows_layout(16, 4, 100), std::vector<char>(64, '\1')),
        make_vector_transfer(FrameKind::put, transfer_body(64), {base_, base_ + 96, base_ + 64}, 32,
                             std::vector<char>(64, '\2')),
        batch_frame({entry, entry}),
        batch_frame({entry, get, get}),
        rmw_frame(WordOperation::swap_long, base_ + 8, -1),
        make_frame(FrameKind::store, wire::StoreBody{base_ + 4, 77}),
        make_frame(FrameKind::lock, wire::LockBody{base_ + 64}),
        make_frame(FrameKind::release_recv_buffers, wire::RecvBuffersBody{1, 0, {}}),
        make_frame(FrameKind::get_credit, wire::CreditBody{64, 1}),
    };
    // Nothing else in the same page of the mapping may change.
    const std::vector<char> behind(memory_ + kMemoryBytes, memory_ + kMemoryBytes + 4096);
    constexpr size_t kKept = offsetof(wire::FrameHeader, acc_type);
    for (int i = 0; i < 600; ++i) {
        Frame frame = whole[random() % whole.size()];
        auto* bytes = reinterpret_cast<unsigned char*>(frame.data());
        const size_t changes = 1 + random() % 4;
        for (size_t change = 0; change < changes; ++change) {
            const bool in_header = random() % 4 == 0;
            const size_t at = in_header
                                  ? kKept + random() % 3
                                  : sizeof(wire::FrameHeader) +
                                        random() % (frame_bytes(frame) - sizeof(wire::FrameHeader));
            bytes[at] ^= static_cast<unsigned char>(1u << random() % 8);
        }
        client_->send(client_->next(std::move(frame)));
        if (i % 16 == 15) {
            fence();
            client_->clear_answers();
        }
    }
    fence();
    EXPECT_TRUE(std::equal(behind.begin(), behind.end(), memory_ + kMemoryBytes));
    expected_.assign(memory_, memory_ + kMemoryBytes);
    expect_good_service();
}

}  // namespace
}  // namespace armci::test

// SPDX-License-Identifier: BSD-3-Clause
// What a stranger sends to an origin is dropped, whatever it is: it changes nothing, ends nothing,
// and takes no memory for good.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/strangers.h"
#include "frame_builder.h"
#include "raw_client.h"
#include "server_fixture.h"
#include "stderr_capture.h"
#include "transfer_pattern.h"

namespace armci::test {
namespace {

using base::FromStranger;
using wire::FrameKind;

constexpr int64_t kBytes = 200'000;

class OriginStrangers : public ::testing::Test {
  protected:
    void SetUp() override {
        NetworkOptions options;
        options.origin_count = 2;
        network_ = std::make_unique<TestNetwork>(options);
        ASSERT_EQ(network_->error(), "");
        std::string error;
        ASSERT_TRUE(open_default_domain(&domain_, 2, &error)) << error;
        ASSERT_TRUE(stranger_.open(domain_, {}, &error)) << error;
        ASSERT_TRUE(buffers_.open(2, 256 << 10, domain_, stranger_.on_rails(),
                                  fabric::Access::local, &error))
            << error;
        origin_ = stranger_.insert_peer(network_->origin(0).barriers().address().data());
        ASSERT_NE(origin_, FI_ADDR_UNSPEC);
        // A channel of this origin's to the server is in use.
        expect_good_service();
        base::forget_strangers();
    }
    void TearDown() override {
        stranger_.close();
        buffers_.close();
    }

    // Sends a message to the origin.
    void send(const Frame& frame, size_t bytes) {
        struct Sent : fabric::Operation {
            bool is_complete = false;
        } sent;
        sent.complete = [](fabric::Operation* operation, const fabric::Completion&) {
            static_cast<Sent*>(operation)->is_complete = true;
        };
        void* piece = buffers_.acquire(bytes);
        ASSERT_NE(piece, nullptr);
        std::memcpy(piece, frame.data(), bytes);
        bool is_posted = false;
        network_->wait_until([&] {
            is_posted = is_posted || stranger_.post_send(origin_, piece, bytes,
                                                         buffers_.descriptors(piece), &sent);
            stranger_.poll();
            return sent.is_complete;
        });
        buffers_.release(piece);
    }
    void expect_dropped(FromStranger kind, const Frame& frame) {
        const uint64_t before = base::count_from_strangers(kind);
        send(frame, frame_bytes(frame));
        network_->wait_until([&] {
            stranger_.poll();
            return base::count_from_strangers(kind) == before + 1;
        });
    }

    // A put and a get by several chunks bring the right data.
    void expect_good_service() {
        const Pattern pattern = contiguous_pattern(kBytes, 0, 0);
        std::vector<char> sent(kBytes);
        std::vector<char> fetched(kBytes);
        Random random(++services_);
        fill(random, strided::AccType::int32, sent.data(), kBytes);
        for (const base::OpKind kind : {base::OpKind::put, base::OpKind::get}) {
            Operation operation;
            operation.kind = kind;
            char* local = kind == base::OpKind::put ? sent.data() : fetched.data();
            network_->wait(
                *network_->start(0, 0, base::Route::server,
                                 make_transfer(operation, pattern, local, network_->memory(0))));
            network_->fence_all();
        }
        EXPECT_TRUE(sent == fetched);
    }

    std::unique_ptr<TestNetwork> network_;
    fabric::Domain domain_;
    fabric::Endpoint stranger_;
    pipeline::RegisteredBuffers buffers_;
    fabric::PeerAddress origin_ = FI_ADDR_UNSPEC;
    uint64_t services_ = 0;
};

// promise: origin.strangers
TEST_F(OriginStrangers, AreDroppedWhateverTheySend) {
    const std::vector<Frame> frames = {
        make_frame(FrameKind::acknowledge),
        make_frame(FrameKind::failed, wire::FailedBody{wire::Failure::malformed}),
        make_frame(FrameKind::value, wire::ValueBody{1}),
        make_frame(FrameKind::locked),
        make_frame(FrameKind::segment, wire::SegmentReply{1, 2, 3}),
        make_frame(FrameKind::attached, wire::AttachedBody{1, 2}),
        make_frame(FrameKind::data, wire::DataBody{0, 8}),
        make_frame(FrameKind::grant, wire::RecvBuffersBody{8, 8, {0, 1, 2, 3, 4, 5, 6, 7}}),
        make_frame(FrameKind::barrier),
        make_frame(FrameKind::put),
        make_frame(static_cast<FrameKind>(200)),
    };
    const StderrCapture captured;
    for (Frame frame : frames) {
        for (const uint64_t token :
             {wire::kNoToken, uint64_t{1}, token_of_server(0) ^ 1, token_of_rank(0)}) {
            for (const int32_t server : {0, 1, -1}) {
                header_of(frame).token = token;
                header_of(frame).rank = server;
                header_of(frame).sequence = UINT64_MAX;
                header_of(frame).flow = UINT64_MAX;
                header_of(frame).request_id = 1;
                expect_dropped(FromStranger::frame, frame);
            }
        }
    }
    std::mt19937_64 random(7);
    for (const size_t words : {1, 5, 6, 100, 1024}) {
        Frame frame(words);
        std::generate(frame.begin(), frame.end(), random);
        expect_dropped(FromStranger::frame, frame);
    }
    const std::string text = captured.text();
    const size_t first = text.find("dropped");
    EXPECT_NE(first, std::string::npos);
    EXPECT_EQ(text.find("dropped", first + 1), std::string::npos) << text;
    expect_good_service();
}

// promise: origin.strangers
TEST_F(OriginStrangers, TakeNoReceiveBufferByLongMessages) {
    if (!network_->writes_chunks()) {
        GTEST_SKIP() << "messages are as long as chunks where the provider has no immediate data";
    }
    const Frame frame(10'000);  // longer than what a receive buffer holds
    for (int i = 0; i < 100; ++i) {
        expect_dropped(FromStranger::transfer, frame);
    }
    expect_good_service();
}

}  // namespace
}  // namespace armci::test

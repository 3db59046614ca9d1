// SPDX-License-Identifier: BSD-3-Clause
// A message that the provider reports as undeliverable ends the job with the rank's number. Each
// test has a process of its own, because that ends.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <vector>

#include "fabric/provider.h"
#include "raw_client.h"
#include "server_fixture.h"

namespace armci::test {
namespace {

// tcp;ofi_rxm reports neither, at least up to libfabric 1.17.
constexpr const char* kProviderThatReports = "sockets";

// A data server, and a client of that rank that has made its handshake.
class ServedRank {
  public:
    static constexpr int kRank = 2;

    ServedRank() : network_(options()) {
        if (network_.error().empty()) {
            client_ = std::make_unique<RawClient>(kRank, network_.server(0));
        }
        if (client_ == nullptr || !client_->error().empty()) {
            std::fprintf(stderr, "no network: %s\n", network_.error().c_str());
            _exit(2);
        }
        client_->send(client_->next(client_->hello()));
        client_->send(client_->next(RawClient::asking_fence()));
        wait_until([&] { return client_->acknowledged_frames() == client_->sent_frames(); });
    }

    // Requests that data is written to this address, with a key that does not exist.
    void ask_for_data_at(uint64_t address) {
        constexpr int64_t kGetBytes = 4096;
        wire::ReplyBuffersBody reply_buffers;
        reply_buffers.count = 1;
        reply_buffers.reply_buffer_bytes = 64 << 10;
        reply_buffers.address[0] = address;
        reply_buffers.key[0] = 0x123456;
        std::vector<char> layout(wire::encoded_strided_bytes(0));
        wire::encode_strided(layout.data(), reinterpret_cast<uint64_t>(network_.memory(0)),
                             block_layout(kGetBytes));
        const auto* begin = reinterpret_cast<const char*>(&reply_buffers);
        layout.insert(layout.end(), begin, begin + sizeof reply_buffers);
        wire::TransferBody body;
        body.data_bytes = kGetBytes;
        body.window_bytes = kGetBytes;
        Frame frame = make_transfer(wire::FrameKind::get, body, layout, {});
        header_of(frame).layout_kind = static_cast<uint8_t>(wire::LayoutKind::strided);
        header_of(frame).flags = wire::kHasReplyBuffers;
        client_->send(client_->next(std::move(frame)));
    }
    // Leaves before the server, which makes no progress meanwhile, has seen its last request.
    void ask_and_go() {
        client_->send(client_->next(RawClient::asking_fence()));
        while (!client_->has_completed()) {
            client_->progress();
        }
        client_.reset();
    }
    void wait_for_the_end() {
        wait_until([] { return false; });
    }

  private:
    static NetworkOptions options() {
        NetworkOptions options;
        options.origin_count = kRank + 1;
        return options;
    }
    template <class Condition>
    void wait_until(Condition&& condition) {
        network_.wait_until([&] {
            if (client_ != nullptr) {
                client_->progress();
            }
            return condition();
        });
    }

    TestNetwork network_;
    std::unique_ptr<RawClient> client_;
};

class ServerUndeliverable : public ::testing::Test {
  protected:
    void SetUp() override {
        GTEST_FLAG_SET(death_test_style, "threadsafe");  // a new process, not a copy of this one
        if (!fabric::choose_provider({kProviderThatReports, "", true}).info) {
            GTEST_SKIP() << "libfabric has no provider " << kProviderThatReports;
        }
    }

    template <class Body>
    static void serve(Body&& body) {
        g_provider = kProviderThatReports;
        ServedRank served;
        body(served);
        served.wait_for_the_end();
    }

    static constexpr const char* kNamesTheRank =
        "ARMCI Error: libfabric [a-z]+ with rank 2 failed on provider sockets";
};

// promise: server.undeliverable
TEST_F(ServerUndeliverable, EndsTheJobForARefusedReplyAddress) {
    EXPECT_EXIT(serve([](ServedRank& served) { served.ask_for_data_at(4096); }),
                testing::ExitedWithCode(1), kNamesTheRank);
}

// promise: server.undeliverable
TEST_F(ServerUndeliverable, EndsTheJobForARankThatHasLeft) {
    EXPECT_EXIT(serve([](ServedRank& served) { served.ask_and_go(); }), testing::ExitedWithCode(1),
                kNamesTheRank);
}

}  // namespace
}  // namespace armci::test

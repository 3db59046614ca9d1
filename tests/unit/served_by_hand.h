// SPDX-License-Identifier: BSD-3-Clause
// A data server with two origins that follow the protocol and one client that sends frames made by
// hand.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "node/word_atomics.h"
#include "pipeline/origin/request_task.h"
#include "raw_client.h"
#include "server_fixture.h"
#include "stderr_capture.h"
#include "transfer_pattern.h"

namespace armci::test {

class ServedByHand : public ::testing::Test {
  public:
    static void close() {
        for (RawClient*& client : clients_) {
            delete std::exchange(client, nullptr);
        }
        delete std::exchange(network_, nullptr);
    }

  protected:
    static constexpr int kRawRank = 1;
    static constexpr int kRanks = 4;
    static constexpr size_t kMemoryBytes = 64 << 10;
    // The last page of global memory is for expect_good_service().
    static constexpr size_t kPlainBytes = kMemoryBytes - 4096;

    // Opening takes longer than all these tests, so they share one server until a test fails.
    void SetUp() override {
        if (network_ == nullptr) {
            open();
        }
        if (!HasFatalFailure()) {
            client_ = clients_[kRawRank];
        }
    }
    void TearDown() override {
        if (HasFailure()) {
            close();
        }
    }
    void open() {
        NetworkOptions options;
        options.origin_count = kRanks;
        options.memory_bytes = kMemoryBytes;
        options.receive_buffer_count = 8;
        options.mailbox_count = 3;
        network_ = new TestNetwork(options);
        ASSERT_EQ(network_->error(), "");
        memory_ = network_->memory(0);
        base_ = reinterpret_cast<uint64_t>(memory_);
        for (size_t i = 0; i < kMemoryBytes; ++i) {
            memory_[i] = static_cast<char>(i * 7 + i / 256);
        }
        expected_.assign(memory_, memory_ + kMemoryBytes);
        talk_as(kRawRank);
        handshake();
    }
    // Makes `client_` a new one, of a rank that the server does not know yet.
    void talk_as(int rank) {
        if (clients_[rank] != nullptr) {  // in a repetition of all tests
            close();
            ASSERT_NO_FATAL_FAILURE(open());
        }
        client_ = clients_[rank] = new RawClient(rank, server());
        ASSERT_EQ(client_->error(), "");
    }

    static datasrv::Server& server() { return network_->server(0); }

    template <class Condition>
    void wait_until(Condition&& condition) {
        network_->wait_until([&] {
            client_->progress();
            return condition();
        });
    }

    void handshake() {
        client_->send(client_->next(client_->hello()));
        fence();
    }
    // Waits until everything numbered by next() has been executed.
    void fence() {
        client_->send(client_->next(RawClient::asking_fence()));
        wait_until([&] { return client_->acknowledged_frames() >= client_->sent_frames(); });
        ASSERT_EQ(client_->acknowledged_frames(), client_->sent_frames());
    }
    // Sends the frame as the next one and waits for its answer of that kind.
    RawClient::Answer ask(Frame frame, wire::FrameKind kind) {
        const uint64_t request_id = ++last_request_;
        header_of(frame).request_id = request_id;
        client_->send(client_->next(std::move(frame)));
        return wait_for(kind, request_id);
    }
    RawClient::Answer wait_for(wire::FrameKind kind, uint64_t request_id) {
        const RawClient::Answer* answer = nullptr;
        wait_until([&] {
            answer = client_->find(kind, request_id);
            return answer != nullptr;
        });
        return *answer;
    }
    void wait_for_warning(const StderrCapture& captured, const std::string& text) {
        wait_until([&] { return captured.text().find(text) != std::string::npos; });
    }

    // As many receive buffers as a client that is alone may hold.
    static size_t recv_buffers_per_client() {
        return (server().recv_area().recv_buffer_count + 1) / 2;
    }
    // Requests that many receive buffers, which must be free, and waits for them.
    std::vector<uint32_t> acquire_recv_buffers(size_t count) {
        Frame want = make_frame(wire::FrameKind::want);
        header_of(want).flow =
            wire::encode_flow({.demand = client_->total_granted() + static_cast<uint32_t>(count)});
        client_->send(client_->next(std::move(want)));
        wait_until([&] { return client_->granted_recv_buffers().size() == count; });
        return client_->take_granted_recv_buffers();
    }
    static Frame return_frame(const std::vector<uint32_t>& recv_buffers) {
        wire::RecvBuffersBody body;
        body.count = static_cast<uint32_t>(recv_buffers.size());
        std::copy(recv_buffers.begin(), recv_buffers.end(), body.recv_buffer);
        return make_frame(wire::FrameKind::release_recv_buffers, body);
    }

    static uint64_t end() { return base_ + kMemoryBytes; }
    static Frame harmful_put();

    void expect_memory() { expect_equal(expected_, memory_, "the node's"); }

    // Puts by both routes, a get, an accumulate and an rmw of another rank work as usual.
    void expect_good_service() {
        constexpr int64_t kBytes = 1024;
        const Pattern pattern = contiguous_pattern(kBytes, 0, kPlainBytes);
        std::vector<char> local(kBytes);
        std::vector<char> fetched(kBytes);
        Random random(++services_);
        using base::OpKind;
        using base::Route;
        for (const auto& [kind, route] : {std::pair{OpKind::put, Route::server},
                                          {OpKind::acc, Route::server},
                                          {OpKind::put, Route::rma},
                                          {OpKind::acc, Route::server}}) {
            if (route == Route::rma && !network_->is_registered(0)) {
                continue;
            }
            fill(random, strided::AccType::int32, local.data(), kBytes);
            Operation operation;
            operation.kind = kind;
            operation.factor = 3;
            apply(operation, pattern, local.data(), expected_.data());
            network_->wait(*network_->start(
                0, 0, route, make_transfer(operation, pattern, local.data(), memory_)));
            network_->fence_all();
            expect_memory();
        }
        const auto get = network_->start(
            0, 0, base::Route::server,
            make_transfer(Operation{OpKind::get}, pattern, fetched.data(), memory_));
        network_->wait(*get);
        EXPECT_EQ(std::memcmp(fetched.data(), memory_ + kPlainBytes, kBytes), 0);
        pipeline::RequestTask rmw("rmw", wire::FrameKind::rmw,
                                  wire::RmwBody{base_ + kPlainBytes, 5, /*fetch_add_int*/ 0},
                                  pipeline::RequestTask::Answer::expected);
        int32_t before = 0;
        std::memcpy(&before, expected_.data() + kPlainBytes, sizeof before);
        network_->submit(0, 0, rmw);
        network_->wait(rmw);
        EXPECT_EQ(rmw.value(), before);
        const auto after = static_cast<int32_t>(static_cast<uint32_t>(before) + 5);
        std::memcpy(expected_.data() + kPlainBytes, &after, sizeof after);
        expect_memory();
    }

    // exit() must not destroy these: a signal in the middle of a test may call it.
    static inline TestNetwork* network_ = nullptr;
    static inline RawClient* clients_[kRanks] = {};  // by rank
    static inline char* memory_ = nullptr;
    static inline uint64_t base_ = 0;
    static inline std::vector<char> expected_;
    static inline uint64_t last_request_ = 0;
    static inline uint64_t services_ = 0;
    RawClient* client_ = nullptr;
};

class CloseServedByHand : public ::testing::Environment {
  public:
    void TearDown() override { ServedByHand::close(); }
};
inline const ::testing::Environment* const g_close_served_by_hand =
    ::testing::AddGlobalTestEnvironment(new CloseServedByHand);

// A put of these bytes, contiguous.
inline Frame put_frame(uint64_t address, const std::vector<char>& data) {
    wire::TransferBody body;
    body.data_bytes = data.size();
    std::vector<char> padded = data;
    padded.resize(wire::padded(data.size()));
    return make_strided_transfer(wire::FrameKind::put, body, address,
                                 block_layout(static_cast<int64_t>(data.size())), padded);
}

// Changes memory if it is executed.
inline Frame ServedByHand::harmful_put() {
    return put_frame(base_ + 64, std::vector<char>(256, 'x'));
}

inline Frame rmw_frame(node::WordOperation operation, uint64_t address, int64_t operand) {
    return make_frame(wire::FrameKind::rmw,
                      wire::RmwBody{address, operand, static_cast<uint32_t>(operation)});
}

inline wire::TransferBody transfer_body(uint64_t data_bytes, uint64_t offset = 0) {
    wire::TransferBody body;
    body.offset = offset;
    body.data_bytes = data_bytes;
    body.window_bytes = 4096;
    return body;
}

inline strided::Layout rows_layout(int64_t block_bytes, int64_t count, int64_t stride) {
    strided::Layout layout;
    layout.levels = 1;
    layout.count[0] = block_bytes;
    layout.count[1] = count;
    layout.stride[0] = stride;
    return layout;
}

// The frame without its last bytes, and a header with the shorter length.
inline Frame shortened(Frame frame, size_t bytes) {
    frame.resize(frame.size() - bytes / sizeof(uint64_t));
    header_of(frame).frame_bytes = static_cast<uint32_t>(frame_bytes(frame));
    return frame;
}

inline Frame batch_frame(const std::vector<wire::BatchEntry>& entries) {
    std::vector<char> bytes;
    for (const wire::BatchEntry& entry : entries) {
        const auto* begin = reinterpret_cast<const char*>(&entry);
        bytes.insert(bytes.end(), begin, begin + sizeof entry);
        const size_t data_bytes = std::min<uint32_t>(entry.data_bytes, 64);
        bytes.resize(bytes.size() + wire::batch_entry_bytes(data_bytes, entry.operation) -
                     sizeof entry);
    }
    return make_frame(wire::FrameKind::batch, bytes.data(), bytes.size());
}

}  // namespace armci::test

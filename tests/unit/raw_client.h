// SPDX-License-Identifier: BSD-3-Clause
// A client of a data server that sends any frames that a test makes, right or wrong, and keeps the
// answers.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "datasrv/server.h"
#include "fabric/domain.h"
#include "fabric/endpoint.h"
#include "frame_builder.h"
#include "pipeline/buffers/receive_pool.h"
#include "pipeline/buffers/registered_buffers.h"
#include "pipeline/buffers/registered_mapping.h"

namespace armci::test {

// A domain of the default provider, chosen once per process because asking libfabric takes long.
// `row` replaces the row of the provider table; it belongs to the caller.
bool open_default_domain(fabric::Domain* domain, size_t peer_count, std::string* error,
                         const fabric::ProviderRow* row = nullptr);

class RawClient {
  public:
    // The server must outlive it.
    RawClient(int rank, datasrv::Server& server);
    ~RawClient();
    RawClient(const RawClient&) = delete;
    RawClient& operator=(const RawClient&) = delete;

    // Why it cannot send; empty when it can.
    const std::string& error() const { return error_; }
    int rank() const { return rank_; }

    // Numbers the frame as this client's, with that number or the next one.
    Frame numbered(Frame frame, uint64_t sequence) const;
    Frame next(Frame frame) { return numbered(std::move(frame), ++sent_frames_); }
    // Sends the frame, or its first bytes only, unchanged. Frames are sent in order, as soon as
    // possible.
    void send(const Frame& frame) { send(frame, frame_bytes(frame)); }
    void send(const Frame& frame, size_t bytes);
    // Writes the frame into that receive buffer of the server, with that immediate data.
    enum class Seal : uint8_t { none, own };
    void write_into_recv_buffer(Frame frame, uint32_t recv_buffer, uint32_t immediate,
                                Seal seal = Seal::own);
    // Writes it there with the right immediate data. It closes the buffer.
    void write_into_recv_buffer(Frame frame, uint32_t recv_buffer) {
        write_at(std::move(frame), recv_buffer, 0, recv_buffer + 1);
    }
    // Writes it to that offset with the right immediate data. It closes a buffer, or none (0), as
    // wire::OriginFlow says it.
    void write_at(Frame frame, uint32_t recv_buffer, uint32_t offset, uint32_t closes);
    // The immediate data of a write to the beginning of that buffer.
    uint32_t place_of(uint32_t recv_buffer) const {
        return pipeline::RecvAreaAddress::place_of(recv_area_.position(recv_buffer, 0));
    }
    // Writes the frame into that mailbox of the server, from 0, without immediate data.
    void write_into_mailbox(Frame frame, uint32_t mailbox, Seal seal = Seal::own);
    // The valid first frame (handshake) without and with answer slots, and a fence that requests an
    // acknowledgement.
    Frame hello() const;
    Frame hello_with_slots();
    static Frame asking_fence();

    // The number of the last frame made by next(). A frame that was not executed can be numbered
    // again.
    uint64_t sent_frames() const { return sent_frames_; }
    void set_sent_frames(uint64_t frames) { sent_frames_ = frames; }

    struct Answer {
        wire::FrameHeader header;
        std::vector<char> bytes;

        template <class Body>
        Body body() const {
            Body body;
            EXPECT_TRUE(wire::decode_body(bytes.data(), bytes.size(), &body));
            return body;
        }
    };
    const std::deque<Answer>& answers() const { return answers_; }
    void clear_answers() { answers_.clear(); }
    // The answer of that kind; nullptr if there is none yet.
    const Answer* find(wire::FrameKind kind, uint64_t request_id) const;
    // How many of its frames and bytes the server has acknowledged.
    uint64_t acknowledged_frames() const { return acknowledged_frames_; }
    uint64_t acknowledged_bytes() const { return acknowledged_bytes_; }
    // The receive buffers that were granted since the last call of take_granted_recv_buffers(), and
    // how many were ever granted.
    const std::vector<uint32_t>& granted_recv_buffers() const { return granted_recv_buffers_; }
    uint32_t total_granted() const { return total_granted_; }
    std::vector<uint32_t> take_granted_recv_buffers() {
        return std::exchange(granted_recv_buffers_, {});
    }

    // Returns the answer that has come into that slot, from 0, and takes it away; no bytes: there
    // is none.
    Answer take_from_slot(uint32_t slot);

    // Whether everything sent has been posted to the provider.
    bool has_left() const { return waiting_.empty(); }
    // Whether the provider has completed all of it.
    bool has_completed() const { return waiting_.empty() && under_way_.empty(); }
    // True when something moved.
    bool progress();

  private:
    struct Outgoing {
        fabric::Operation operation;
        RawClient* client = nullptr;
        void* piece = nullptr;
        size_t bytes = 0;
        bool is_write = false;
        bool is_announced = true;
        fabric::RemoteMemory target;
        uint32_t immediate = 0;
    };

    std::unique_ptr<Outgoing> make_write(const Frame& frame, uint64_t position);
    void write(const Frame& frame, uint64_t position, uint32_t immediate);
    static void on_frame(void* context, const void* frame, size_t bytes);
    static void on_done(fabric::Operation* operation, const fabric::Completion& completion);
    std::unique_ptr<Outgoing> make_outgoing(const Frame& frame, size_t bytes);
    bool post(Outgoing& outgoing);

    int rank_;
    datasrv::Server& server_;
    std::string error_;
    fabric::Domain domain_;
    fabric::Endpoint endpoint_;
    pipeline::RegisteredBuffers buffers_;
    pipeline::ReceivePool receives_;
    pipeline::RegisteredMapping slots_;
    pipeline::RecvAreaAddress recv_area_;
    fabric::PeerAddress peer_ = FI_ADDR_UNSPEC;
    uint64_t sent_frames_ = 0;
    uint64_t acknowledged_frames_ = 0;
    uint64_t acknowledged_bytes_ = 0;
    std::vector<uint32_t> granted_recv_buffers_;
    uint32_t total_granted_ = 0;
    std::deque<std::unique_ptr<Outgoing>> waiting_;
    std::vector<std::unique_ptr<Outgoing>> under_way_;
    std::deque<Answer> answers_;
};

}  // namespace armci::test

// SPDX-License-Identifier: BSD-3-Clause
#include "raw_client.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fabric/provider.h"
#include "server_fixture.h"

namespace armci::test {
namespace {

constexpr size_t kRawBufferCount = 8;
constexpr size_t kRawBufferBytes = 128 << 10;
constexpr size_t kRawReceiveBytes = 1 << 20;
constexpr size_t kRawLargestAnswer = 64 << 10;

}  // namespace

bool open_default_domain(fabric::Domain* domain, size_t peer_count, std::string* error,
                         const fabric::ProviderRow* row) {
    static const fabric::ProviderChoice first = fabric::choose_provider({g_provider, "", true});
    if (!first.info) {
        *error = first.error;
        return false;
    }
    fabric::ProviderChoice copy;
    copy.row = row != nullptr ? row : first.row;
    copy.info.reset(fi_dupinfo(first.info.get()));
    return domain->open(std::move(copy), peer_count, error);
}

RawClient::RawClient(int rank, datasrv::Server& server)
    : rank_(rank), server_(server), recv_area_(server.recv_area()) {
    fabric::Endpoint::Options options;
    options.receive_entries = pipeline::ReceivePool::completion_count(kRawReceiveBytes);
    options.largest_message_bytes = kRawLargestAnswer;
    if (!open_default_domain(&domain_, 2, &error_) || !endpoint_.open(domain_, options, &error_) ||
        !buffers_.open(kRawBufferCount, kRawBufferBytes, domain_, endpoint_.on_rails(),
                       fabric::Access::local, &error_) ||
        !receives_.open(domain_, endpoint_, kRawReceiveBytes, kRawLargestAnswer, on_frame, this,
                        &error_)) {
        return;
    }
    peer_ = endpoint_.insert_peer(server.address().data());
    if (peer_ == FI_ADDR_UNSPEC) {
        error_ = "the server's address is not accepted";
    }
}

RawClient::~RawClient() {
    slots_.close();
    endpoint_.close();
    receives_.close();
    buffers_.close();
}

Frame RawClient::numbered(Frame frame, uint64_t sequence) const {
    header_of(frame).token = token_of_rank(rank_);
    header_of(frame).rank = rank_;
    header_of(frame).sequence = sequence;
    return frame;
}

Frame RawClient::hello() const {
    const std::vector<unsigned char>& address = endpoint_.address();
    return make_frame(wire::FrameKind::hello, address.data(), address.size());
}

Frame RawClient::hello_with_slots() {
    EXPECT_TRUE(slots_.map(size_t{wire::kAnswerSlots} * wire::kAnswerSlotBytes));
    EXPECT_TRUE(
        slots_.make_accessible(domain_, endpoint_.on_rails(), fabric::Access::remote, &error_));
    const wire::AnswerSlotsBody slots{slots_.remote_address(slots_.data()), slots_.key()};
    std::vector<unsigned char> body = endpoint_.address();
    body.resize(wire::padded(body.size()));
    const auto* begin = reinterpret_cast<const unsigned char*>(&slots);
    body.insert(body.end(), begin, begin + sizeof slots);
    return make_frame(wire::FrameKind::hello, body.data(), body.size());
}

RawClient::Answer RawClient::take_from_slot(uint32_t slot) {
    char* const memory = slots_.data() + size_t{slot} * wire::kAnswerSlotBytes;
    Answer answer;
    const std::vector<char> bytes(memory, memory + wire::kAnswerSlotBytes);
    const size_t frame_bytes =
        wire::take_written(memory, wire::kAnswerSlotBytes, token_of_server(0));
    if (frame_bytes > 0) {
        answer.bytes.assign(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(frame_bytes));
        EXPECT_TRUE(wire::decode_header(answer.bytes.data(), frame_bytes, &answer.header));
    }
    return answer;
}

Frame RawClient::asking_fence() {
    Frame frame = make_frame(wire::FrameKind::fence);
    header_of(frame).flags = wire::kAcknowledgeNow;
    return frame;
}

std::unique_ptr<RawClient::Outgoing> RawClient::make_outgoing(const Frame& frame, size_t bytes) {
    auto outgoing = std::make_unique<Outgoing>();
    outgoing->operation.complete = on_done;
    outgoing->client = this;
    outgoing->bytes = bytes;
    while ((outgoing->piece = buffers_.acquire(bytes)) == nullptr) {
        progress();
        server_.progress_inline();
    }
    std::memcpy(outgoing->piece, frame.data(), bytes);
    return outgoing;
}

void RawClient::send(const Frame& frame, size_t bytes) {
    waiting_.push_back(make_outgoing(frame, bytes));
    progress();
}

void RawClient::write_into_recv_buffer(Frame frame, uint32_t recv_buffer, uint32_t immediate,
                                       Seal seal) {
    if (seal == Seal::own) {
        frame.push_back(token_of_rank(rank_));
    }
    write(frame, recv_area_.position(recv_buffer, 0), immediate);
}

void RawClient::write_at(Frame frame, uint32_t recv_buffer, uint32_t offset, uint32_t closes) {
    const uint32_t demand = wire::flow_of(header_of(frame)).demand;
    header_of(frame).flow = wire::encode_flow({demand, closes});
    frame.push_back(token_of_rank(rank_));
    const uint64_t position = recv_area_.position(recv_buffer, offset);
    write(frame, position, pipeline::RecvAreaAddress::place_of(position));
}

void RawClient::write_into_mailbox(Frame frame, uint32_t mailbox, Seal seal) {
    if (seal == Seal::own) {
        frame.push_back(token_of_rank(rank_));
    }
    waiting_.push_back(make_write(frame, recv_area_.mailbox_position(mailbox)));
    waiting_.back()->is_announced = false;
    progress();
}

std::unique_ptr<RawClient::Outgoing> RawClient::make_write(const Frame& frame, uint64_t position) {
    std::unique_ptr<Outgoing> outgoing = make_outgoing(frame, frame_bytes(frame));
    outgoing->is_write = true;
    outgoing->target = {recv_area_.remote_base + position, recv_area_.key};
    return outgoing;
}

void RawClient::write(const Frame& frame, uint64_t position, uint32_t immediate) {
    std::unique_ptr<Outgoing> outgoing = make_write(frame, position);
    outgoing->immediate = immediate;
    waiting_.push_back(std::move(outgoing));
    progress();
}

bool RawClient::post(Outgoing& outgoing) {
    if (!outgoing.is_announced) {
        const fabric::RmaBlock block{outgoing.piece, outgoing.bytes, outgoing.target};
        return endpoint_.post_write(peer_, &block, 1, buffers_.descriptors(outgoing.piece),
                                    fabric::Endpoint::WriteCompletion::local, &outgoing.operation);
    }
    if (outgoing.is_write) {
        return endpoint_.post_write_notify(peer_, outgoing.piece, outgoing.bytes,
                                           buffers_.descriptors(outgoing.piece), outgoing.target,
                                           outgoing.immediate, &outgoing.operation);
    }
    return endpoint_.post_send(peer_, outgoing.piece, outgoing.bytes,
                               buffers_.descriptors(outgoing.piece), &outgoing.operation);
}

bool RawClient::progress() {
    receives_.retry_posts();
    bool moved = endpoint_.poll() > 0;
    while (!waiting_.empty() && post(*waiting_.front())) {
        under_way_.push_back(std::move(waiting_.front()));
        waiting_.pop_front();
        moved = true;
    }
    return moved;
}

void RawClient::on_done(fabric::Operation* operation, const fabric::Completion&) {
    auto* outgoing = reinterpret_cast<Outgoing*>(operation);
    RawClient* client = outgoing->client;
    client->buffers_.release(outgoing->piece);
    std::erase_if(client->under_way_, [&](const auto& entry) { return entry.get() == outgoing; });
}

void RawClient::on_frame(void* context, const void* frame, size_t bytes) {
    auto* client = static_cast<RawClient*>(context);
    Answer answer;
    ASSERT_TRUE(wire::decode_header(frame, bytes, &answer.header));
    const char* begin = static_cast<const char*>(frame);
    answer.bytes.assign(begin, begin + bytes);
    EXPECT_GE(answer.header.sequence, client->acknowledged_frames_);
    EXPECT_GE(answer.header.flow, client->acknowledged_bytes_);
    client->acknowledged_frames_ = answer.header.sequence;
    client->acknowledged_bytes_ = answer.header.flow;
    if (answer.header.kind == wire::FrameKind::grant) {
        const auto recv_buffers = answer.body<wire::RecvBuffersBody>();
        ASSERT_LE(recv_buffers.count, wire::kMaxRecvBuffersPerFrame);
        client->total_granted_ += recv_buffers.count;
        client->granted_recv_buffers_.insert(client->granted_recv_buffers_.end(),
                                             recv_buffers.recv_buffer,
                                             recv_buffers.recv_buffer + recv_buffers.count);
    }
    client->answers_.push_back(std::move(answer));
}

const RawClient::Answer* RawClient::find(wire::FrameKind kind, uint64_t request_id) const {
    const auto found = std::find_if(answers_.begin(), answers_.end(), [&](const Answer& answer) {
        return answer.header.kind == kind && answer.header.request_id == request_id;
    });
    return found == answers_.end() ? nullptr : &*found;
}

}  // namespace armci::test

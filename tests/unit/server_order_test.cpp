// SPDX-License-Identifier: BSD-3-Clause
// Frames of one origin are executed in the order of their numbers, however they arrive, and answers
// carry exactly how far the server has come. Operations that an origin sends by different ways keep
// the order of the program.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "datasrv/get_streams.h"
#include "held_engine.h"
#include "served_by_hand.h"

namespace armci::test {
namespace {

using node::WordOperation;
using wire::FrameKind;

class ServerOrder : public ServedByHand {
  protected:
    // The frames get the next numbers in their order, and are sent in another order.
    struct Numbered {
        Frame frame;
        bool in_recv_buffer = false;
    };
    std::vector<Numbered> numbered(std::vector<Numbered> frames) {
        for (Numbered& entry : frames) {
            entry.frame = client_->next(std::move(entry.frame));
        }
        return frames;
    }
    // Frames in receive buffers take the last of *recv_buffers.
    void send(const Numbered& entry, std::vector<uint32_t>* recv_buffers) {
        if (!entry.in_recv_buffer) {
            client_->send(entry.frame);
            return;
        }
        client_->write_into_recv_buffer(entry.frame, recv_buffers->back());
        recv_buffers->pop_back();
    }
    void put_expected(size_t offset, const std::vector<char>& data) {
        std::copy(data.begin(), data.end(), expected_.begin() + static_cast<ptrdiff_t>(offset));
    }
    Frame swap_frame(size_t offset, int64_t value, uint64_t request_id) {
        Frame frame = rmw_frame(WordOperation::swap_long, base_ + offset, value);
        header_of(frame).request_id = request_id;
        return frame;
    }
};

// Chunks may end and begin inside a block.
TEST_F(ServerOrder, ChunksBeginAndEndInsideVectorBlocks) {
    constexpr int64_t kSegmentBytes = 24;
    const std::vector<uint64_t> offsets = {400, 48, 96, 1000, 8};
    std::vector<uint64_t> addresses;
    for (const uint64_t offset : offsets) {
        addresses.push_back(base_ + offset);
    }
    const double factor = 2;
    const std::pair<uint64_t, uint64_t> parts[] = {{0, 8}, {8, 8}, {16, 32}, {48, 64}, {112, 8}};
    Random random(22);
    for (const FrameKind kind : {FrameKind::put, FrameKind::accumulate}) {
        for (const auto& [begin, bytes] : parts) {
            std::vector<char> data(bytes);
            fill(random, strided::AccType::float64, data.data(), static_cast<int64_t>(bytes));
            wire::TransferBody body = transfer_body(bytes, begin);
            std::memcpy(body.scale, &factor, sizeof factor);
            Frame frame = make_vector_transfer(kind, body, addresses, kSegmentBytes, data);
            header_of(frame).acc_type = static_cast<uint8_t>(strided::AccType::float64);
            client_->send(client_->next(std::move(frame)));
            for (uint64_t i = 0; i < bytes; i += sizeof(double)) {
                const uint64_t place = begin + i;
                char* to =
                    expected_.data() + offsets[place / kSegmentBytes] + place % kSegmentBytes;
                double value = 0;
                double sum = 0;
                std::memcpy(&value, data.data() + i, sizeof value);
                std::memcpy(&sum, to, sizeof sum);
                sum = kind == FrameKind::put ? value : sum + factor * value;
                std::memcpy(to, &sum, sizeof sum);
            }
        }
        fence();
        expect_memory();
    }
}

// Each swap returns the value of the one before it.
TEST_F(ServerOrder, EarlyMessagesWaitForTheirPredecessors) {
    constexpr size_t kCount = 60;
    constexpr size_t kWord = 512;
    Random random(21);
    int64_t before = 0;
    std::memcpy(&before, memory_ + kWord, sizeof before);
    for (int round = 0; round < 10; ++round) {
        SCOPED_TRACE(round);
        client_->clear_answers();
        const uint64_t executed = client_->acknowledged_frames();
        const uint64_t first_request = last_request_ + 1;
        std::vector<Numbered> frames;
        for (size_t i = 0; i < kCount; ++i) {
            frames.push_back(
                {swap_frame(kWord, round * 1000 + static_cast<int64_t>(i), ++last_request_)});
        }
        frames = numbered(std::move(frames));
        if (round > 0) {  // the first is in order, the second reversed, all others shuffled
            std::reverse(frames.begin(), frames.end());
        }
        if (round > 1) {
            std::shuffle(frames.begin(), frames.end(), random);
        }
        for (const Numbered& entry : frames) {
            send(entry, nullptr);
        }
        wait_until([&] { return client_->acknowledged_frames() == client_->sent_frames(); });
        ASSERT_EQ(client_->answers().size(), kCount);
        for (size_t i = 0; i < kCount; ++i) {
            const RawClient::Answer& answer = client_->answers()[i];
            EXPECT_EQ(answer.header.request_id, first_request + i);
            EXPECT_EQ(answer.header.sequence, executed + i + 1);
            EXPECT_EQ(answer.body<wire::ValueBody>().value, before);
            before = round * 1000 + static_cast<int64_t>(i);
        }
    }
    std::memcpy(expected_.data() + kWord, &before, sizeof before);
    expect_memory();
    expect_good_service();
}

// No waiting frame is executed before its turn: another rank checks the memory.
TEST_F(ServerOrder, ExecutesNothingBeforeTheMissingFrame) {
    const std::vector<char> early(300, 'e');
    const std::vector<char> missing(600, 'm');
    const bool has_recv_buffers = network_->writes_chunks();
    std::vector<uint32_t> recv_buffers =
        has_recv_buffers ? acquire_recv_buffers(2) : std::vector<uint32_t>();
    const uint64_t executed = client_->sent_frames();
    const std::vector<Numbered> frames =
        numbered({{put_frame(base_ + 4096, missing)},
                  {put_frame(base_ + 4096, early), has_recv_buffers},
                  {put_frame(base_ + 4500, early), has_recv_buffers},
                  {put_frame(base_ + 4600, early)},
                  {RawClient::asking_fence()}});
    for (size_t i = frames.size() - 1; i > 0; --i) {
        send(frames[i], &recv_buffers);
    }
    // The message that was sent last arrives last. It is kept, so a second one with its number is
    // refused, which shows that all have arrived.
    {
        const StderrCapture captured;
        client_->send(frames.back().frame);
        wait_for_warning(captured, "which does not fit in its sequence");
    }
    expect_memory();
    expect_good_service();
    EXPECT_EQ(client_->acknowledged_frames(), executed);
    put_expected(4096, missing);
    put_expected(4096, early);
    put_expected(4500, early);
    put_expected(4600, early);
    send(frames[0], nullptr);
    wait_until([&] { return client_->acknowledged_frames() == client_->sent_frames(); });
    expect_memory();
    expect_good_service();
}

// While a copy engine executes a put, no frame with its number and no later frame is accepted.
TEST_F(ServerOrder, PutBeingCopiedKeepsItsSequenceNumber) {
    if (!network_->writes_chunks()) {
        GTEST_SKIP() << "the provider has no immediate data";
    }
    auto own = std::make_unique<HeldEngine>();
    HeldEngine& engine = *own;
    engine.hold();
    server().use_engine(std::move(own), 256);
    std::vector<uint32_t> recv_buffers = acquire_recv_buffers(1);
    const std::vector<char> data(600, 'c');
    const std::vector<char> behind(500, 'b');
    const uint64_t executed = client_->sent_frames();
    const std::vector<Numbered> frames =
        numbered({{put_frame(base_ + 4096, data), true}, {put_frame(base_ + 4096, behind)}});
    send(frames[0], &recv_buffers);
    wait_until([&] { return engine.waiting() == 1; });
    {
        const StderrCapture captured;
        client_->send(frames[0].frame);
        wait_for_warning(captured, "which does not fit in its sequence");
    }
    send(frames[1], nullptr);
    expect_memory();
    expect_good_service();
    EXPECT_EQ(client_->acknowledged_frames(), executed);
    put_expected(4096, data);
    put_expected(4096, behind);
    engine.copy_one();
    wait_until([&] { return server().load().copies == 0; });
    server().use_engine(nullptr, 0);  // other tests use the server, too
    client_->send(client_->next(RawClient::asking_fence()));
    wait_until([&] { return client_->acknowledged_frames() == client_->sent_frames(); });
    expect_memory();
    expect_good_service();
}

// Overlapping puts, as messages and in receive buffers, in any order of arrival: the last number
// wins.
TEST_F(ServerOrder, OrdersMessagesAndReceiveBuffersTogether) {
    if (!network_->writes_chunks()) {
        GTEST_SKIP() << "the provider has no immediate data";
    }
    Random random(22);
    for (int round = 0; round < 30; ++round) {
        SCOPED_TRACE(round);
        // The buffers of the round before are free again.
        std::vector<uint32_t> recv_buffers = acquire_recv_buffers(recv_buffers_per_client());
        std::shuffle(recv_buffers.begin(), recv_buffers.end(), random);
        std::vector<Numbered> frames;
        for (size_t i = 0; i < 2 * recv_buffers.size(); ++i) {
            const bool in_recv_buffer = i % 2 == static_cast<size_t>(round % 2);
            const auto bytes = static_cast<size_t>(draw(random, 1, in_recv_buffer ? 20000 : 3000));
            const auto offset =
                static_cast<size_t>(draw(random, 0, static_cast<int64_t>(kPlainBytes - bytes)));
            const std::vector<char> data = random_bytes(random, bytes);
            put_expected(offset, data);
            frames.push_back({put_frame(base_ + offset, data), in_recv_buffer});
        }
        frames.push_back({RawClient::asking_fence()});
        frames = numbered(std::move(frames));
        std::shuffle(frames.begin(), frames.end(), random);
        for (const Numbered& entry : frames) {
            send(entry, &recv_buffers);
        }
        wait_until([&] { return client_->acknowledged_frames() == client_->sent_frames(); });
        expect_memory();
    }
    const std::vector<uint32_t> all = acquire_recv_buffers(recv_buffers_per_client());
    client_->send(client_->next(return_frame(all)));
    fence();
    expect_good_service();
}

// Several frames follow each other in a receive buffer, and one of them or a later one closes it.
// They arrive in any order. The buffer is free when the one that closes it has been executed.
TEST_F(ServerOrder, FramesShareAReceiveBuffer) {
    if (!network_->writes_chunks()) {
        GTEST_SKIP() << "the provider has no immediate data";
    }
    constexpr uint32_t kPlace = pipeline::kRecvPlaceBytes;
    struct Written {
        size_t buffer;  // of the two
        uint32_t offset;
        int closes;  // of the two, or none
        size_t bytes;
    };
    const std::vector<Written> all = {{0, 0, -1, 3000},
                                      {0, 3 * kPlace, -1, 900},
                                      {1, 0, 0, 4000},
                                      {1, 5 * kPlace, -1, 300},
                                      {1, 6 * kPlace, 1, 2000}};
    Random random(7);
    for (int round = 0; round < 20; ++round) {
        SCOPED_TRACE(round);
        fence();
        const int64_t free_before = server().load().free_recv_buffers;
        const std::vector<uint32_t> held = acquire_recv_buffers(2);
        std::vector<std::pair<Written, Frame>> frames;
        for (const Written& written : all) {
            const std::vector<char> data = random_bytes(random, written.bytes);
            const auto offset = static_cast<size_t>(draw(random, 0, 2000));
            put_expected(offset, data);
            frames.emplace_back(written, client_->next(put_frame(base_ + offset, data)));
        }
        const auto write = [&](const auto& entry) {
            const auto& [written, frame] = entry;
            client_->write_at(
                frame, held[written.buffer], written.offset,
                written.closes < 0 ? 0 : held[static_cast<size_t>(written.closes)] + 1);
        };
        std::shuffle(frames.begin() + 1, frames.end(), random);
        const datasrv::Server::Load before = server().load();  // other tests leave something
        std::for_each(frames.begin() + 1, frames.end(), write);
        const auto early = before.early_frames + static_cast<int64_t>(frames.size()) - 1;
        wait_until([&] { return server().load().early_frames == early; });
        EXPECT_EQ(server().load().early_bytes, before.early_bytes);
        EXPECT_EQ(server().load().free_recv_buffers, free_before - 2);
        write(frames.front());
        fence();
        expect_memory();
        EXPECT_EQ(server().load().free_recv_buffers, free_before);
    }
    expect_good_service();
}

// No more frames wait in a buffer than an origin puts there.
TEST_F(ServerOrder, FewFramesWaitInAReceiveBuffer) {
    if (!network_->writes_chunks()) {
        GTEST_SKIP() << "the provider has no immediate data";
    }
    fence();
    const std::vector<uint32_t> held = acquire_recv_buffers(1);
    const int64_t before = server().load().early_frames;
    const uint64_t missing = client_->sent_frames() + 1;
    for (uint64_t i = 1; i <= pipeline::kMaxFramesInRecvBuffer; ++i) {
        client_->write_at(client_->numbered(put_frame(base_ + 300, {'w'}), missing + i),
                          held.front(), static_cast<uint32_t>(i) * pipeline::kRecvPlaceBytes, 0);
        wait_until(
            [&] { return server().load().early_frames == before + static_cast<int64_t>(i); });
    }
    const StderrCapture captured;
    client_->write_at(client_->numbered(put_frame(base_ + 300, {'x'}),
                                        missing + pipeline::kMaxFramesInRecvBuffer + 1),
                      held.front(), 0, 0);
    wait_for_warning(captured, "which does not fit in its sequence");
    client_->send(client_->next(return_frame(held)));
    client_->set_sent_frames(missing + pipeline::kMaxFramesInRecvBuffer);
    put_expected(300, {'w'});
    fence();
    expect_memory();
    expect_good_service();
}

// Such a frame is executed, and the buffer stays what it is.
TEST_F(ServerOrder, FrameThatClosesABufferNotHeldFreesNothing) {
    if (!network_->writes_chunks()) {
        GTEST_SKIP() << "the provider has no immediate data";
    }
    fence();
    const int64_t free_before = server().load().free_recv_buffers;
    const std::vector<uint32_t> held = acquire_recv_buffers(1);
    const uint32_t count = server().recv_area().recv_buffer_count;
    const uint32_t other = (held.front() + 1) % count;
    for (const uint32_t closes : {other + 1, count + 1, UINT32_MAX}) {
        const std::vector<char> data(100, 'o');
        const StderrCapture captured;
        client_->write_at(client_->next(put_frame(base_ + 200, data)), held.front(), 0, closes);
        wait_for_warning(captured, "which was not granted to it");
        put_expected(200, data);
        expect_memory();
        EXPECT_EQ(server().load().free_recv_buffers, free_before - 1);
    }
    client_->send(client_->next(return_frame(held)));
    fence();
    EXPECT_EQ(server().load().free_recv_buffers, free_before);
    expect_good_service();
}

// Such a message is not a part of its sender's window, and its buffer is free when it has been
// executed. It is kept while a frame before it is missing.
TEST_F(ServerOrder, MessageTakesAGrantedBuffer) {
    const std::vector<char> early(3000, 'g');
    const std::vector<char> missing(200, 'm');
    fence();
    const int64_t free_before = server().load().free_recv_buffers;
    const uint64_t bytes_before = client_->acknowledged_bytes();
    const std::vector<uint32_t> held = acquire_recv_buffers(1);
    const datasrv::Server::Load before = server().load();  // other tests leave something
    const uint64_t want_bytes = sizeof(wire::FrameHeader);
    const Frame first = client_->next(put_frame(base_ + 4096, missing));
    Frame second = client_->next(put_frame(base_ + 4096, early));
    header_of(second).flow =
        wire::encode_flow({.demand = client_->total_granted(), .closes = held.front() + 1});
    client_->send(second);
    wait_until([&] { return server().load().early_frames == before.early_frames + 1; });
    EXPECT_EQ(server().load().early_bytes, before.early_bytes);
    expect_memory();
    client_->send(first);
    fence();
    put_expected(4096, early);
    expect_memory();
    EXPECT_EQ(server().load().free_recv_buffers, free_before);
    EXPECT_EQ(client_->acknowledged_bytes() - bytes_before,
              want_bytes + frame_bytes(first) + sizeof(wire::FrameHeader));
    expect_good_service();
}

// A get of many chunks receives credit for one chunk at a time and sends one for each.
TEST_F(ServerOrder, SendsOneChunkForEachCredit) {
    constexpr int64_t kChunk = 512;
    constexpr int64_t kChunks = kMemoryBytes / kChunk;
    constexpr int kMaxRoundTrips = 10000;
    client_->clear_answers();
    wire::TransferBody body = transfer_body(kMemoryBytes);
    body.window_bytes = kChunk;
    Frame get = make_strided_transfer(FrameKind::get, body, base_, block_layout(kMemoryBytes), {});
    const uint64_t request_id = ++last_request_;
    header_of(get).request_id = request_id;
    client_->send(client_->next(std::move(get)));
    const auto taken = [&] {
        return std::count_if(
            client_->answers().begin(), client_->answers().end(),
            [](const auto& answer) { return answer.header.kind == FrameKind::data; });
    };
    for (int64_t chunk = 1; chunk <= kChunks; ++chunk) {
        for (int i = 0; taken() < chunk && i < kMaxRoundTrips; ++i) {
            fence();
        }
        ASSERT_EQ(taken(), chunk);
        Frame credit = make_frame(FrameKind::get_credit,
                                  wire::CreditBody{static_cast<uint64_t>(chunk * kChunk), 0});
        header_of(credit).request_id = request_id;
        client_->send(client_->next(std::move(credit)));
    }
    fence();
    EXPECT_EQ(taken(), kChunks);
}

// A client that claims to have received more than was sent does not get more at a time than it has
// room for.
TEST_F(ServerOrder, LimitsCreditToWhatWasSent) {
    constexpr int64_t kChunk = 512;
    client_->clear_answers();
    wire::TransferBody body = transfer_body(kMemoryBytes);
    body.window_bytes = kChunk;
    Frame get = make_strided_transfer(FrameKind::get, body, base_, block_layout(kMemoryBytes), {});
    const uint64_t request_id = ++last_request_;
    header_of(get).request_id = request_id;
    client_->send(client_->next(std::move(get)));
    const auto taken = [&] {
        return std::count_if(
            client_->answers().begin(), client_->answers().end(),
            [](const auto& answer) { return answer.header.kind == FrameKind::data; });
    };
    const auto credit = [&](uint64_t bytes) {
        Frame frame = make_frame(FrameKind::get_credit, wire::CreditBody{bytes, 0});
        header_of(frame).request_id = request_id;
        client_->send(client_->next(std::move(frame)));
        for (int i = 0; i < 10; ++i) {
            fence();  // so often the server has checked what it may send
        }
    };
    wait_until([&] { return taken() == 1; });
    credit(kMemoryBytes);
    EXPECT_EQ(taken(), 2);
    for (int64_t chunk = 2; chunk < static_cast<int64_t>(kMemoryBytes) / kChunk; ++chunk) {
        credit(static_cast<uint64_t>(chunk * kChunk));
        wait_until([&] { return taken() >= chunk + 1; });
    }
    EXPECT_EQ(taken(), static_cast<int64_t>(kMemoryBytes) / kChunk);
}

// Frames count on every way, bytes only in messages. A client that did not ask gets an
// acknowledgement when a quarter of its window is executed.
TEST_F(ServerOrder, AnswersCarryTheExecutedNumberAndBytes) {
    fence();
    client_->clear_answers();
    uint64_t frames = client_->acknowledged_frames();
    uint64_t bytes = client_->acknowledged_bytes();
    const auto send_counted = [&](Frame frame) {
        ++frames;
        bytes += frame_bytes(frame);
        client_->send(client_->next(std::move(frame)));
    };
    for (int i = 0; i < 20; ++i) {
        for (int k = 0; k < i; ++k) {
            send_counted(make_frame(FrameKind::fence));
        }
        send_counted(RawClient::asking_fence());
        wait_until([&] { return client_->acknowledged_frames() >= frames; });
        EXPECT_EQ(client_->acknowledged_frames(), frames);
        EXPECT_EQ(client_->acknowledged_bytes(), bytes);
        EXPECT_EQ(client_->answers().back().header.kind, FrameKind::acknowledge);
    }
    EXPECT_EQ(client_->answers().size(), 20u);

    // An answer carries it as well; then no acknowledgement is due.
    client_->clear_answers();
    Frame swap = swap_frame(1024, 5, ++last_request_);
    header_of(swap).flags = wire::kAcknowledgeNow;
    send_counted(std::move(swap));
    wait_until([&] { return client_->acknowledged_frames() >= frames; });
    EXPECT_EQ(client_->acknowledged_bytes(), bytes);
    EXPECT_EQ(client_->answers().back().header.kind, FrameKind::value);
    constexpr int64_t kFive = 5;
    std::memcpy(expected_.data() + 1024, &kFive, sizeof kFive);
    send_counted(swap_frame(1024, kFive, ++last_request_));
    wait_until([&] { return client_->acknowledged_frames() >= frames; });
    EXPECT_EQ(client_->answers().size(), 2u);

    if (!network_->writes_chunks()) {
        return;  // the window has another size
    }
    constexpr uint64_t kQuarter = (64 << 10) / 4;
    client_->clear_answers();
    const uint64_t acknowledged = bytes;
    const Frame message = put_frame(base_ + 2048, std::vector<char>(1000, 'q'));
    put_expected(2048, std::vector<char>(1000, 'q'));
    while (bytes - acknowledged < kQuarter) {
        send_counted(message);
    }
    wait_until([&] { return client_->acknowledged_frames() >= frames; });
    EXPECT_EQ(client_->acknowledged_bytes(), bytes);
    EXPECT_EQ(client_->answers().size(), 1u);

    std::vector<uint32_t> recv_buffers = acquire_recv_buffers(1);
    ++frames;
    bytes += sizeof(wire::FrameHeader);  // asked for them
    send({client_->next(put_frame(base_ + 2048, std::vector<char>(9000, 's'))), true},
         &recv_buffers);
    put_expected(2048, std::vector<char>(9000, 's'));
    ++frames;
    send_counted(RawClient::asking_fence());
    wait_until([&] { return client_->acknowledged_frames() >= frames; });
    EXPECT_EQ(client_->acknowledged_frames(), frames);
    EXPECT_EQ(client_->acknowledged_bytes(), bytes);
    expect_memory();
}

// An origin that does not take the data of its gets does not make the server keep more and more of
// it. The gets that find no room wait for their turn, and other origins are served.
TEST_F(ServerOrder, GetsWaitForRoomForTheirAnswers) {
    constexpr int kBatches = 560;
    constexpr uint32_t kBlocks = 7;
    constexpr uint32_t kBlockBytes = 8 << 10;
    std::vector<wire::BatchEntry> entries;
    for (uint64_t i = 0; i < kBlocks; ++i) {
        entries.push_back({base_ + i * kBlockBytes, kBlockBytes, wire::BatchOperation::get});
    }
    client_->clear_answers();
    const int64_t early_before = server().load().early_frames;  // of tests before this one
    const uint64_t first_request = last_request_ + 1;
    for (int i = 0; i < kBatches; ++i) {
        Frame batch = batch_frame(entries);
        header_of(batch).request_id = ++last_request_;
        client_->send(client_->next(std::move(batch)));
    }
    const std::vector<char> late(100, 'l');
    client_->send(client_->next(put_frame(base_, late)));
    const auto answered_bytes = [&] {
        uint64_t bytes = 0;
        for (const RawClient::Answer& answer : client_->answers()) {
            if (answer.header.kind == FrameKind::data) {
                bytes += answer.body<wire::DataBody>().data_bytes;
            }
        }
        return bytes;
    };
    // The client polls no more, so its answers fill the network, then the server.
    datasrv::ServerLoad load;
    network_->wait_until([&] {
        load = server().load();
        return load.early_frames > early_before ||
               load.kept_bytes > static_cast<int64_t>(datasrv::GetStreams::kMaxKeptBytes);
    });
    EXPECT_LE(load.kept_bytes, static_cast<int64_t>(datasrv::GetStreams::kMaxKeptBytes));
    EXPECT_GT(load.kept_bytes, static_cast<int64_t>(datasrv::GetStreams::kMaxKeptBytes -
                                                    wire::kMaxBatchAnswerBytes));
    expect_good_service();
    wait_until([&] { return answered_bytes() == uint64_t{kBatches} * kBlocks * kBlockBytes; });
    EXPECT_EQ(client_->answers().front().header.request_id, first_request);
    // Each get sees the memory before the put that follows them all.
    for (const RawClient::Answer& answer : client_->answers()) {
        if (answer.header.kind != FrameKind::data) {
            continue;
        }
        const auto body = answer.body<wire::DataBody>();
        ASSERT_EQ(std::memcmp(wire::after_body<wire::DataBody>(answer.bytes.data()),
                              expected_.data() + body.offset, body.data_bytes),
                  0);
    }
    put_expected(0, late);
    fence();
    expect_memory();
    load = server().load();
    EXPECT_EQ(load.early_frames, early_before);
    EXPECT_EQ(load.kept_bytes, 0);
    expect_good_service();
}

// Frames that have waited for gets before them leave their receive buffers. Another origin that
// waits for these gets them in the same turn: nothing else may happen that would cause the next.
TEST_F(ServerOrder, BuffersOfFramesThatWaitedAreGrantedInTheSameTurn) {
    if (!network_->writes_chunks()) {
        GTEST_SKIP() << "the provider has no immediate data";
    }
    constexpr int kBatches = 560;
    constexpr uint32_t kBlocks = 7;
    constexpr uint32_t kBlockBytes = 8 << 10;
    close();  // no other client holds any
    ASSERT_NO_FATAL_FAILURE(open());
    const size_t half = recv_buffers_per_client();
    ASSERT_EQ(server().load().free_recv_buffers, static_cast<int64_t>(2 * half));
    std::vector<uint32_t> recv_buffers = acquire_recv_buffers(half);
    RawClient* const reader = client_;
    talk_as(2);
    handshake();
    acquire_recv_buffers(half);
    talk_as(3);
    handshake();
    std::vector<Numbered> frames;
    for (int i = 0; i < kBatches; ++i) {
        std::vector<wire::BatchEntry> entries;
        for (uint64_t k = 0; k < kBlocks; ++k) {
            entries.push_back({base_ + k * kBlockBytes, kBlockBytes, wire::BatchOperation::get});
        }
        frames.push_back({batch_frame(entries)});
        header_of(frames.back().frame).request_id = ++last_request_;
    }
    const std::vector<char> late(600, 'l');
    for (size_t i = 0; i < half; ++i) {
        frames.push_back({put_frame(base_, late), true});
    }
    for (Numbered& entry : frames) {
        entry.frame = reader->next(std::move(entry.frame));
    }
    for (size_t i = 0; i < half; ++i) {
        reader->write_into_recv_buffer(frames[kBatches + i].frame, recv_buffers[i]);
    }
    network_->wait_until([&] {
        reader->progress();
        return server().load().early_frames == static_cast<int64_t>(half);
    });
    for (int i = 0; i < kBatches; ++i) {
        reader->send(frames[static_cast<size_t>(i)].frame);
    }
    reader->send(reader->next(RawClient::asking_fence()));
    // The reader polls no more, so its answers fill the network, then the server.
    network_->wait_until([&] {
        const datasrv::ServerLoad load = server().load();
        return load.kept_bytes > static_cast<int64_t>(datasrv::GetStreams::kMaxKeptBytes -
                                                      wire::kMaxBatchAnswerBytes);
    });
    ASSERT_EQ(server().load().free_recv_buffers, 0);
    Frame want = make_frame(FrameKind::want);
    header_of(want).flow = wire::encode_flow({.demand = static_cast<uint32_t>(half)});
    header_of(want).flags = wire::kAcknowledgeNow;
    client_->send(client_->next(std::move(want)));
    wait_until([&] { return client_->acknowledged_frames() == client_->sent_frames(); });
    ASSERT_EQ(server().load().free_recv_buffers, 0);
    wait_until([&] {
        reader->progress();
        EXPECT_EQ(server().load().free_recv_buffers, 0);
        return reader->acknowledged_frames() == reader->sent_frames() || HasFailure();
    });
    wait_until([&] { return client_->granted_recv_buffers().size() == half || HasFailure(); });
    put_expected(0, late);
    expect_memory();
    close();  // other tests begin with free receive buffers
}

// The ways of one origin to a server: small operations in batches, tasks by frames, and direct
// writes and reads, all on the same few words.
class ServerProgramOrder : public ::testing::TestWithParam<bool> {};

TEST_P(ServerProgramOrder, OperationsSeeAllEarlierOnes) {
    constexpr int64_t kBytes = 1024;
    NetworkOptions options;
    options.memory_bytes = kBytes;
    options.server_threads = true;
    options.use_ordering = GetParam();
    TestNetwork network(options);
    ASSERT_EQ(network.error(), "");
    pipeline::Origin& origin = network.origin(0);
    pipeline::Channel& channel = origin.channel(0);
    Random random(23);
    char* remote = network.memory(0);
    std::vector<char> expected(kBytes);
    fill(random, strided::AccType::int32, expected.data(), kBytes);
    std::copy(expected.begin(), expected.end(), remote);
    // A transfer's memory must stay as it is until it is complete.
    struct Step {
        std::vector<char> local;
        std::vector<char> fetched;  // what a get should find
        std::unique_ptr<pipeline::Task> task;
        bool has_come = false;  // a get without a task of its own
    };
    std::vector<std::unique_ptr<Step>> steps;
    int appended = 0;
    bool gets_are_under_way = false;
    const auto finish = [&] {
        for (const auto& step : steps) {
            if (step->task) {
                network.wait(*step->task);
            } else {
                network.wait_until([&] { return step->has_come; });
            }
            if (!step->fetched.empty()) {
                ASSERT_EQ(step->local, step->fetched);
            }
        }
        steps.clear();
        gets_are_under_way = false;
    };
    for (int i = 0; i < 1500; ++i) {
        const int64_t bytes = 4 * draw(random, 1, 64);
        const int64_t offset = 4 * draw(random, 0, (kBytes - bytes) / 4);
        const Pattern pattern = contiguous_pattern(bytes, 0, offset);
        auto step = std::make_unique<Step>();
        step->local.resize(static_cast<size_t>(bytes));
        fill(random, strided::AccType::int32, step->local.data(), bytes);
        Operation operation;
        operation.kind = std::array{base::OpKind::put, base::OpKind::put, base::OpKind::acc,
                                    base::OpKind::get}[random() % 4];
        operation.factor = static_cast<int>(draw(random, 1, 3));
        const bool is_get = operation.kind == base::OpKind::get;
        if (is_get) {
            step->fetched.assign(expected.begin() + offset, expected.begin() + offset + bytes);
        } else {
            apply(operation, pattern, step->local.data(), expected.data());
        }
        if (random() % 3 == 0) {
            pipeline::SmallBlock block{step->local.data(),
                                       reinterpret_cast<uint64_t>(remote + offset)};
            const strided::AccScale scale =
                strided::make_scale(strided::AccType::int32, &operation.factor);
            // Where frames could overtake direct writes, callers wait for these first.
            if (!origin.fences().writes_are_ordered_or_done(origin.tasks().last_submitted(), 0)) {
                network.wait_until([&] {
                    return origin.fences().writes_are_ordered_or_done(
                        origin.tasks().last_submitted(), 0);
                });
            }
            const pipeline::SmallTransfer small{
                .op = operation.kind,
                .blocks = &block,
                .block_count = 1,
                .block_bytes = static_cast<size_t>(bytes),
                .scale = operation.kind == base::OpKind::acc ? &scale : nullptr,
                .end = {[](void* come) { *static_cast<bool*>(come) = true; }, &step->has_come}};
            if (origin.append(channel, small, pipeline::Batches::Leaving::when_due)) {
                ++appended;
                if (is_get) {
                    gets_are_under_way = true;
                    steps.push_back(std::move(step));
                }
                continue;
            }
        }
        const bool by_rma =
            operation.kind != base::OpKind::acc && network.is_registered(0) && random() % 2 == 0;
        if (by_rma && gets_are_under_way) {  // which a direct write may overtake
            finish();
        }
        if (!by_rma &&
            !origin.fences().writes_are_ordered_or_done(origin.tasks().last_submitted(), 0)) {
            network.wait_until([&] {
                return origin.fences().writes_are_ordered_or_done(origin.tasks().last_submitted(),
                                                                  0);
            });
        }
        step->task = network.start(0, 0, by_rma ? base::Route::rma : base::Route::server,
                                   make_transfer(operation, pattern, step->local.data(), remote));
        // Later operations may overtake a read, so callers wait for it.
        if (is_get) {
            network.wait(*step->task);
        }
        steps.push_back(std::move(step));
        if (random() % 16 == 0) {
            finish();
        }
    }
    finish();
    network.fence_all();
    EXPECT_GT(appended, 50);
    expect_equal(expected, remote, "the node's");
}

INSTANTIATE_TEST_SUITE_P(, ServerProgramOrder, ::testing::Bool(),
                         [](const ::testing::TestParamInfo<bool>& kind) {
                             return kind.param ? "ordered" : "delivered";
                         });

}  // namespace
}  // namespace armci::test

// SPDX-License-Identifier: BSD-3-Clause
// A data server refuses inconsistent requests with the reason. They change no memory, and other
// ranks are still served.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <string>
#include <vector>

#include "node/attachments.h"
#include "node/mutex_queue.h"
#include "served_by_hand.h"

namespace armci::test {
namespace {

using node::WordOperation;
using wire::Failure;
using wire::FrameKind;

struct BadRequest {
    std::string what;
    Frame frame;
    Failure failure;
};

class ServerRefusal : public ServedByHand {
  protected:
    // Sends it as the next frame. The server acknowledges it even if it does not refuse it; then
    // there is no answer to wait for, and this returns nullptr.
    const RawClient::Answer* ask_for_refusal(Frame frame) {
        const uint64_t request_id = ++last_request_;
        header_of(frame).request_id = request_id;
        header_of(frame).flags |= wire::kAcknowledgeNow;
        client_->send(client_->next(std::move(frame)));
        wait_until([&] { return client_->acknowledged_frames() >= client_->sent_frames(); });
        if (client_->find(FrameKind::failed, request_id) == nullptr) {
            fence();  // an answer that waited for the network arrives before this one's
        }
        return client_->find(FrameKind::failed, request_id);
    }
    // Each is refused for its reason, and nothing changes.
    void expect_refused(std::vector<BadRequest> requests) {
        for (BadRequest& request : requests) {
            SCOPED_TRACE(request.what);
            const auto kind = static_cast<uint32_t>(header_of(request.frame).kind);
            client_->clear_answers();
            const RawClient::Answer* const found = ask_for_refusal(std::move(request.frame));
            ASSERT_NE(found, nullptr) << "it was not refused";
            const RawClient::Answer answer = *found;
            const auto failed = answer.body<wire::FailedBody>();
            EXPECT_EQ(failed.failure, request.failure) << wire::describe(failed.failure);
            EXPECT_EQ(failed.request_kind, kind);
            EXPECT_EQ(answer.header.sequence, client_->sent_frames());
            EXPECT_EQ(client_->answers().size(), 1u);
            expect_memory();
        }
        fence();
        EXPECT_EQ(std::count_if(
                      client_->answers().begin(), client_->answers().end(),
                      [](const auto& answer) { return answer.header.kind == FrameKind::failed; }),
                  requests.empty() ? 0 : 1);
        expect_good_service();
    }
};

// promise: server.refuses
TEST_F(ServerRefusal, RefusesUnknownKinds) {
    std::vector<BadRequest> requests;
    for (const int kind : {0, 20, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 255}) {
        requests.push_back({"kind " + std::to_string(kind),
                            make_frame(static_cast<FrameKind>(kind), wire::RmwBody{base_, 1, 0}),
                            Failure::malformed});
    }
    expect_refused(std::move(requests));
}

TEST_F(ServerRefusal, RefusesBodiesThatAreTooShort) {
    const std::vector<Frame> whole = {
        make_frame(FrameKind::get_credit, wire::CreditBody{}),
        rmw_frame(WordOperation::fetch_add_long, base_, 1),
        make_frame(FrameKind::store, wire::StoreBody{base_, 1}),
        make_frame(FrameKind::increment, wire::StoreBody{base_, 1}),
        make_frame(FrameKind::lock, wire::LockBody{base_}),
        make_frame(FrameKind::try_lock, wire::LockBody{base_}),
        make_frame(FrameKind::unlock, wire::LockBody{base_}),
        make_frame(FrameKind::add_segment, wire::SegmentBody{end(), 4096}),
        make_frame(FrameKind::remove_segment, wire::SegmentBody{base_, kMemoryBytes}),
        make_frame(FrameKind::release_recv_buffers, wire::RecvBuffersBody{}),
        make_frame(FrameKind::find_attached, wire::FindAttachedBody{base_, 8, 1}),
        make_frame(FrameKind::get_by_put, wire::GetByPutBody{base_, 8, 0, 1}),
        harmful_put(),
        make_strided_transfer(FrameKind::get, transfer_body(64), base_, block_layout(64), {}),
        make_vector_transfer(FrameKind::accumulate, transfer_body(64), {base_, base_ + 64}, 32,
                             std::vector<char>(64)),
    };
    std::vector<BadRequest> requests;
    for (const Frame& frame : whole) {
        const size_t body_bytes = frame_bytes(frame) - sizeof(wire::FrameHeader);
        for (size_t cut = 8; cut <= body_bytes; cut += 8) {
            Frame copy = frame;
            requests.push_back({std::string(wire::name_of(header_of(copy).kind)) + " without " +
                                    std::to_string(cut) + " bytes",
                                shortened(std::move(copy), cut), Failure::malformed});
        }
    }
    expect_refused(std::move(requests));
}

// promise: server.refuses
TEST_F(ServerRefusal, RefusesInconsistentLayouts) {
    std::vector<BadRequest> requests;
    const std::vector<char> data(64, 'x');
    const auto add = [&](const char* what, const wire::TransferBody& body, uint64_t base,
                         const strided::Layout& layout) {
        requests.push_back({std::string("put: ") + what,
                            make_strided_transfer(FrameKind::put, body, base, layout, data),
                            Failure::malformed});
        requests.push_back({std::string("get: ") + what,
                            make_strided_transfer(FrameKind::get, body, base, layout, {}),
                            Failure::malformed});
    };
    add("no data", transfer_body(0), base_, block_layout(64));
    add("offset behind the end", transfer_body(64, 65), base_, block_layout(64));
    add("data behind the end", transfer_body(64, 8), base_, block_layout(64));
    add("offset and data wrap", transfer_body(64, UINT64_MAX - 8), base_, block_layout(64));
    add("data wraps", transfer_body(UINT64_MAX - 8, 64), base_, block_layout(64));
    add("block of no bytes", transfer_body(64), base_, block_layout(0));
    add("negative block", transfer_body(64), base_, block_layout(-64));
    add("no repetition", transfer_body(64), base_, rows_layout(8, 0, 8));
    add("negative count", transfer_body(64), base_, rows_layout(8, -8, 8));
    add("total wraps", transfer_body(64), base_, rows_layout(INT64_MAX / 2, 4, 8));
    add("extent does not fit", transfer_body(64), base_, rows_layout(8, 8, INT64_MAX / 4));
    add("extent wraps at the top", transfer_body(64), UINT64_MAX - 32, block_layout(64));
    add("extent wraps at the bottom", transfer_body(64), 16, rows_layout(8, 8, -8));

    for (const int levels : {1, 7, 8, 255}) {
        Frame frame = harmful_put();
        header_of(frame).levels = static_cast<uint8_t>(levels);
        requests.push_back({"levels " + std::to_string(levels), frame, Failure::malformed});
    }
    for (const int kind : {0, 2, 3, 4, 255}) {
        Frame frame = harmful_put();
        header_of(frame).layout_kind = static_cast<uint8_t>(kind);
        requests.push_back({"layout kind " + std::to_string(kind), frame, Failure::malformed});
    }
    const std::vector<uint64_t> addresses = {base_, base_ + 128};
    for (const int64_t segment_bytes : {int64_t{0}, INT64_MAX / 2 + 1, int64_t{-1}}) {
        requests.push_back({"segments of " + std::to_string(segment_bytes),
                            make_vector_transfer(FrameKind::put, transfer_body(64), addresses,
                                                 segment_bytes, data),
                            Failure::malformed});
    }
    for (const uint64_t count : {uint64_t{0}, uint64_t{3000}, uint64_t{1} << 61, UINT64_MAX}) {
        Frame frame = make_vector_transfer(FrameKind::put, transfer_body(64), addresses, 32, data);
        frame[(sizeof(wire::FrameHeader) + sizeof(wire::TransferBody)) / sizeof(uint64_t)] = count;
        requests.push_back({std::to_string(count) + " segments", frame, Failure::malformed});
    }
    expect_refused(std::move(requests));
}

TEST_F(ServerRefusal, RefusesInconsistentAccumulates) {
    std::vector<BadRequest> requests;
    const auto add = [&](const char* what, int type, uint64_t bytes, uint64_t offset,
                         int64_t block_bytes) {
        Frame frame = make_strided_transfer(FrameKind::accumulate, transfer_body(bytes, offset),
                                            base_, rows_layout(block_bytes, 4, 2 * block_bytes),
                                            std::vector<char>(wire::padded(bytes), '\1'));
        header_of(frame).acc_type = static_cast<uint8_t>(type);
        requests.push_back({what, frame, Failure::malformed});
    };
    add("unknown type", 6, 64, 0, 16);
    add("type 255", 255, 64, 0, 16);
    add("part of an element", 3, 60, 0, 16);
    add("offset in an element", 5, 48, 8, 16);
    add("block that ends in an element", 5, 32, 0, 24);
    expect_refused(std::move(requests));
}

TEST_F(ServerRefusal, RefusesGetsWithInvalidReplyBuffers) {
    const auto get_frame = [&](const wire::TransferBody& body,
                               const wire::ReplyBuffersBody& reply_buffers) {
        std::vector<char> layout(wire::encoded_strided_bytes(0));
        wire::encode_strided(layout.data(), base_, block_layout(64));
        const auto* begin = reinterpret_cast<const char*>(&reply_buffers);
        layout.insert(layout.end(), begin, begin + sizeof reply_buffers);
        Frame frame = make_transfer(FrameKind::get, body, layout, {});
        header_of(frame).layout_kind = static_cast<uint8_t>(wire::LayoutKind::strided);
        header_of(frame).flags = wire::kHasReplyBuffers;
        return frame;
    };
    const auto batch = [&](const wire::ReplyBuffersBody& reply_buffers) {
        const wire::BatchEntry entry{base_, 64, wire::BatchOperation::get};
        std::vector<char> bytes(sizeof entry + sizeof reply_buffers);
        std::memcpy(bytes.data(), &entry, sizeof entry);
        std::memcpy(bytes.data() + sizeof entry, &reply_buffers, sizeof reply_buffers);
        Frame frame = make_frame(FrameKind::batch, bytes.data(), bytes.size());
        header_of(frame).flags = wire::kHasReplyBuffers;
        return frame;
    };
    std::vector<BadRequest> requests;
    for (const uint16_t count :
         {uint16_t{0}, uint16_t{wire::kMaxReplyBuffers + 1}, uint16_t{UINT16_MAX}}) {
        wire::ReplyBuffersBody reply_buffers;
        reply_buffers.count = count;
        reply_buffers.reply_buffer_bytes = 4096;
        requests.push_back({"reply buffers: " + std::to_string(count),
                            get_frame(transfer_body(64), reply_buffers), Failure::malformed});
        requests.push_back({"reply buffers of a batch: " + std::to_string(count),
                            batch(reply_buffers), Failure::malformed});
    }
    for (const uint32_t reply_buffer_bytes : {0u, 8u, 56u, 100u, 4097u, UINT32_MAX}) {
        wire::ReplyBuffersBody reply_buffers;
        reply_buffers.count = 1;
        reply_buffers.reply_buffer_bytes = reply_buffer_bytes;
        requests.push_back({"reply buffers of " + std::to_string(reply_buffer_bytes),
                            get_frame(transfer_body(64), reply_buffers), Failure::malformed});
        requests.push_back({"reply buffers of a batch, of " + std::to_string(reply_buffer_bytes),
                            batch(reply_buffers), Failure::malformed});
    }
    wire::ReplyBuffersBody reply_buffers;
    reply_buffers.count = 1;
    reply_buffers.reply_buffer_bytes = 4096;
    // With keys that the frame does not have, and with keys of more rails than there may be.
    for (const uint16_t further_rails :
         {uint16_t{7}, uint16_t{wire::kMaxFurtherRails + 1}, uint16_t{UINT16_MAX}}) {
        wire::ReplyBuffersBody without_keys = reply_buffers;
        without_keys.further_rails = further_rails;
        requests.push_back({"reply buffers on rails: " + std::to_string(further_rails),
                            get_frame(transfer_body(64), without_keys), Failure::malformed});
        requests.push_back({"reply buffers of a batch on rails: " + std::to_string(further_rails),
                            batch(without_keys), Failure::malformed});
    }
    wire::TransferBody no_window = transfer_body(64);
    no_window.window_bytes = 0;
    requests.push_back({"no window", get_frame(no_window, reply_buffers), Failure::malformed});
    Frame unannounced = get_frame(transfer_body(64), reply_buffers);
    header_of(unannounced).flags = 0;
    requests.push_back({"reply buffers without their flag", unannounced, Failure::malformed});
    requests.push_back(
        {"flag without its reply buffers",
         shortened(get_frame(transfer_body(64), reply_buffers), sizeof reply_buffers),
         Failure::malformed});
    expect_refused(std::move(requests));
}

// promise: server.refuses
TEST_F(ServerRefusal, RefusesTransfersOutsideTheSegments) {
    std::vector<BadRequest> requests;
    const std::vector<char> data(64, '\3');
    for (const FrameKind kind : {FrameKind::put, FrameKind::accumulate, FrameKind::get}) {
        const std::vector<char> sent = kind == FrameKind::get ? std::vector<char>() : data;
        const auto add = [&](const char* what, uint64_t base, const strided::Layout& layout) {
            requests.push_back({std::string(wire::name_of(kind)) + " " + what,
                                make_strided_transfer(kind, transfer_body(64), base, layout, sent),
                                Failure::bad_address});
        };
        add("at no address", 0, block_layout(64));
        add("at the last addresses", UINT64_MAX - 64, block_layout(64));
        add("in front of the segment", base_ - 64, block_layout(64));
        add("across its beginning", base_ - 32, block_layout(64));
        add("across its end", end() - 32, block_layout(64));
        add("behind its end", end(), block_layout(64));
        add("in the server's own memory", reinterpret_cast<uint64_t>(expected_.data()),
            block_layout(64));
        add("whose last row is behind the end", end() - 4096, rows_layout(16, 4, 1365));
        add("whose last row is in front", base_ + 128, rows_layout(16, 4, -64));
        add("whose first rows only are sent", base_, rows_layout(64, 3, kMemoryBytes / 2));
        const auto add_vector = [&](const char* what, const std::vector<uint64_t>& addresses) {
            requests.push_back({std::string(wire::name_of(kind)) + " " + what,
                                make_vector_transfer(kind, transfer_body(64), addresses, 16, sent),
                                Failure::bad_address});
        };
        add_vector("vector, first outside", {0, base_, base_ + 16, base_ + 32});
        add_vector("vector, last across the end", {base_, base_ + 16, base_ + 32, end() - 8});
        add_vector("vector, one that wraps", {base_, UINT64_MAX - 7, base_ + 32, base_ + 64});
        const auto add_near = [&](const char* what, uint64_t base, uint64_t address) {
            requests.push_back({std::string(wire::name_of(kind)) + " " + what,
                                make_vector_transfer(
                                    kind, transfer_body(64), {wire::LayoutKind::near_vector, base},
                                    {base_, base_ + 16, address, base_ + 32}, 16, sent),
                                Failure::bad_address});
        };
        add_near("near vector, largest distance", base_, base_ + UINT32_MAX);
        add_near("near vector, largest distance from below", base_ - 4096,
                 base_ - 4097 + (1L << 32));
        add_near("near vector, base outside", base_ - 4096, base_ - 16);
        add_near("near vector, across the end", base_, end() - 15);
        requests.push_back({std::string(wire::name_of(kind)) + " near vector that wraps",
                            make_vector_transfer(kind, transfer_body(64),
                                                 {wire::LayoutKind::near_vector, UINT64_MAX - 1000},
                                                 {UINT64_MAX - 1000, 16, 32, 64}, 16, sent),
                            Failure::bad_address});
    }
    expect_refused(std::move(requests));
}

TEST_F(ServerRefusal, RefusesInconsistentBatches) {
    const auto entry = [&](uint64_t address, uint32_t bytes, int operation = 0, int type = 0) {
        return wire::BatchEntry{address, bytes, static_cast<wire::BatchOperation>(operation),
                                static_cast<uint8_t>(type)};
    };
    expect_refused({
        {"cut entry", shortened(batch_frame({entry(base_, 8)}), 16), Failure::malformed},
        {"cut data", shortened(batch_frame({entry(base_, 24)}), 8), Failure::malformed},
        {"cut scale", shortened(batch_frame({entry(base_, 8, 1)}), 16), Failure::malformed},
        {"no data", batch_frame({entry(base_, 0)}), Failure::malformed},
        {"more data than frame", batch_frame({entry(base_, 4096)}), Failure::malformed},
        {"most data", batch_frame({entry(base_, UINT32_MAX)}), Failure::malformed},
        {"no known operation", batch_frame({entry(base_, 8, 3)}), Failure::malformed},
        {"cut get", shortened(batch_frame({entry(base_, 8, 2)}), 8), Failure::malformed},
        {"get of nothing", batch_frame({entry(base_, 0, 2)}), Failure::malformed},
        {"get of more than an answer has",
         batch_frame({entry(base_, wire::kMaxBatchAnswerBytes + 1, 2)}), Failure::malformed},
        {"gets of more than an answer has",
         batch_frame({entry(base_, wire::kMaxBatchAnswerBytes / 2, 2),
                      entry(base_, wire::kMaxBatchAnswerBytes / 2, 2), entry(base_, 1, 2)}),
         Failure::malformed},
        {"get outside", batch_frame({entry(end(), 8, 2)}), Failure::bad_address},
        {"get across the end", batch_frame({entry(end() - 8, 16, 2)}), Failure::bad_address},
        {"unknown type", batch_frame({entry(base_, 16, 1, 6)}), Failure::malformed},
        {"part of an element", batch_frame({entry(base_, 24, 1, 5)}), Failure::malformed},
        {"outside", batch_frame({entry(end(), 8)}), Failure::bad_address},
        {"across the end", batch_frame({entry(end() - 8, 16)}), Failure::bad_address},
        {"wraps", batch_frame({entry(UINT64_MAX - 7, 16)}), Failure::bad_address},
        {"accumulate outside", batch_frame({entry(base_ - 8, 16, 1)}), Failure::bad_address},
    });
    // Entries before the first bad one are executed, later ones are not.
    const Frame mixed = batch_frame({entry(base_, 8), entry(end(), 8), entry(base_ + 64, 8)});
    std::fill_n(expected_.begin(), 8, '\0');
    expect_refused({{"second outside", mixed, Failure::bad_address}});
}

TEST_F(ServerRefusal, RefusesInvalidWords) {
    std::vector<BadRequest> requests;
    for (const uint32_t operation : {4u, 5u, UINT32_MAX}) {
        requests.push_back({"operation " + std::to_string(operation),
                            make_frame(FrameKind::rmw, wire::RmwBody{base_, 1, operation}),
                            Failure::malformed});
    }
    for (const auto operation : {WordOperation::fetch_add_int, WordOperation::fetch_add_long,
                                 WordOperation::swap_int, WordOperation::swap_long}) {
        const auto bytes = static_cast<uint64_t>(node::word_bytes(operation));
        for (const uint64_t offset : {uint64_t{1}, bytes / 2, bytes - 1}) {
            requests.push_back({"rmw between words", rmw_frame(operation, base_ + offset, 1),
                                Failure::misaligned});
        }
        for (const uint64_t address : {uint64_t{0}, base_ - bytes, end(), UINT64_MAX + 1 - bytes}) {
            requests.push_back(
                {"rmw outside", rmw_frame(operation, address, 1), Failure::bad_address});
        }
    }
    for (const FrameKind kind : {FrameKind::store, FrameKind::increment}) {
        for (const uint64_t offset : {1, 2, 3}) {
            requests.push_back({"flag between words",
                                make_frame(kind, wire::StoreBody{base_ + offset, 1}),
                                Failure::misaligned});
        }
        for (const uint64_t address : {uint64_t{0}, base_ - 4, end(), UINT64_MAX - 3}) {
            requests.push_back({"flag outside", make_frame(kind, wire::StoreBody{address, 1}),
                                Failure::bad_address});
        }
    }
    expect_refused(std::move(requests));
}

// Requests of every kind for 64 bytes at `address` of that owner.
std::vector<BadRequest> requests_for(uint64_t address, uint32_t owner, Failure failure) {
    const std::vector<char> data(64, 'x');
    const std::string suffix = " of owner " + std::to_string(owner);
    std::vector<BadRequest> requests;
    for (const FrameKind kind : {FrameKind::put, FrameKind::accumulate, FrameKind::get}) {
        wire::TransferBody body = transfer_body(64);
        body.owner = owner;
        const auto& sent = kind == FrameKind::get ? std::vector<char>() : data;
        const std::string name = wire::name_of(kind) + suffix;
        requests.push_back(
            {name, make_strided_transfer(kind, body, address, block_layout(64), sent), failure});
        requests.push_back(
            {name + ", rows",
             make_strided_transfer(kind, body, address, rows_layout(16, 4, 16), sent), failure});
        requests.push_back({name + ", vector",
                            make_vector_transfer(kind, body, {address, address + 32}, 32, sent),
                            failure});
    }
    for (const auto operation :
         {wire::BatchOperation::put, wire::BatchOperation::accumulate, wire::BatchOperation::get}) {
        requests.push_back({"batch" + suffix,
                            batch_frame({wire::BatchEntry{address, 64, operation, 0,
                                                          static_cast<uint16_t>(owner)}}),
                            failure});
    }
    requests.push_back(
        {"rmw" + suffix, make_frame(FrameKind::rmw, wire::RmwBody{address, 1, 0, owner}), failure});
    requests.push_back({"store" + suffix,
                        make_frame(FrameKind::store, wire::StoreBody{address, 1, owner}), failure});
    return requests;
}

node::Attachment attached_here(const void* memory, size_t bytes, uint32_t owner) {
    node::Attachment entry{};
    entry.begin = reinterpret_cast<uint64_t>(memory);
    entry.end = entry.begin + bytes;
    entry.pid = getpid();
    entry.pid_namespace = node::own_pid_namespace();
    entry.owner = owner;
    entry.rank = 7;
    return entry;
}

TEST_F(ServerRefusal, RefusesMemoryThatIsNotAttached) {
    std::vector<char> mine(4096, 'm');
    const std::vector<char> before = mine;
    node::Attachments attachments(&network_->heap(0).control().attachments);
    node::Attachment overlapped{};
    ASSERT_EQ(attachments.add(attached_here(mine.data() + 1024, 1024, 2), &overlapped),
              node::Attachments::Added::yes);
    const auto begin = reinterpret_cast<uint64_t>(mine.data() + 1024);
    // Frames name owner 2 as 3.
    for (const auto& [address, owner] :
         std::vector<std::pair<uint64_t, uint32_t>>{{begin, 2},
                                                    {begin, 4},
                                                    {begin, 0},
                                                    {begin, UINT16_MAX},
                                                    {begin - 8, 3},
                                                    {begin + 1024, 3},
                                                    {0, 3},
                                                    {end(), 3},
                                                    {base_ - 8, 3}}) {
        SCOPED_TRACE(address - begin);
        expect_refused(requests_for(address, owner, Failure::bad_address));
    }
    // Words still fit there.
    std::vector<BadRequest> past_end = requests_for(begin + 1024 - 32, 3, Failure::bad_address);
    past_end.resize(past_end.size() - 2);
    expect_refused(std::move(past_end));
    expect_refused({
        {"no owner", make_frame(FrameKind::find_attached, wire::FindAttachedBody{begin, 8, 0}),
         Failure::malformed},
        {"no bytes", make_frame(FrameKind::find_attached, wire::FindAttachedBody{begin, 0, 3}),
         Failure::malformed},
        {"an owner beyond all",
         make_frame(FrameKind::find_attached, wire::FindAttachedBody{begin, 8, uint64_t{1} << 32}),
         Failure::malformed},
        {"increment", make_frame(FrameKind::increment, wire::StoreBody{begin, 1, 3}),
         Failure::bad_address},
    });
    EXPECT_EQ(mine, before);
    const auto ask_for = [&](uint64_t address, uint64_t bytes, uint64_t owner) {
        return ask(make_frame(FrameKind::find_attached,
                              wire::FindAttachedBody{address, bytes, owner}),
                   FrameKind::attached)
            .body<wire::AttachedBody>();
    };
    EXPECT_EQ(ask_for(begin + 8, 1016, 3).begin, begin);
    EXPECT_EQ(ask_for(begin + 8, 1016, 3).end, begin + 1024);
    EXPECT_EQ(ask_for(begin + 8, 1017, 3).end, 0U);
    EXPECT_EQ(ask_for(begin + 8, 8, 2).end, 0U);
    EXPECT_EQ(ask_for(base_, 8, 3).end, 0U) << "global memory is not attached";
    EXPECT_TRUE(attachments.remove(2, begin));
}

TEST_F(ServerRefusal, RefusesGetsByPutOfOtherMemory) {
    const auto get = [](uint64_t address, uint64_t bytes) {
        return make_frame(FrameKind::get_by_put, wire::GetByPutBody{address, bytes, 0, 1});
    };
    expect_refused({
        {"no bytes", get(base_, 0), Failure::malformed},
        {"outside", get(end(), 8), Failure::bad_address},
        {"before", get(base_ - 8, 16), Failure::bad_address},
        {"across the end", get(end() - 8, 16), Failure::bad_address},
        {"longer than the address space", get(base_, UINT64_MAX), Failure::bad_address},
        {"nowhere", get(0, 8), Failure::bad_address},
    });
}

// The memory was unmapped without telling the library. The origin gets an error, and the server
// continues.
TEST_F(ServerRefusal, RefusesAttachedMemoryThatWasUnmapped) {
    constexpr size_t kBytes = 8192;
    void* gone = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(gone, MAP_FAILED);
    node::Attachments attachments(&network_->heap(0).control().attachments);
    node::Attachment overlapped{};
    ASSERT_EQ(attachments.add(attached_here(gone, kBytes, 0), &overlapped),
              node::Attachments::Added::yes);
    ASSERT_EQ(mprotect(gone, kBytes, PROT_NONE), 0);
    const auto address = reinterpret_cast<uint64_t>(gone);
    expect_refused(requests_for(address + 64, 1, Failure::not_mapped));
    wire::TransferBody body = transfer_body(64);
    body.owner = 1;
    const auto failed =
        ask(make_strided_transfer(FrameKind::get, body, address, block_layout(64), {}),
            FrameKind::failed)
            .body<wire::FailedBody>();
    EXPECT_EQ(failed.rank, 7);
    EXPECT_EQ(failed.address, address);
    EXPECT_TRUE(attachments.remove(0, address));
    // The process does not exist either.
    node::Attachment missing = attached_here(gone, kBytes, 0);
    missing.pid = INT32_MAX;
    ASSERT_EQ(attachments.add(missing, &overlapped), node::Attachments::Added::yes);
    expect_refused(requests_for(address + 64, 1, Failure::no_access));
    EXPECT_TRUE(attachments.remove(0, address));
    munmap(gone, kBytes);
}

TEST_F(ServerRefusal, RefusesInvalidMutexes) {
    constexpr size_t kPlace = 1024;
    new (memory_ + kPlace) node::Mutex;
    std::memcpy(expected_.data() + kPlace, memory_ + kPlace, sizeof(node::Mutex));
    std::vector<BadRequest> requests;
    for (const FrameKind kind : {FrameKind::lock, FrameKind::try_lock, FrameKind::unlock}) {
        for (const uint64_t address :
             {uint64_t{0}, base_, base_ + kPlace + 8, base_ + kPlace - 64, base_ - 64, end() - 32,
              end(), UINT64_MAX - 63, UINT64_MAX}) {
            requests.push_back({std::string(wire::name_of(kind)) + " of no mutex",
                                make_frame(kind, wire::LockBody{address}), Failure::not_a_mutex});
        }
    }
    requests.push_back({"unlock of a free one",
                        make_frame(FrameKind::unlock, wire::LockBody{base_ + kPlace}),
                        Failure::not_held});
    expect_refused(std::move(requests));

    // A mutex that another rank holds; the unlock of that rank is valid.
    pipeline::RequestTask lock("lock", FrameKind::lock, wire::LockBody{base_ + kPlace},
                               pipeline::RequestTask::Answer::expected);
    network_->submit(0, 0, lock);
    network_->wait(lock);
    std::memcpy(expected_.data() + kPlace, memory_ + kPlace, sizeof(node::Mutex));
    expect_refused(
        {{"unlock of another rank's", make_frame(FrameKind::unlock, wire::LockBody{base_ + kPlace}),
          Failure::not_held}});
    pipeline::RequestTask unlock("unlock", FrameKind::unlock, wire::LockBody{base_ + kPlace},
                                 pipeline::RequestTask::Answer::none);
    network_->submit(0, 0, unlock);
    network_->fence_all();
    const auto acquired =
        ask(make_frame(FrameKind::try_lock, wire::LockBody{base_ + kPlace}), FrameKind::value);
    EXPECT_EQ(acquired.body<wire::ValueBody>().value, 1);
    client_->send(client_->next(make_frame(FrameKind::unlock, wire::LockBody{base_ + kPlace})));
    fence();
    std::memcpy(expected_.data() + kPlace, memory_ + kPlace, sizeof(node::Mutex));
    expect_good_service();
}

TEST_F(ServerRefusal, RefusesInvalidSegments) {
    std::vector<BadRequest> requests;
    const auto add = [&](const char* what, uint64_t address, uint64_t bytes) {
        for (const FrameKind kind : {FrameKind::add_segment, FrameKind::remove_segment}) {
            requests.push_back({std::string(wire::name_of(kind)) + ": " + what,
                                make_frame(kind, wire::SegmentBody{address, bytes}),
                                Failure::bad_address});
        }
    };
    add("of no bytes", end(), 0);
    add("at no address", 0, 4096);
    add("outside the heap", reinterpret_cast<uint64_t>(expected_.data()), 4096);
    add("the heap's own tables", base_ - (uint64_t{1} << 30), uint64_t{1} << 30);
    add("beyond the heap", end(), uint64_t{1} << 40);
    add("that wraps", end(), UINT64_MAX - end() + 2);
    for (const uint64_t address : {base_, base_ + 4096, end() - 4096}) {
        requests.push_back({"a second one at the same place",
                            make_frame(FrameKind::add_segment, wire::SegmentBody{address, 8192}),
                            Failure::bad_address});
    }
    expect_refused(std::move(requests));
    const wire::SegmentBody neighbour{end(), 4096};
    const auto removed = [&] {
        return ask(make_frame(FrameKind::remove_segment, neighbour), FrameKind::value)
            .body<wire::ValueBody>()
            .value;
    };
    EXPECT_EQ(removed(), 0);
    // No transfer may cross from one segment into the next, or into one that was removed.
    ask(make_frame(FrameKind::add_segment, neighbour), FrameKind::segment);
    const std::vector<char> data(64, 'x');
    expect_refused({{"across two", put_frame(end() - 32, data), Failure::bad_address}});
    client_->send(client_->next(put_frame(end(), data)));
    fence();
    EXPECT_TRUE(std::equal(data.begin(), data.end(), memory_ + kMemoryBytes));
    EXPECT_EQ(removed(), 1);
    expect_refused({{"removed", put_frame(end(), data), Failure::bad_address}});
}

TEST_F(ServerRefusal, RefusesReleaseOfBuffersThatAreNotHeld) {
    const auto recv_buffers = [](uint32_t count, uint32_t first) {
        wire::RecvBuffersBody body;
        body.count = count;
        std::fill_n(body.recv_buffer, wire::kMaxRecvBuffersPerFrame, first);
        return make_frame(FrameKind::release_recv_buffers, body);
    };
    expect_refused({
        {"not granted", recv_buffers(1, 0), Failure::malformed},
        {"no such receive buffer", recv_buffers(1, server().recv_area().recv_buffer_count),
         Failure::malformed},
        {"last number", recv_buffers(1, UINT32_MAX), Failure::malformed},
        {"more than fit", recv_buffers(wire::kMaxRecvBuffersPerFrame + 1, 0), Failure::malformed},
        {"most", recv_buffers(UINT32_MAX, 0), Failure::malformed},
    });
    // A buffer that is held can be released once.
    std::vector<uint32_t> held = acquire_recv_buffers(recv_buffers_per_client());
    expect_refused({{"one twice", recv_buffers(2, held.front()), Failure::malformed}});
    EXPECT_EQ(acquire_recv_buffers(1), std::vector<uint32_t>{held.front()});
    client_->send(client_->next(return_frame(held)));
    held = acquire_recv_buffers(recv_buffers_per_client());
    client_->send(client_->next(return_frame(held)));
    fence();
}

}  // namespace
}  // namespace armci::test

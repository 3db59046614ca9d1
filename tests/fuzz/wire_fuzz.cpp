// SPDX-License-Identifier: BSD-3-Clause
// What arrives, before its sender is known: nothing is read outside it, and only who has the token
// is taken for its sender. Then a message as a server decodes it: it is refused, or all its numbers
// are consistent and lie inside the frame.
#include <vector>

#include "fuzz.h"
#include "wire/frame.h"

namespace armci::wire {
namespace {

uint64_t g_sum = 0;

// Reads all of it, for the sanitizer.
void touch(const void* begin, uint64_t bytes) {
    for (uint64_t i = 0; i < bytes; ++i) {
        g_sum += static_cast<const unsigned char*>(begin)[i];
    }
}

void check_keys(const ReplyPlaces& places) {
    const ReplyBuffersBody& body = places.body;
    FUZZ_CHECK(body.count <= kMaxReplyBuffers && body.further_rails <= kMaxFurtherRails);
    FUZZ_CHECK(places.further_keys.size() == size_t{body.count} * body.further_rails);
}

void check_transfer(const FrameHeader& header, const char* frame, size_t bytes) {
    TransferView view;
    std::vector<uint64_t> addresses;
    if (!decode_transfer(frame, bytes, header, &view, &addresses)) {
        return;
    }
    const LayoutView& layout = view.layout;
    const auto total = static_cast<uint64_t>(layout.total_bytes);
    FUZZ_CHECK(view.body.data_bytes > 0 && view.body.data_bytes <= total);
    FUZZ_CHECK(view.body.offset <= total - view.body.data_bytes);
    if (const auto* vector = std::get_if<strided::VectorSide>(&layout.side)) {
        FUZZ_CHECK(vector->block_count > 0 && vector->block_bytes > 0);
        FUZZ_CHECK(vector->addresses == addresses.data() &&
                   addresses.size() == static_cast<size_t>(vector->block_count));
        for (const uint64_t address : addresses) {
            FUZZ_CHECK(layout.extent.bytes == 0 ||
                       (address >= layout.extent.begin &&
                        address - layout.extent.begin <=
                            layout.extent.bytes - static_cast<uint64_t>(vector->block_bytes)));
        }
    } else {
        const auto& side = std::get<strided::StridedSide>(layout.side);
        const strided::Extent extent = strided::extent(side.layout);
        FUZZ_CHECK(extent.begin <= 0 && extent.end > extent.begin);
        FUZZ_CHECK(side.base + static_cast<uint64_t>(extent.begin) <
                   side.base + static_cast<uint64_t>(extent.end));
        FUZZ_CHECK(strided::total_bytes(side.layout) == layout.total_bytes);
    }
    if (header.kind == FrameKind::get) {
        FUZZ_CHECK(view.data == nullptr);
        check_keys(view.reply_buffers);
        return;
    }
    FUZZ_CHECK(view.data >= frame && view.data + padded(view.body.data_bytes) == frame + bytes);
    touch(view.data, view.body.data_bytes);
    if (header.kind == FrameKind::accumulate) {
        const auto element = static_cast<uint64_t>(
            strided::element_bytes(static_cast<strided::AccType>(header.acc_type)));
        FUZZ_CHECK(view.body.data_bytes % element == 0 && view.body.offset % element == 0);
    }
}

void check_batch(const FrameHeader& header, const char* frame, size_t bytes) {
    BatchReader reader(frame, bytes);
    ReplyPlaces reply_buffers;
    if (!reader.take_reply_buffers(header, &reply_buffers)) {
        return;
    }
    const ReplyBuffersBody& body = reply_buffers.body;
    FUZZ_CHECK((body.count > 0) == ((header.flags & kHasReplyBuffers) != 0));
    check_keys(reply_buffers);
    BatchView view;
    bool malformed = false;
    uint64_t seen =
        sizeof(FrameHeader) +
        (body.count > 0 ? ReplyPlaces::encoded_bytes(body.count, body.further_rails) : 0);
    while (reader.next(&view, &malformed)) {
        FUZZ_CHECK(!malformed && view.entry.data_bytes > 0);
        const BatchOperation operation = view.entry.operation;
        FUZZ_CHECK((view.data == nullptr) == (operation == BatchOperation::get));
        FUZZ_CHECK((view.scale != nullptr) == (operation == BatchOperation::accumulate));
        if (view.data != nullptr) {
            touch(view.data, view.entry.data_bytes);
        }
        if (view.scale != nullptr) {
            touch(view.scale, kScaleBytes);
        }
        seen += batch_entry_bytes(view.entry.data_bytes, operation);
        FUZZ_CHECK(seen <= bytes);
    }
    FUZZ_CHECK(malformed || seen == bytes);
}

// The bytes come as a message of a stranger, and lie in a buffer that a stranger may have written
// into. Without the token they are nobody's; with it, and its seal, they are taken once.
void check_sender(std::vector<uint64_t> words, size_t bytes) {
    constexpr uint64_t kToken = 0x0123'4567'89ab'cdef;
    Sender sender;
    if (decode_sender(words.data(), bytes, &sender)) {
        FUZZ_CHECK(bytes >= sizeof(FrameHeader));
        FUZZ_CHECK(is_token(sender.token, kToken) == (sender.token == kToken));
        FUZZ_CHECK(!is_token(sender.token, kNoToken));
    }
    const bool has_token = bytes >= sizeof(FrameHeader) && sender.token == kToken;
    FUZZ_CHECK(has_token || take_written(words.data(), bytes, kToken) == 0);
    if (bytes < sizeof(FrameHeader) + kSealBytes) {
        return;
    }
    char* const frame = reinterpret_cast<char*>(words.data());
    std::memcpy(frame, &kToken, sizeof kToken);
    FrameHeader header;
    std::memcpy(&header, frame, sizeof header);
    const bool has_room =
        header.frame_bytes >= sizeof header && header.frame_bytes <= bytes - kSealBytes;
    if (has_room) {
        seal(frame, header.frame_bytes, kToken);
    }
    const size_t taken = take_written(frame, bytes, kToken);
    FUZZ_CHECK(taken == (has_room ? header.frame_bytes : 0));
    FUZZ_CHECK(take_written(frame, bytes, kToken) == 0 || taken == 0);
}

}  // namespace
}  // namespace armci::wire

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
    using namespace armci::wire;
    // The memory is as long as the message, so that a read beyond it is noticed. The header is
    // mostly correct.
    std::vector<uint64_t> words((bytes + 7) / 8);
    if (bytes > 0) {
        std::memcpy(words.data(), data, bytes);
    }
    check_sender(words, bytes);
    const bool is_repaired = bytes >= sizeof(FrameHeader) && (data[0] & 1) == 0;
    const size_t length = is_repaired ? words.size() * 8 : bytes;
    if (is_repaired) {
        FrameHeader header;
        std::memcpy(&header, words.data(), sizeof header);
        header.magic = kMagic;
        header.version = kVersion;
        header.frame_bytes = static_cast<uint32_t>(length);
        std::memcpy(words.data(), &header, sizeof header);
    }
    const char* frame = reinterpret_cast<const char*>(words.data());
    FrameHeader header;
    if (!decode_header(frame, length, &header)) {
        FUZZ_CHECK(!is_repaired);
        return 0;
    }
    FUZZ_CHECK(name_of(header.kind) != nullptr);
    if (header.kind == FrameKind::batch) {
        check_batch(header, frame, length);
    } else {
        check_transfer(header, frame, length);
    }
    return 0;
}

// SPDX-License-Identifier: BSD-3-Clause
// Decoding returns what was encoded. Invalid frames: wire_garbage_test.cpp.
#include "wire/frame.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "frame_builder.h"

namespace armci::wire::test {
namespace {

using armci::test::block_layout;
using armci::test::Frame;
using armci::test::frame_bytes;
using armci::test::header_of;
using armci::test::make_frame;
using armci::test::make_strided_transfer;
using armci::test::make_vector_transfer;
using armci::test::random_bytes;
using strided::AccType;

constexpr uint64_t kBase = 0x2000'0000'0000;
constexpr FrameKind kAllKinds[] = {FrameKind::hello,       FrameKind::put,
                                   FrameKind::accumulate,  FrameKind::get,
                                   FrameKind::get_credit,  FrameKind::rmw,
                                   FrameKind::store,       FrameKind::increment,
                                   FrameKind::lock,        FrameKind::try_lock,
                                   FrameKind::unlock,      FrameKind::fence,
                                   FrameKind::add_segment, FrameKind::remove_segment,
                                   FrameKind::data,        FrameKind::value,
                                   FrameKind::locked,      FrameKind::segment,
                                   FrameKind::acknowledge, FrameKind::failed};

strided::Layout random_layout(std::mt19937_64& random, int levels) {
    strided::Layout layout;
    layout.levels = levels;
    layout.count[0] = 1 + static_cast<int64_t>(random() % 50);
    for (int i = 0; i < levels; ++i) {
        layout.count[i + 1] = 1 + static_cast<int64_t>(random() % 3);
        layout.stride[i] = static_cast<int64_t>(random() % 2000) - 1000;
    }
    return layout;
}

struct DecodedTransfer : TransferView {
    std::vector<uint64_t> addresses;
};

DecodedTransfer decode(const Frame& frame) {
    FrameHeader header;
    EXPECT_TRUE(decode_header(frame.data(), frame_bytes(frame), &header));
    DecodedTransfer view;
    EXPECT_TRUE(decode_transfer(frame.data(), frame_bytes(frame), header, &view, &view.addresses));
    return view;
}

TEST(Frame, DecodesHeaders) {
    Frame frame = make_frame(FrameKind::rmw, RmwBody{1, 2, 3, 4});
    FrameHeader& sent = header_of(frame);
    sent.flags = kAcknowledgeNow;
    sent.acc_type = 5;
    sent.layout_kind = 1;
    sent.levels = 7;
    sent.rank = -12345;
    sent.request_id = 0x0123'4567'89ab'cdef;
    sent.sequence = ~uint64_t{0};
    sent.flow = uint64_t{1} << 63;
    FrameHeader received;
    ASSERT_TRUE(decode_header(frame.data(), frame_bytes(frame), &received));
    EXPECT_EQ(std::memcmp(&received, &sent, sizeof sent), 0);
}

TEST(Frame, DecodesEveryFixedBody) {
    const auto expect_same = [](const auto& sent) {
        using Body = std::decay_t<decltype(sent)>;
        static_assert(sizeof(Body) % 8 == 0);
        const Frame frame = make_frame(FrameKind::value, sent);
        Body received;
        ASSERT_TRUE(decode_body(frame.data(), frame_bytes(frame), &received));
        EXPECT_EQ(std::memcmp(&received, &sent, sizeof sent), 0);
        EXPECT_EQ(after_body<Body>(frame.data()),
                  reinterpret_cast<const char*>(frame.data()) + frame_bytes(frame));
    };
    TransferBody transfer;
    transfer.offset = 11;
    transfer.data_bytes = 22;
    std::memset(transfer.scale, 0x5a, sizeof transfer.scale);
    transfer.window_bytes = 33;
    transfer.owner = 44;
    expect_same(transfer);
    expect_same(CreditBody{1});
    expect_same(RmwBody{~uint64_t{0}, -1, 3, 0});
    expect_same(StoreBody{kBase, -7, 12});
    expect_same(LockBody{kBase});
    expect_same(SegmentBody{kBase, 1 << 20});
    expect_same(FindAttachedBody{kBase, 64, 3});
    expect_same(AttachedBody{kBase, kBase + 64});
    expect_same(DataBody{5, 6});
    expect_same(ValueBody{-9});
    expect_same(SegmentReply{1, 2, 1});
    expect_same(FailedBody{Failure::misaligned, 6, kBase, 8});
}

TEST(Frame, LengthsOnTheWireAreMultiplesOfEight) {
    for (uint64_t bytes = 0; bytes < 100; ++bytes) {
        EXPECT_EQ(padded(bytes) % 8, 0U);
        EXPECT_GE(padded(bytes), bytes);
        EXPECT_LT(padded(bytes), bytes + 8);
    }
    for (int levels = 0; levels <= strided::kMaxLevels; ++levels) {
        EXPECT_EQ(encoded_strided_bytes(levels) % 8, 0U);
    }
    for (const LayoutKind kind : {LayoutKind::near_vector, LayoutKind::far_vector}) {
        const VectorForm form{kind, kBase};
        for (int64_t count : {0, 1, 2, 3, 1000}) {
            EXPECT_EQ(form.encoded_bytes(count) % 8, 0U);
        }
    }
}

TEST(Frame, LayoutsTakeExactlyTheirEncodedBytes) {
    constexpr char kGuard = 0x77;
    std::mt19937_64 random(1);
    for (int levels = 0; levels <= strided::kMaxLevels; ++levels) {
        const size_t bytes = encoded_strided_bytes(levels);
        std::vector<char> out(bytes + 8, kGuard);
        const strided::Layout layout = random_layout(random, levels);
        EXPECT_EQ(encode_strided(out.data(), kBase, layout), out.data() + bytes);
        EXPECT_EQ(std::string(out.end() - 8, out.end()), std::string(8, kGuard));
    }
    for (const LayoutKind kind : {LayoutKind::near_vector, LayoutKind::far_vector}) {
        const VectorForm form{kind, kBase};
        for (const int64_t count : {1, 2, 77}) {
            const std::vector<uint64_t> addresses(static_cast<size_t>(count), kBase + 4);
            const size_t bytes = form.encoded_bytes(count);
            std::vector<char> out(bytes + 8, kGuard);
            EXPECT_EQ(form.encode(out.data(), addresses.data(), count, 8), out.data() + bytes);
            EXPECT_EQ(std::string(out.end() - 8, out.end()), std::string(8, kGuard));
        }
    }
}

// All numbers of levels, chunks at all places of the layout.
TEST(Frame, DecodesStridedTransfers) {
    std::mt19937_64 random(2);
    for (int levels = 0; levels <= strided::kMaxLevels; ++levels) {
        for (int turn = 0; turn < 20; ++turn) {
            const strided::Layout layout = random_layout(random, levels);
            const auto total = static_cast<uint64_t>(strided::total_bytes(layout));
            TransferBody body;
            body.offset = random() % total;
            body.data_bytes = 1 + random() % std::min<uint64_t>(total - body.offset, 3000);
            const std::vector<char> data = random_bytes(random, body.data_bytes);
            const Frame frame =
                make_strided_transfer(FrameKind::put, body, kBase + 8 * turn, layout, data);
            const DecodedTransfer view = decode(frame);
            ASSERT_TRUE(std::holds_alternative<strided::StridedSide>(view.layout.side));
            const auto& side = std::get<strided::StridedSide>(view.layout.side);
            EXPECT_EQ(side.base, kBase + 8 * turn);
            EXPECT_EQ(view.layout.total_bytes, static_cast<int64_t>(total));
            ASSERT_EQ(side.layout.levels, levels);
            EXPECT_EQ(std::memcmp(side.layout.count, layout.count, 8 * (levels + 1)), 0);
            EXPECT_EQ(std::memcmp(side.layout.stride, layout.stride, 8 * levels), 0);
            EXPECT_EQ(view.body.offset, body.offset);
            ASSERT_EQ(view.body.data_bytes, body.data_bytes);
            EXPECT_EQ(std::memcmp(view.data, data.data(), data.size()), 0);
        }
    }
}

// Blocks are near each other, or anywhere.
TEST(Frame, DecodesVectorTransfers) {
    std::mt19937_64 random(3);
    for (const LayoutKind kind : {LayoutKind::near_vector, LayoutKind::far_vector}) {
        for (const size_t count : {1, 2, 3, 100}) {
            if (count == 1 && kind == LayoutKind::far_vector) {
                continue;  // one block is near itself
            }
            for (const int64_t segment_bytes : {1, 7, 8, 24}) {
                std::vector<uint64_t> addresses(count);
                for (uint64_t& address : addresses) {
                    address =
                        kind == LayoutKind::near_vector ? kBase + random() % (1 << 30) : random();
                }
                TransferBody body;
                body.data_bytes = count * static_cast<uint64_t>(segment_bytes);
                const std::vector<char> data = random_bytes(random, body.data_bytes);
                const Frame frame =
                    make_vector_transfer(FrameKind::put, body, addresses, segment_bytes, data);
                FrameHeader header;
                ASSERT_TRUE(decode_header(frame.data(), frame_bytes(frame), &header));
                EXPECT_EQ(header.layout_kind, static_cast<uint8_t>(kind));
                const DecodedTransfer view = decode(frame);
                ASSERT_TRUE(std::holds_alternative<strided::VectorSide>(view.layout.side));
                const auto& side = std::get<strided::VectorSide>(view.layout.side);
                EXPECT_EQ(side.block_bytes, segment_bytes);
                EXPECT_EQ(view.layout.total_bytes, static_cast<int64_t>(body.data_bytes));
                ASSERT_EQ(side.block_count, static_cast<int64_t>(count));
                EXPECT_EQ(view.addresses, addresses);
                EXPECT_EQ(side.addresses, view.addresses.data());
                const strided::AddressRange extent =
                    strided::enclose(addresses.data(), static_cast<int64_t>(count), segment_bytes);
                EXPECT_EQ(view.layout.extent.begin, extent.begin);
                EXPECT_EQ(view.layout.extent.bytes, extent.bytes);
                EXPECT_EQ(std::memcmp(view.data, data.data(), data.size()), 0);
            }
        }
    }
}

DecodedTransfer decode_part(const VectorForm& form, const std::vector<uint64_t>& addresses) {
    TransferBody body;
    body.data_bytes = 8 * addresses.size();
    return decode(make_vector_transfer(FrameKind::put, body, form, addresses, 8,
                                       std::vector<char>(body.data_bytes)));
}

// A chunk has the form of the whole vector, whichever blocks are in it.
TEST(Frame, DecodesPartsOfAVector) {
    for (const uint64_t distance : {uint64_t{4096}, uint64_t{1} << 33}) {
        std::vector<uint64_t> addresses;
        for (uint64_t i = 0; i < 10; ++i) {
            addresses.push_back(kBase - i * distance);  // the last is the lowest
        }
        const VectorForm form = vector_form(strided::enclose(addresses.data(), 10, 8));
        for (const size_t first : {0, 7}) {
            const std::vector<uint64_t> part(addresses.begin() + first,
                                             addresses.begin() + first + 3);
            const DecodedTransfer view = decode_part(form, part);
            EXPECT_EQ(view.addresses, part);
            EXPECT_EQ(view.layout.extent.begin, part[2]);
            EXPECT_EQ(view.layout.extent.bytes, 2 * distance + 8);
        }
    }
}

TEST(Frame, BlocksWithinFourGiBAreNear) {
    constexpr uint64_t kFourGiB = uint64_t{1} << 32;
    for (const auto& [bytes, kind] : {std::pair{kFourGiB - 1, LayoutKind::near_vector},
                                      {kFourGiB, LayoutKind::near_vector},
                                      {kFourGiB + 1, LayoutKind::far_vector},
                                      {uint64_t{0}, LayoutKind::far_vector}}) {
        const VectorForm form = vector_form({kBase, bytes});
        EXPECT_EQ(form.kind, kind) << bytes;
        if (bytes > 0) {
            const std::vector<uint64_t> addresses = {kBase + bytes - 8, kBase, kBase + 8};
            const DecodedTransfer view = decode_part(form, addresses);
            EXPECT_EQ(view.addresses, addresses);
            EXPECT_EQ(view.layout.extent.begin, kBase);
            EXPECT_EQ(view.layout.extent.bytes, bytes);
        }
    }
}

// From any base: blocks whose distances wrap have no extent, and each one counts.
TEST(Frame, OffsetsThatWrapHaveNoExtent) {
    const VectorForm form{LayoutKind::near_vector, UINT64_MAX - 99};
    const auto extent_of = [&](const std::vector<uint64_t>& addresses) {
        const DecodedTransfer view = decode_part(form, addresses);
        EXPECT_EQ(view.addresses, addresses);
        return view.layout.extent.bytes;
    };
    EXPECT_EQ(extent_of({UINT64_MAX - 99, UINT64_MAX - 50}), 57U);
    EXPECT_EQ(extent_of({UINT64_MAX - 8}), 8U);
    EXPECT_EQ(extent_of({UINT64_MAX - 7}), 0U);       // ends with the address space
    EXPECT_EQ(extent_of({UINT64_MAX - 50, 20}), 0U);  // on both sides of its end
    EXPECT_EQ(extent_of({20, 100}), 0U);
}

TEST(Frame, GetsCarryNoData) {
    std::mt19937_64 random(4);
    for (int levels = 0; levels <= strided::kMaxLevels; ++levels) {
        const strided::Layout layout = random_layout(random, levels);
        TransferBody body;
        body.data_bytes = static_cast<uint64_t>(strided::total_bytes(layout));
        body.window_bytes = 1;
        const DecodedTransfer view =
            decode(make_strided_transfer(FrameKind::get, body, kBase, layout, {}));
        EXPECT_EQ(view.data, nullptr);
        EXPECT_EQ(view.body.window_bytes, 1U);
        EXPECT_EQ(view.layout.total_bytes, static_cast<int64_t>(body.data_bytes));
    }
    TransferBody body;
    body.data_bytes = 24;
    body.window_bytes = uint32_t{1} << 31;
    const DecodedTransfer view =
        decode(make_vector_transfer(FrameKind::get, body, {kBase, kBase + 100, kBase}, 8, {}));
    EXPECT_EQ(std::get<strided::VectorSide>(view.layout.side).block_count, 3);
    EXPECT_EQ(view.body.window_bytes, uint32_t{1} << 31);
}

TEST(Frame, ReplyPlacesHaveKeysOnFurtherRails) {
    constexpr uint16_t kBuffers = 3;
    constexpr size_t kRails = 2;
    ReplyPlaces places;
    places.body.count = kBuffers;
    places.body.further_rails = kRails;
    places.body.reply_buffer_bytes = 4096;
    places.body.key[2] = 42;
    places.further_keys = {1, 2, 3, 4, 5, 6};
    std::vector<char> encoded(ReplyPlaces::encoded_bytes(kBuffers, kRails));
    EXPECT_EQ(places.encode(encoded.data()), encoded.data() + encoded.size());
    TransferBody body;
    body.data_bytes = 16;
    body.window_bytes = 16;
    // Of a transfer with data, which a get does not have.
    Frame frame = make_strided_transfer(FrameKind::get, body, kBase, block_layout(16), encoded);
    header_of(frame).flags = kHasReplyBuffers;
    const DecodedTransfer view = decode(frame);
    EXPECT_EQ(view.reply_buffers.body.key[2], 42U);
    EXPECT_EQ(view.reply_buffers.further_keys, places.further_keys);
    EXPECT_EQ(*view.reply_buffers.further_keys_of(2, kRails), 5U);
    EXPECT_EQ(view.reply_buffers.further_keys_of(2, 0), nullptr);
    EXPECT_EQ(view.reply_buffers.further_keys_of(2, kRails + 1), nullptr);
}

TEST(Frame, DecodesAccumulatesOfEveryType) {
    for (int type = 0; type < strided::kAccTypeCount; ++type) {
        const int64_t element = strided::element_bytes(static_cast<AccType>(type));
        strided::Layout layout;
        layout.levels = 1;
        layout.count[0] = 3 * element;
        layout.count[1] = 4;
        layout.stride[0] = 5 * element;
        TransferBody body;
        body.offset = static_cast<uint64_t>(2 * element);
        body.data_bytes = static_cast<uint64_t>(7 * element);
        std::memset(body.scale, 0x11 * type, sizeof body.scale);
        Frame frame = make_strided_transfer(FrameKind::accumulate, body, kBase, layout,
                                            std::vector<char>(body.data_bytes, 'd'));
        header_of(frame).acc_type = static_cast<uint8_t>(type);
        const DecodedTransfer view = decode(frame);
        EXPECT_EQ(std::memcmp(view.body.scale, body.scale, sizeof body.scale), 0);
        EXPECT_EQ(view.data[0], 'd');
    }
}

TEST(Frame, KindsHaveDistinctNames) {
    std::set<std::string> names;
    for (const FrameKind kind : kAllKinds) {
        EXPECT_TRUE(names.insert(name_of(kind)).second) << name_of(kind);
    }
    EXPECT_EQ(names.count(name_of(static_cast<FrameKind>(0))), 0U);
    EXPECT_STREQ(name_of(static_cast<FrameKind>(0)), name_of(static_cast<FrameKind>(255)));
    std::set<std::string> reasons;
    for (const Failure failure : {Failure::malformed, Failure::bad_address, Failure::not_a_mutex,
                                  Failure::not_held, Failure::misaligned, Failure::no_room}) {
        EXPECT_TRUE(reasons.insert(describe(failure)).second) << describe(failure);
    }
    EXPECT_EQ(reasons.count(describe(static_cast<Failure>(0))), 0U);
    EXPECT_EQ(reasons.count(describe(static_cast<Failure>(99))), 0U);
}

}  // namespace
}  // namespace armci::wire::test

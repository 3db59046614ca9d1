// SPDX-License-Identifier: BSD-3-Clause
// Both kinds of sides by one interface: cursors, parts, and what frames name of them.
#include "strided/sides.h"

#include "frame_builder.h"
#include "gtest/gtest.h"
#include "strided/pair_cursor.h"
#include "transfer_pattern.h"
#include "wire/layout_writer.h"

namespace armci::test {
namespace {

// Where each byte of a transfer is on both sides, in order.
struct Places {
    std::vector<uint64_t> local;
    std::vector<uint64_t> remote;
};

struct Drawn {
    Pattern pattern;
    pipeline::Transfer transfer;
    Places places;
};

// Nothing looks at the memory. Every fourth is a vector; some have blocks longer than a frame.
Drawn draw_transfer(Random& random, int number) {
    char* const local = reinterpret_cast<char*>(uint64_t{1} << 40);
    char* const remote = reinterpret_cast<char*>(uint64_t{1} << 41);
    const int64_t block_bytes = number % 3 == 2 ? 1500 : draw(random, 1, 40);
    Drawn drawn;
    drawn.pattern = number % 4 == 3 ? vector_pattern(random, block_bytes, 6000, 1)
                                    : strided_pattern(random, number % 4, block_bytes, 6000, 1);
    drawn.transfer = make_transfer({}, drawn.pattern, local, remote);
    for (const Block& block : drawn.pattern.blocks) {
        for (int64_t i = 0; i < drawn.pattern.block_bytes; ++i) {
            drawn.places.local.push_back(reinterpret_cast<uint64_t>(local + block.local + i));
            drawn.places.remote.push_back(reinterpret_cast<uint64_t>(remote + block.remote + i));
        }
    }
    return drawn;
}

// The places of the next `bytes` bytes.
std::vector<uint64_t> walk(strided::Cursor* from, int64_t bytes) {
    std::vector<uint64_t> places;
    from->visit([&](auto& cursor) {
        while (bytes > 0) {
            const strided::Block block = cursor.next(bytes);
            for (int64_t i = 0; i < block.bytes; ++i) {
                places.push_back(reinterpret_cast<uint64_t>(block.data + i));
            }
            bytes -= block.bytes;
        }
    });
    return places;
}

std::vector<uint64_t> part_of(const std::vector<uint64_t>& places, int64_t begin, int64_t bytes) {
    return {places.begin() + begin, places.begin() + begin + bytes};
}

constexpr int kTransfers = 200;

TEST(StridedSides, EachSideIsWalkedInOrderFromAnyByte) {
    Random random(1);
    for (int number = 0; number < kTransfers; ++number) {
        const Drawn drawn = draw_transfer(random, number);
        const int64_t total = drawn.transfer.total_bytes;
        strided::Cursor local(drawn.transfer.sides.local());
        strided::Cursor remote(drawn.transfer.sides.remote());
        EXPECT_EQ(walk(&local, total), drawn.places.local) << drawn.pattern;
        EXPECT_EQ(walk(&remote, total), drawn.places.remote) << drawn.pattern;
        const int64_t begin = draw(random, 0, total - 1);
        local.seek(begin);
        EXPECT_EQ(local.position(), begin);
        EXPECT_EQ(walk(&local, total - begin), part_of(drawn.places.local, begin, total - begin));
    }
}

TEST(StridedSides, PairCursorYieldsTheSameBytesOfBothSides) {
    Random random(2);
    for (int number = 0; number < kTransfers; ++number) {
        const Drawn drawn = draw_transfer(random, number);
        const int64_t total = drawn.transfer.total_bytes;
        strided::PairCursor both(drawn.transfer.sides);
        both.visit([&](auto& cursor) {
            for (const int64_t begin : {int64_t{0}, draw(random, 0, total - 1)}) {
                cursor.seek(begin);
                for (int64_t at = begin; at < total;) {
                    ASSERT_EQ(cursor.position(), at);
                    const int64_t max_bytes = draw(random, 1, 60);
                    const strided::PairBlock block = cursor.next(max_bytes);
                    ASSERT_GT(block.bytes, 0);
                    ASSERT_LE(block.bytes, max_bytes);
                    const auto last = static_cast<size_t>(at + block.bytes - 1);
                    const auto local = reinterpret_cast<uint64_t>(block.local);
                    const auto reach = static_cast<uint64_t>(block.bytes - 1);
                    ASSERT_EQ(local, drawn.places.local[static_cast<size_t>(at)]);
                    ASSERT_EQ(local + reach, drawn.places.local[last]);
                    ASSERT_EQ(block.remote, drawn.places.remote[static_cast<size_t>(at)]);
                    ASSERT_EQ(block.remote + reach, drawn.places.remote[last]);
                    at += block.bytes;
                }
                ASSERT_EQ(both.position(), total);
            }
        });
    }
}

// Decodes what was written of a part.
strided::Side decode_side(const wire::LayoutWriter& writer, const wire::LayoutWriter::Part& part,
                          std::vector<uint64_t>* addresses) {
    wire::TransferBody body;
    body.offset = static_cast<uint64_t>(part.offset);
    body.data_bytes = static_cast<uint64_t>(part.data_bytes);
    wire::FrameHeader named;
    std::vector<char> layout(part.encoded_bytes);
    EXPECT_EQ(writer.write(part, &named, layout.data()), layout.data() + layout.size());
    Frame frame = make_transfer(wire::FrameKind::put, body, layout,
                                std::vector<char>(static_cast<size_t>(part.data_bytes)));
    header_of(frame).layout_kind = named.layout_kind;
    header_of(frame).levels = named.levels;
    wire::TransferView view;
    EXPECT_TRUE(wire::decode_transfer(frame.data(), frame_bytes(frame), header_of(frame), &view,
                                      addresses));
    return view.layout.side;
}

TEST(LayoutWriter, FramesNameEachByteOnceAndHaveRoomForIt) {
    constexpr size_t kFrameBytes = 900;
    Random random(4);
    for (int number = 0; number < kTransfers; ++number) {
        const Drawn drawn = draw_transfer(random, number);
        const wire::LayoutWriter writer(drawn.transfer.sides);
        for (int64_t at = 0; at < drawn.transfer.total_bytes;) {
            const wire::LayoutWriter::Part part = writer.part_with_data(at, kFrameBytes);
            ASSERT_GT(part.data_bytes, 0) << drawn.pattern;
            ASSERT_LE(wire::kTransferHeadBytes + part.encoded_bytes +
                          static_cast<size_t>(part.data_bytes),
                      kFrameBytes);
            std::vector<uint64_t> addresses;
            strided::Cursor to(decode_side(writer, part, &addresses));
            to.seek(part.offset);
            ASSERT_EQ(walk(&to, part.data_bytes), part_of(drawn.places.remote, at, part.data_bytes))
                << drawn.pattern;
            at += part.data_bytes;
        }
    }
}

TEST(LayoutWriter, RequestsNameEachByteOnce) {
    constexpr size_t kFrameBytes = 400;
    Random random(5);
    for (int number = 0; number < kTransfers; ++number) {
        const Drawn drawn = draw_transfer(random, number);
        const wire::LayoutWriter writer(drawn.transfer.sides);
        for (int64_t at = 0; at < drawn.transfer.total_bytes;) {
            const wire::LayoutWriter::Part part = writer.part_without_data(at, kFrameBytes);
            ASSERT_GT(part.data_bytes, 0) << drawn.pattern;
            ASSERT_LE(wire::kTransferHeadBytes + part.encoded_bytes, kFrameBytes);
            std::vector<uint64_t> addresses;
            strided::Cursor from(decode_side(writer, part, &addresses));
            from.seek(part.offset);
            ASSERT_EQ(walk(&from, part.data_bytes),
                      part_of(drawn.places.remote, at, part.data_bytes))
                << drawn.pattern;
            at += part.data_bytes;
        }
    }
}

}  // namespace
}  // namespace armci::test

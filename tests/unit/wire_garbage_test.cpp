// SPDX-License-Identifier: BSD-3-Clause
// Decoding checks everything: a frame is refused, or describes consistent memory, and no byte
// outside the frame is read. Frames lie right before a page that cannot be read.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <climits>
#include <cstring>
#include <random>
#include <vector>

#include "frame_builder.h"
#include "wire/frame.h"

namespace armci::wire::test {
namespace {

using armci::test::block_layout;
using armci::test::Frame;
using armci::test::frame_bytes;
using armci::test::header_of;
using armci::test::make_frame;
using armci::test::make_strided_transfer;
using armci::test::make_transfer;
using armci::test::make_vector_transfer;
using armci::test::random_bytes;
using strided::Layout;

constexpr uint64_t kGarbageBase = 0x2000'0000'0000;

// Memory whose end cannot be passed without a fault.
class GuardedMemory {
  public:
    GuardedMemory() : page_(static_cast<size_t>(sysconf(_SC_PAGESIZE))) {
        void* mapped = mmap(nullptr, kPages * page_, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        EXPECT_NE(mapped, MAP_FAILED);
        memory_ = static_cast<char*>(mapped);
        EXPECT_EQ(mprotect(memory_ + (kPages - 1) * page_, page_, PROT_NONE), 0);
    }
    ~GuardedMemory() { munmap(memory_, kPages * page_); }
    GuardedMemory(const GuardedMemory&) = delete;
    GuardedMemory& operator=(const GuardedMemory&) = delete;

    // Copies the first `bytes` bytes of the frame to the end of the memory.
    const char* place(const Frame& frame, size_t bytes) {
        char* begin = memory_ + (kPages - 1) * page_ - bytes;
        std::memcpy(begin, frame.data(), bytes);
        return begin;
    }

  private:
    static constexpr size_t kPages = 5;
    size_t page_;
    char* memory_;
};

class Garbage : public testing::Test {
  protected:
    bool header_decodes(const Frame& frame, size_t bytes) {
        FrameHeader header;
        return decode_header(memory_.place(frame, bytes), bytes, &header);
    }
    // Decodes as a server would, whatever length the header has.
    bool transfer_decodes(const Frame& frame, size_t bytes) {
        FrameHeader header;
        std::memcpy(static_cast<void*>(&header), frame.data(), sizeof header);
        const char* placed = memory_.place(frame, bytes);
        TransferView view;
        if (!decode_transfer(placed, bytes, header, &view, &addresses_)) {
            return false;
        }
        check(view, header, placed, bytes);
        return true;
    }
    bool transfer_decodes(const Frame& frame) {
        return transfer_decodes(frame, frame_bytes(frame));
    }

    // What every accepted transfer must satisfy.
    void check(const TransferView& view, const FrameHeader& header, const char* frame,
               size_t bytes) {
        const auto total = static_cast<uint64_t>(view.layout.total_bytes);
        ASSERT_GT(view.layout.total_bytes, 0);
        ASSERT_GT(view.body.data_bytes, 0U);
        ASSERT_LE(view.body.data_bytes, total);
        ASSERT_LE(view.body.offset, total - view.body.data_bytes);
        const auto is_inside = [&](const void* part, uint64_t part_bytes) {
            const char* begin = static_cast<const char*>(part);
            return begin >= frame && begin <= frame + bytes &&
                   part_bytes <= static_cast<uint64_t>(frame + bytes - begin);
        };
        if (header.kind == FrameKind::get) {
            ASSERT_GT(view.body.window_bytes, 0U);
        } else {
            ASSERT_TRUE(is_inside(view.data, view.body.data_bytes));
            touch(view.data, view.body.data_bytes);
        }
        if (const auto* vector = std::get_if<strided::VectorSide>(&view.layout.side)) {
            ASSERT_GT(vector->block_count, 0);
            ASSERT_GT(vector->block_bytes, 0);
            ASSERT_EQ(static_cast<__int128>(vector->block_count) * vector->block_bytes,
                      view.layout.total_bytes);
            ASSERT_EQ(vector->addresses, addresses_.data());
            ASSERT_EQ(addresses_.size(), static_cast<size_t>(vector->block_count));
            // Addresses inside the extent are not checked any more.
            const strided::AddressRange& extent = view.layout.extent;
            ASSERT_GE(extent.begin + extent.bytes, extent.begin);
            for (const uint64_t address : addresses_) {
                ASSERT_TRUE(extent.bytes == 0 ||
                            (address >= extent.begin &&
                             address - extent.begin <=
                                 extent.bytes - static_cast<uint64_t>(vector->block_bytes)));
            }
            return;
        }
        const auto& side = std::get<strided::StridedSide>(view.layout.side);
        const Layout& layout = side.layout;
        ASSERT_GE(layout.levels, 0);
        ASSERT_LE(layout.levels, strided::kMaxLevels);
        // The extent in numbers that cannot overflow.
        __int128 product = layout.count[0];
        __int128 begin = side.base;
        __int128 end = begin + layout.count[0];
        ASSERT_GT(layout.count[0], 0);
        for (int i = 0; i < layout.levels; ++i) {
            ASSERT_GT(layout.count[i + 1], 0);
            product *= layout.count[i + 1];
            const __int128 reach =
                static_cast<__int128>(layout.count[i + 1] - 1) * layout.stride[i];
            (reach < 0 ? begin : end) += reach;
        }
        ASSERT_EQ(product, view.layout.total_bytes);
        ASSERT_GE(begin, 0);
        ASSERT_LE(end, static_cast<__int128>(UINT64_MAX));
        ASSERT_EQ(begin, static_cast<__int128>(view.layout.extent.begin));
        ASSERT_EQ(end - begin, static_cast<__int128>(view.layout.extent.bytes));
    }

    static void touch(const void* data, uint64_t bytes) {
        const volatile char* byte = static_cast<const char*>(data);
        unsigned sum = 0;
        for (uint64_t i = 0; i < bytes; ++i) {
            sum += static_cast<unsigned char>(byte[i]);
        }
        touched_ = touched_ + sum;
    }

    GuardedMemory memory_;
    std::vector<uint64_t> addresses_;  // of the vector decoded last
    static inline volatile unsigned touched_ = 0;
};

Layout layout_of(const std::vector<int64_t>& counts, const std::vector<int64_t>& strides) {
    Layout layout;
    layout.levels = static_cast<int>(strides.size());
    std::copy(counts.begin(), counts.end(), layout.count);
    std::copy(strides.begin(), strides.end(), layout.stride);
    return layout;
}

TransferBody body_of(uint64_t offset, uint64_t data_bytes, uint64_t window_bytes = 0) {
    TransferBody body;
    body.offset = offset;
    body.data_bytes = data_bytes;
    body.window_bytes = window_bytes;
    return body;
}

// One valid frame of each kind.
std::vector<Frame> right_frames() {
    std::mt19937_64 random(1);
    std::vector<Frame> frames;
    const Layout deep = layout_of({16, 2, 3, 2}, {32, -100, 1000});
    const std::vector<uint64_t> addresses = {kGarbageBase, kGarbageBase + 64, kGarbageBase + 8,
                                             kGarbageBase};
    const std::vector<uint64_t> far_addresses = {kGarbageBase, 0, UINT64_MAX, kGarbageBase};
    for (const FrameKind kind : {FrameKind::put, FrameKind::accumulate}) {
        frames.push_back(make_strided_transfer(kind, body_of(0, 40), kGarbageBase, block_layout(40),
                                               random_bytes(random, 40)));
        frames.push_back(make_strided_transfer(kind, body_of(16, 96), kGarbageBase, deep,
                                               random_bytes(random, 96)));
        frames.push_back(
            make_vector_transfer(kind, body_of(0, 64), addresses, 16, random_bytes(random, 64)));
        frames.push_back(make_vector_transfer(kind, body_of(0, 64), far_addresses, 16,
                                              random_bytes(random, 64)));
    }
    frames.push_back(make_strided_transfer(FrameKind::put, body_of(3, 13), kGarbageBase, deep,
                                           random_bytes(random, 13)));
    frames.push_back(
        make_strided_transfer(FrameKind::get, body_of(0, 192, 64), kGarbageBase, deep, {}));
    frames.push_back(
        make_vector_transfer(FrameKind::get, body_of(0, 64, 1 << 20), addresses, 16, {}));
    for (const uint16_t further_rails : {uint16_t{0}, uint16_t{kMaxFurtherRails}}) {
        ReplyPlaces places;
        places.body.count = 2;
        places.body.further_rails = further_rails;
        places.body.reply_buffer_bytes = 4096;
        places.further_keys.resize(size_t{2} * further_rails);
        std::vector<char> encoded(ReplyPlaces::encoded_bytes(2, further_rails));
        places.encode(encoded.data());
        frames.push_back(make_strided_transfer(FrameKind::get, body_of(0, 192, 64), kGarbageBase,
                                               deep, encoded));
        header_of(frames.back()).flags = kHasReplyBuffers;
    }
    frames.push_back(
        make_vector_transfer(FrameKind::get, body_of(0, 64, 1 << 20), far_addresses, 16, {}));
    return frames;
}

TEST_F(Garbage, AcceptsTheUnspoiledFrames) {
    for (const Frame& frame : right_frames()) {
        EXPECT_TRUE(header_decodes(frame, frame_bytes(frame)));
        EXPECT_TRUE(transfer_decodes(frame));
    }
}

TEST_F(Garbage, RefusesFramesCutAtAnyByte) {
    for (Frame frame : right_frames()) {
        for (size_t bytes = 0; bytes < frame_bytes(frame); ++bytes) {
            EXPECT_FALSE(header_decodes(frame, bytes)) << bytes;
            if (bytes >= sizeof(FrameHeader)) {
                // Also when the header has the shorter length.
                header_of(frame).frame_bytes = static_cast<uint32_t>(bytes);
                EXPECT_FALSE(transfer_decodes(frame, bytes)) << bytes;
            }
        }
    }
}

TEST_F(Garbage, RefusesFramesLongerThanTheirParts) {
    for (Frame frame : right_frames()) {
        for (int words = 1; words <= 3; ++words) {
            frame.push_back(0x0101'0101'0101'0101);
            EXPECT_FALSE(header_decodes(frame, frame_bytes(frame)));
            header_of(frame).frame_bytes = static_cast<uint32_t>(frame_bytes(frame));
            EXPECT_TRUE(header_decodes(frame, frame_bytes(frame)));
            EXPECT_FALSE(transfer_decodes(frame));
        }
    }
}

TEST_F(Garbage, RefusesCutFixedBodies) {
    const auto expect_refused = [this](const auto& body) {
        const Frame frame = make_frame(FrameKind::rmw, body);
        for (size_t bytes = 0; bytes < frame_bytes(frame); ++bytes) {
            auto received = body;
            EXPECT_FALSE(decode_body(memory_.place(frame, bytes), bytes, &received)) << bytes;
        }
        auto received = body;
        EXPECT_TRUE(
            decode_body(memory_.place(frame, frame_bytes(frame)), frame_bytes(frame), &received));
    };
    expect_refused(TransferBody{});
    expect_refused(CreditBody{});
    expect_refused(RmwBody{});
    expect_refused(StoreBody{});
    expect_refused(LockBody{});
    expect_refused(SegmentBody{});
    expect_refused(DataBody{});
    expect_refused(ValueBody{});
    expect_refused(SegmentReply{});
    expect_refused(FailedBody{});
}

TEST_F(Garbage, RefusesForeignHeaders) {
    const Frame right = make_frame(FrameKind::lock, LockBody{kGarbageBase});
    const auto expect_refused = [&](const auto& spoil) {
        Frame frame = right;
        spoil(header_of(frame));
        EXPECT_FALSE(header_decodes(frame, frame_bytes(frame)));
    };
    expect_refused([](FrameHeader& header) { header.magic = 0; });
    expect_refused([](FrameHeader& header) { header.magic = kMagic ^ 1; });
    // The same number from a machine of the other byte order.
    expect_refused([](FrameHeader& header) { header.magic = __builtin_bswap16(kMagic); });
    expect_refused([](FrameHeader& header) { header.version = kVersion + 1; });
    expect_refused([](FrameHeader& header) { header.version = 0; });
    expect_refused([](FrameHeader& header) { header.frame_bytes = 0; });
    expect_refused([](FrameHeader& header) { header.frame_bytes -= 8; });
    expect_refused([](FrameHeader& header) { header.frame_bytes += 8; });
    expect_refused([](FrameHeader& header) { header.frame_bytes = UINT32_MAX; });
    EXPECT_TRUE(header_decodes(right, frame_bytes(right)));
}

TEST_F(Garbage, RefusesMisalignedFrames) {
    const Frame frame = make_frame(FrameKind::lock, LockBody{kGarbageBase});
    std::vector<uint64_t> memory(frame.size() + 1);
    for (size_t shift = 0; shift <= 8; ++shift) {
        char* place = reinterpret_cast<char*>(memory.data()) + shift;
        std::memcpy(place, frame.data(), frame_bytes(frame));
        FrameHeader header;
        EXPECT_EQ(decode_header(place, frame_bytes(frame), &header), shift % 8 == 0) << shift;
    }
}

TEST_F(Garbage, RefusesCountsThatOverflow) {
    constexpr int64_t kMax = INT64_MAX;
    const auto decodes = [&](const Layout& layout, uint64_t base = kGarbageBase,
                             uint64_t data_bytes = 8) {
        return transfer_decodes(make_strided_transfer(FrameKind::put, body_of(0, data_bytes), base,
                                                      layout, std::vector<char>(data_bytes)));
    };
    EXPECT_TRUE(decodes(layout_of({8, 2}, {16})));
    EXPECT_FALSE(decodes(layout_of({0}, {})));
    EXPECT_FALSE(decodes(layout_of({-8}, {})));
    EXPECT_FALSE(decodes(layout_of({8, 0}, {16})));
    EXPECT_FALSE(decodes(layout_of({8, -1}, {16})));
    EXPECT_FALSE(decodes(layout_of({-8, -1}, {16})));
    EXPECT_FALSE(decodes(layout_of({8, kMax / 4}, {0})));  // the total
    EXPECT_FALSE(decodes(layout_of({1, 1 << 30, 1 << 30, 1 << 30}, {0, 0, 0})));
    EXPECT_FALSE(decodes(layout_of({8, 3}, {kMax})));  // the extent
    EXPECT_FALSE(decodes(layout_of({8, 2}, {INT64_MIN})));
    EXPECT_FALSE(decodes(layout_of({8, 3}, {INT64_MIN / 2 - 1})));
    EXPECT_FALSE(decodes(layout_of({8, 2, 2}, {kMax - 100, INT64_MIN + 100})));
    EXPECT_FALSE(decodes(layout_of({kMax, 2}, {1})));
    EXPECT_FALSE(decodes(block_layout(kMax), UINT64_MAX - 8));  // the end of the addresses
    EXPECT_TRUE(decodes(block_layout(kMax), 0));
}

TEST_F(Garbage, RefusesExtentsThatWrap) {
    const auto decodes = [&](uint64_t base, const Layout& layout) {
        return transfer_decodes(
            make_strided_transfer(FrameKind::get, body_of(0, 8, 8), base, layout, {}));
    };
    EXPECT_TRUE(decodes(UINT64_MAX - 8, block_layout(8)));
    EXPECT_FALSE(decodes(UINT64_MAX - 7, block_layout(8)));
    EXPECT_FALSE(decodes(UINT64_MAX, block_layout(8)));
    EXPECT_TRUE(decodes(100, layout_of({8, 3}, {-50})));
    EXPECT_FALSE(decodes(99, layout_of({8, 3}, {-50})));
    EXPECT_FALSE(decodes(0, layout_of({8, 2}, {-1})));
    EXPECT_FALSE(decodes(UINT64_MAX - 200, layout_of({8, 3}, {100})));
    EXPECT_TRUE(decodes(UINT64_MAX - 208, layout_of({8, 3}, {100})));
    EXPECT_FALSE(decodes(50, layout_of({8, 2, 2}, {-40, -40})));
}

TEST_F(Garbage, RefusesVectorsThatOverflow) {
    for (const uint64_t distance : {uint64_t{64}, uint64_t{1} << 40}) {
        const std::vector<uint64_t> addresses = {kGarbageBase, kGarbageBase + distance,
                                                 kGarbageBase + 2 * distance,
                                                 kGarbageBase + 4 * distance};
        const auto decodes = [&](uint64_t count, uint64_t segment_bytes, FrameKind kind) {
            Frame frame = make_vector_transfer(kind, body_of(0, 32, 8), addresses, 8,
                                               std::vector<char>(kind == FrameKind::get ? 0 : 32));
            const uint64_t head[2] = {count, segment_bytes};
            std::memcpy(
                reinterpret_cast<char*>(frame.data()) + sizeof(FrameHeader) + sizeof(TransferBody),
                head, sizeof head);
            return transfer_decodes(frame);
        };
        EXPECT_TRUE(decodes(4, 8, FrameKind::put));
        EXPECT_TRUE(decodes(4, 8, FrameKind::get));
        for (const uint64_t count :
             {uint64_t{0}, uint64_t{3}, uint64_t{5}, uint64_t{8}, uint64_t{9}, uint64_t{1} << 32,
              uint64_t{1} << 61, (uint64_t{1} << 61) + 4, uint64_t{1} << 63, UINT64_MAX}) {
            EXPECT_FALSE(decodes(count, 8, FrameKind::get)) << count;
            EXPECT_FALSE(decodes(count, 8, FrameKind::put)) << count;
        }
        // With blocks of one byte their total fits, but the bytes that the addresses take in the
        // frame wrap.
        for (const uint64_t count : {(uint64_t{1} << 61) + 4, (uint64_t{1} << 62) + 8}) {
            EXPECT_FALSE(decodes(count, 1, FrameKind::get)) << count;
            EXPECT_FALSE(decodes(count, 1, FrameKind::put)) << count;
        }
        for (const uint64_t bytes :
             {uint64_t{0}, uint64_t{1} << 61, uint64_t{1} << 62, uint64_t{1} << 63, UINT64_MAX}) {
            EXPECT_FALSE(decodes(4, bytes, FrameKind::get)) << bytes;
            EXPECT_FALSE(decodes(4, bytes, FrameKind::put)) << bytes;
        }
    }
}

TEST_F(Garbage, RefusesLayoutsOfUnknownKind) {
    const Frame right = make_strided_transfer(FrameKind::put, body_of(0, 8), kGarbageBase,
                                              block_layout(8), std::vector<char>(8));
    for (const int kind : {0, 4, 77, 255}) {
        Frame frame = right;
        header_of(frame).layout_kind = static_cast<uint8_t>(kind);
        EXPECT_FALSE(transfer_decodes(frame)) << kind;
    }
    for (int levels = 1; levels <= 255; ++levels) {
        Frame frame = right;
        header_of(frame).levels = static_cast<uint8_t>(levels);
        EXPECT_FALSE(transfer_decodes(frame)) << levels;
        frame.resize(frame.size() + 2 * 256, 1);  // now there are enough bytes for any number
        EXPECT_FALSE(transfer_decodes(frame)) << levels;
    }
}

TEST_F(Garbage, RefusesChunksOutsideTheirLayout) {
    const auto decodes = [&](uint64_t offset, uint64_t data_bytes, size_t really) {
        return transfer_decodes(make_strided_transfer(FrameKind::put, body_of(offset, data_bytes),
                                                      kGarbageBase, block_layout(64),
                                                      std::vector<char>(really)));
    };
    EXPECT_TRUE(decodes(0, 64, 64));
    EXPECT_TRUE(decodes(63, 1, 1));
    EXPECT_FALSE(decodes(0, 0, 0));
    EXPECT_FALSE(decodes(64, 0, 0));
    EXPECT_FALSE(decodes(64, 1, 1));
    EXPECT_FALSE(decodes(1, 64, 64));
    EXPECT_FALSE(decodes(0, 65, 65));
    EXPECT_FALSE(decodes(UINT64_MAX, 2, 2));
    EXPECT_FALSE(decodes(UINT64_MAX - 7, 16, 16));
    EXPECT_FALSE(decodes(2, UINT64_MAX, 16));
    EXPECT_FALSE(decodes(0, UINT64_MAX - 3, 0));  // whose padded length wraps
    EXPECT_FALSE(decodes(0, 16, 8));
    EXPECT_FALSE(decodes(0, 8, 16));
}

TEST_F(Garbage, RefusesGetsWithoutValidReply) {
    const auto decodes = [&](const TransferBody& body, size_t data_bytes) {
        return transfer_decodes(make_strided_transfer(
            FrameKind::get, body, kGarbageBase, block_layout(64), std::vector<char>(data_bytes)));
    };
    EXPECT_TRUE(decodes(body_of(0, 64, 1), 0));
    EXPECT_FALSE(decodes(body_of(0, 64, 0), 0)) << "no window";
    EXPECT_FALSE(decodes(body_of(0, 64, 64), 64)) << "data in a get";
    EXPECT_FALSE(decodes(body_of(0, 65, 64), 0));
}

TEST_F(Garbage, RefusesAccumulatesOfUnknownType) {
    Frame frame = make_strided_transfer(FrameKind::accumulate, body_of(0, 64), kGarbageBase,
                                        block_layout(64), std::vector<char>(64));
    for (int type = 0; type <= 255; ++type) {
        header_of(frame).acc_type = static_cast<uint8_t>(type);
        EXPECT_EQ(transfer_decodes(frame), type < strided::kAccTypeCount) << type;
    }
}

TEST_F(Garbage, RefusesAccumulatesOfPartialElements) {
    for (int type = 0; type < strided::kAccTypeCount; ++type) {
        const auto element = strided::element_bytes(static_cast<strided::AccType>(type));
        const auto decodes = [&](int64_t block, int64_t offset, int64_t data_bytes) {
            Frame frame = make_strided_transfer(
                FrameKind::accumulate,
                body_of(static_cast<uint64_t>(offset), static_cast<uint64_t>(data_bytes)),
                kGarbageBase, layout_of({block, 4}, {100}),
                std::vector<char>(static_cast<size_t>(data_bytes)));
            header_of(frame).acc_type = static_cast<uint8_t>(type);
            Frame vector = make_vector_transfer(
                FrameKind::accumulate,
                body_of(static_cast<uint64_t>(offset), static_cast<uint64_t>(data_bytes)),
                {kGarbageBase, kGarbageBase + 100, kGarbageBase + 200, kGarbageBase + 300}, block,
                std::vector<char>(static_cast<size_t>(data_bytes)));
            header_of(vector).acc_type = static_cast<uint8_t>(type);
            const bool result = transfer_decodes(frame);
            EXPECT_EQ(transfer_decodes(vector), result);
            return result;
        };
        EXPECT_TRUE(decodes(2 * element, element, 4 * element));
        EXPECT_FALSE(decodes(2 * element, element, 4 * element - 1));
        EXPECT_FALSE(decodes(2 * element, 1, 4 * element));
        EXPECT_FALSE(decodes(2 * element, element / 2, 4 * element));
        EXPECT_FALSE(decodes(2 * element, element, 4 * element + element / 2));
        EXPECT_FALSE(decodes(2 * element + 1, element, 4 * element));
        EXPECT_FALSE(decodes(element / 2, 0, element));
    }
}

// Valid frames with some bits flipped: some still decode, and then their contents are consistent.
TEST_F(Garbage, FlippedBitsNeverReadOutsideTheFrame) {
    std::mt19937_64 random(20);
    int accepted = 0;
    int refused = 0;
    const std::vector<Frame> frames = right_frames();
    for (int turn = 0; turn < 60'000; ++turn) {
        Frame frame = frames[random() % frames.size()];
        // Not in the data, which changes nothing.
        const size_t interesting_bits = std::min<size_t>(frame_bytes(frame), 200) * 8;
        for (uint64_t flips = 1 + random() % 8; flips > 0; --flips) {
            const size_t bit = random() % interesting_bits;
            frame[bit / 64] ^= uint64_t{1} << bit % 64;
        }
        header_decodes(frame, frame_bytes(frame));
        (transfer_decodes(frame) ? accepted : refused) += 1;
        if (HasFatalFailure()) {
            return;
        }
    }
    EXPECT_GT(accepted, 1000);
    EXPECT_GT(refused, 1000);
}

// A valid header before random bytes.
TEST_F(Garbage, RandomBodiesNeverReadOutsideTheFrame) {
    std::mt19937_64 random(21);
    for (int turn = 0; turn < 30'000; ++turn) {
        const std::vector<char> body = random_bytes(random, 8 * (random() % 40));
        Frame frame = make_frame(random() % 2 == 0 ? FrameKind::put : FrameKind::get, body.data(),
                                 body.size());
        header_of(frame).layout_kind = static_cast<uint8_t>(random() % 4);
        header_of(frame).levels = static_cast<uint8_t>(random() % 20);
        header_of(frame).acc_type = static_cast<uint8_t>(random() % 8);
        EXPECT_TRUE(header_decodes(frame, frame_bytes(frame)));
        transfer_decodes(frame);
        if (HasFatalFailure()) {
            return;
        }
    }
}

}  // namespace
}  // namespace armci::wire::test

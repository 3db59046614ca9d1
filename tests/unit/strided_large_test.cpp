// SPDX-License-Identifier: BSD-3-Clause
// Offsets, blocks and totals past 2 GiB. Memory is reserved but hardly any of it is used.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <vector>

#include "base/sanitizers.h"
#include "strided/kernels.h"
#include "strided_reference.h"

namespace armci::strided::test {
namespace {

constexpr int64_t kGiB = int64_t{1} << 30;

// Address space whose pages are allocated when they are first accessed.
class SparseMemory {
  public:
    explicit SparseMemory(int64_t bytes) : bytes_(bytes) {
        void* memory = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        EXPECT_NE(memory, MAP_FAILED) << strerror(errno);
        data_ = static_cast<char*>(memory);
        madvise(memory, static_cast<size_t>(bytes), MADV_HUGEPAGE);  // fewer faults, if granted
    }
    ~SparseMemory() { munmap(data_, static_cast<size_t>(bytes_)); }
    SparseMemory(const SparseMemory&) = delete;
    SparseMemory& operator=(const SparseMemory&) = delete;
    char* data() { return data_; }

  private:
    int64_t bytes_;
    char* data_ = nullptr;
};

// A long address range in which one small piece of memory appears again and again, up to the last
// period, which is memory of its own: data that arrives there has passed the whole range.
class RepeatingMemory {
  public:
    RepeatingMemory(int64_t bytes, int64_t period_bytes) : range_(bytes) {
        const int file = memfd_create("armci-test", MFD_CLOEXEC);
        EXPECT_GE(file, 0) << strerror(errno);
        EXPECT_EQ(ftruncate(file, period_bytes), 0) << strerror(errno);
        for (int64_t start = 0; start < bytes - period_bytes; start += period_bytes) {
            void* piece =
                mmap(range_.data() + start, static_cast<size_t>(period_bytes),
                     PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE, file, 0);
            EXPECT_EQ(piece, range_.data() + start) << strerror(errno);
        }
        close(file);
    }
    char* data() { return range_.data(); }

  private:
    SparseMemory range_;
};

TEST(StridedLarge, OffsetsPastTwoGiB) {
    // Five blocks a GiB apart, then the same once more 5000 bytes further; the other side goes
    // backwards from its end.
    const Shape shape = {{24, 5, 2}, {1 << 30, 5000}, {-(1 << 30), 64}};
    const PairLayout pair = pair_of(shape);
    SparseMemory local_range(5 * kGiB);
    SparseMemory remote_range(5 * kGiB);
    char* local = local_range.data();
    char* remote = remote_range.data() + 4 * kGiB;
    const std::vector<int64_t> local_bytes = local_offsets(shape);
    const std::vector<int64_t> remote_bytes = remote_offsets(shape);
    const auto total = static_cast<int64_t>(local_bytes.size());
    for (int64_t i = 0; i < total; ++i) {
        local[local_bytes[i]] = static_cast<char>(i + 1);
    }

    std::vector<char> buffer(static_cast<size_t>(total));
    StridedCursor from(local, local_side(pair));
    pack(from, buffer.data(), total);
    for (int64_t i = 0; i < total; ++i) {
        ASSERT_EQ(buffer[i], static_cast<char>(i + 1)) << i;
    }
    StridedCursor to(remote, remote_side(pair));
    unpack(to, buffer.data(), total);
    for (int64_t i = 0; i < total; ++i) {
        ASSERT_EQ(remote[remote_bytes[i]], static_cast<char>(i + 1)) << i;
        remote[remote_bytes[i]] = 0;
    }
    copy(pair, local, remote, Direction::to_remote);
    for (int64_t i = 0; i < total; ++i) {
        ASSERT_EQ(remote[remote_bytes[i]], static_cast<char>(i + 1)) << i;
        local[local_bytes[i]] = 0;
    }
    copy(pair, local, remote, Direction::to_local);
    for (int64_t i = 0; i < total; ++i) {
        ASSERT_EQ(local[local_bytes[i]], static_cast<char>(i + 1)) << i;
    }
}

// Blocks whose distances from the first and from each other do not fit 31 or 32 bits: at one
// distance, which makes rows of them, and at distances that differ.
TEST(StridedLarge, VectorsPastTwoGiB) {
    constexpr int64_t kBytes = 24;
    const std::vector<std::vector<int64_t>> places = {
        {0, 3 * kGiB, 6 * kGiB, 9 * kGiB},        // rows
        {9 * kGiB, 4 * kGiB + 64, 64, 6 * kGiB},  // downwards and upwards
        {2 * kGiB - 24, 2 * kGiB, 4 * kGiB - 24, 4 * kGiB},
        {5 * kGiB, 5 * kGiB + 24, 5 * kGiB + 48, 0}};  // neighbours, and one far away
    SparseMemory range(10 * kGiB);
    for (const std::vector<int64_t>& offsets : places) {
        SCOPED_TRACE(offsets[0]);
        const auto count = static_cast<int64_t>(offsets.size());
        const int64_t total = count * kBytes;
        std::vector<uint64_t> far;
        for (const int64_t offset : offsets) {
            far.push_back(reinterpret_cast<uint64_t>(range.data() + offset));
        }
        std::vector<uint64_t> near(far.size());
        std::vector<char> data(static_cast<size_t>(total));
        std::vector<char> found(data.size());
        for (int64_t i = 0; i < total; ++i) {
            data[static_cast<size_t>(i)] = static_cast<char>(i + 1);
        }
        const auto lie_at = [&](std::vector<char>& buffer) {
            for (size_t i = 0; i < near.size(); ++i) {
                near[i] = reinterpret_cast<uint64_t>(buffer.data() + i * kBytes);
            }
        };
        const auto expect_far = [&](const char* what) {
            for (int64_t i = 0; i < count; ++i) {
                char* there = range.data() + offsets[static_cast<size_t>(i)];
                EXPECT_EQ(std::memcmp(there, data.data() + i * kBytes, kBytes), 0)
                    << what << ", segment " << i;
                std::memset(there, 0, kBytes);
            }
        };
        const auto as_pointers = [](const std::vector<uint64_t>& addresses) {
            return reinterpret_cast<void* const*>(addresses.data());
        };

        VectorCursor to(far.data(), count, kBytes);
        unpack(to, data.data(), total);
        VectorCursor from(far.data(), count, kBytes);
        pack(from, found.data(), total);
        EXPECT_EQ(found, data);
        // By rows, as accumulates and transfers to other processes use them.
        VectorCursor walk(far.data(), count, kBytes);
        for (int64_t i = 0; walk.remaining() > 0;) {
            const Row row = walk.next_row(walk.remaining());
            for (int64_t block = 0; block < row.block_count; ++block, ++i) {
                EXPECT_EQ(reinterpret_cast<uint64_t>(offset_by(row.data, block * row.stride)),
                          far[static_cast<size_t>(i)]);
            }
        }
        expect_far("unpack");

        lie_at(data);
        copy_vector(as_pointers(near), as_pointers(far), count, kBytes);
        lie_at(found);
        std::fill(found.begin(), found.end(), '\0');
        copy_vector(as_pointers(far), as_pointers(near), count, kBytes);
        EXPECT_EQ(found, data);
        expect_far("copy");

        const int64_t one = 1;
        accumulate_segments(make_scale(AccType::int64, &one),
                            AccSegments{far.data(), nullptr, data.data(), kBytes, count});
        expect_far("accumulate");

        lie_at(data);
        PairLayout rows;
        const bool is_even = &offsets == &places.front();
        ASSERT_EQ(make_pair_of_segments(near.data(), far.data(), count, kBytes, &rows), is_even);
        if (is_even) {
            copy(rows, data.data(), range.data(), Direction::to_remote);
            expect_far("rows");
        }
        const AddressRange extent = enclose(far.data(), count, kBytes);
        const auto [lowest, highest] = std::minmax_element(far.begin(), far.end());
        EXPECT_EQ(extent.begin, *lowest);
        EXPECT_EQ(extent.bytes, *highest - *lowest + kBytes);
    }
}

uint64_t load(const char* from) {
    uint64_t value = 0;
    std::memcpy(&value, from, sizeof(value));
    return value;
}

// The tests below share one such range, a little longer than 2 GiB.
class StridedLargeRange : public ::testing::Test {
  protected:
    static constexpr int64_t kPeriodBytes = int64_t{1} << 20;
    static constexpr int64_t kPeriods = 2080;
    static constexpr int64_t kRangeBytes = kPeriodBytes * kPeriods;
    static_assert(kRangeBytes > INT_MAX);

    // The thread sanitizer would touch shadow memory for all of the range, and there are no
    // threads.
    void SetUp() override {
        if (ARMCI_HAS_TSAN) {
            GTEST_SKIP() << "too much shadow memory for the thread sanitizer";
        }
    }
    static void SetUpTestSuite() {
        if (!ARMCI_HAS_TSAN) {
            range_ = new RepeatingMemory(kRangeBytes, kPeriodBytes);
        }
    }
    static void TearDownTestSuite() {
        delete range_;
        range_ = nullptr;
    }
    char* range() const { return range_->data(); }

  private:
    static RepeatingMemory* range_;
};

RepeatingMemory* StridedLargeRange::range_ = nullptr;

// Blocks of a MiB less a page, each read from the same MiB and written to the same MiB by a stride
// of zero, with a total of more than 2 GiB.
TEST_F(StridedLargeRange, ManyBlocks) {
    constexpr int kBlockBytes = (1 << 20) - 4096;
    constexpr int kBlocks = 2088;
    static_assert(int64_t{kBlockBytes} * kBlocks > kRangeBytes - kPeriodBytes);
    static_assert(int64_t{kBlockBytes} * kBlocks <= kRangeBytes);
    const PairLayout pair = pair_of({{kBlockBytes, kBlocks}, {0}, {0}});
    const int64_t total = total_bytes(pair);
    ASSERT_EQ(total, int64_t{kBlockBytes} * kBlocks);
    std::vector<char> local(kBlockBytes, 'a');
    std::vector<char> remote(kBlockBytes + 1, 'b');
    local.back() = 'z';
    copy(pair, local.data(), remote.data(), Direction::to_remote);
    EXPECT_EQ(remote.front(), 'a');
    EXPECT_EQ(remote[kBlockBytes - 1], 'z');
    EXPECT_EQ(remote[kBlockBytes], 'b');

    StridedCursor from(local.data(), local_side(pair));
    pack(from, range(), total);
    EXPECT_EQ(from.remaining(), 0);
    EXPECT_EQ(range()[total - 1], 'z');
    EXPECT_EQ(range()[total - 2], 'a');

    std::fill(remote.begin(), remote.end(), 'c');
    StridedCursor to(remote.data(), remote_side(pair));
    unpack(to, range(), total);
    EXPECT_EQ(to.remaining(), 0);
    EXPECT_EQ(remote[kBlockBytes - 1], 'z');
    EXPECT_EQ(remote[kBlockBytes], 'c');
}

TEST_F(StridedLargeRange, OneBlock) {
    SparseMemory from(kRangeBytes);
    from.data()[kRangeBytes - 1] = 'e';
    copy(contiguous_pair(kRangeBytes), from.data(), range(), Direction::to_remote);
    EXPECT_EQ(range()[kRangeBytes - 1], 'e');
    EXPECT_EQ(range()[kRangeBytes - 2], 0);
    StridedCursor cursor(range(), local_side(contiguous_pair(kRangeBytes)));
    cursor.seek(kRangeBytes - 2);
    char last[2] = {'x', 'x'};
    pack(cursor, last, 2);
    EXPECT_EQ(last[0], 0);
    EXPECT_EQ(last[1], 'e');
}

// Each element adds twice itself, once for every time it appears.
TEST_F(StridedLargeRange, Accumulate) {
    std::vector<int64_t> ones(kPeriodBytes / sizeof(int64_t), 1);
    char* const tail = range() + kRangeBytes - kPeriodBytes;
    std::memcpy(range(), ones.data(), kPeriodBytes);
    std::memcpy(tail, ones.data(), kPeriodBytes);
    const int64_t scale = 2;
    accumulate(make_scale(AccType::int64, &scale), range(), range(), kRangeBytes);
    uint64_t expected = 1;
    for (int64_t i = 0; i < kPeriods - 1; ++i) {
        expected *= 3;
    }
    for (const int64_t offset : {int64_t{0}, int64_t{4096}, kPeriodBytes - 8}) {
        EXPECT_EQ(load(range() + offset), expected) << offset;
        EXPECT_EQ(load(tail + offset), 3U) << offset;
    }
}

}  // namespace
}  // namespace armci::strided::test

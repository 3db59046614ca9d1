// SPDX-License-Identifier: BSD-3-Clause
// Memory that ranks attach: of every origin, at equal addresses, next to each other, larger than
// all buffers, again and again. The other tests also run on attached memory (memory=attached in
// CMakeLists.txt). Here are the tests of attaching itself.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstring>
#include <numeric>

#include "armci/armcix.h"
#include "support/check.h"
#include "support/global_memory.h"
#include "support/transfer.h"

namespace {

// Whether this process has allowed all other processes of its user to trace it.
bool g_lets_all_trace = false;

}  // namespace

// Replaces libc's function. Systems without Yama refuse what the library requests, so that only its
// call can be observed.
extern "C" int prctl(int option, ...) {
    unsigned long arguments[4];
    va_list list;
    va_start(list, option);
    for (unsigned long& argument : arguments) {
        argument = va_arg(list, unsigned long);
    }
    va_end(list);
    if (option == PR_SET_PTRACER) {
        g_lets_all_trace = arguments[0] == PR_SET_PTRACER_ANY;
    }
    return static_cast<int>(
        syscall(SYS_prctl, option, arguments[0], arguments[1], arguments[2], arguments[3]));
}

namespace armci::mp {
namespace {

char byte_of(int sender, size_t index) {
    return static_cast<char>(static_cast<size_t>(sender) * 59 + index * 7 + index / 253 + 1);
}

std::vector<char> pattern(int sender, size_t bytes) {
    std::vector<char> data(bytes);
    for (size_t i = 0; i < bytes; ++i) {
        data[i] = byte_of(sender, i);
    }
    return data;
}

// Every rank's pointer, by rank.
std::vector<char*> addresses_of_all(void* mine) {
    std::vector<char*> all(static_cast<size_t>(nproc()));
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, harness_comm());
    return all;
}

// Memory that every rank attaches while the object exists. Ranks may pass different memory.
class Attached {
  public:
    Attached(void* mine, size_t bytes) : mine_(static_cast<char*>(mine)) {
        EXPECT_EQ(ARMCIX_Attach(mine, bytes), 0);
        all_ = addresses_of_all(mine);
    }
    ~Attached() {
        ARMCI_AllFence();
        sync();
        EXPECT_EQ(ARMCIX_Detach(mine_), 0);
    }
    Attached(const Attached&) = delete;
    Attached& operator=(const Attached&) = delete;

    char* mine() const { return mine_; }
    char* at(int proc, size_t offset = 0) const { return all_[static_cast<size_t>(proc)] + offset; }
    template <typename T>
    T* element(int proc, size_t index = 0) const {
        return reinterpret_cast<T*>(at(proc)) + index;
    }

  private:
    char* mine_;
    std::vector<char*> all_;
};

void fence_and_sync() {
    ARMCI_AllFence();
    sync();
}

// Yama's rule number 1 requires this of a process whose memory others of its node access.
// promise: attach.yama
TEST(Attach, AllowsOtherRanksToTraceIt) {
    if (ARMCIX_Node(left()) != ARMCIX_Node(me()) && ARMCIX_Node(right()) != ARMCIX_Node(me())) {
        GTEST_SKIP() << "no other rank shares the node";
    }
    g_lets_all_trace = false;
    char memory[64] = {};
    ASSERT_EQ(ARMCIX_Attach(memory, sizeof memory), 0);
    EXPECT_TRUE(g_lets_all_trace);
    ASSERT_EQ(ARMCIX_Detach(memory), 0);
}

// The right neighbour's range gets this rank's pattern, and only that range changes.
void check_put_and_get(char* whole, size_t whole_bytes, size_t begin, size_t bytes) {
    std::memset(whole, '#', whole_bytes);
    {
        Attached memory(whole + begin, bytes);
        const std::vector<char> sent = pattern(me(), bytes);
        EXPECT_EQ(ARMCI_Put(const_cast<char*>(sent.data()), memory.at(right()),
                            static_cast<int>(bytes), right()),
                  0);
        std::vector<char> received(bytes);
        EXPECT_EQ(ARMCI_Get(memory.at(right()), received.data(), static_cast<int>(bytes), right()),
                  0);
        expect_same_bytes(sent.data(), received.data(), static_cast<int64_t>(bytes), "get");
    }
    std::vector<char> expected(whole_bytes, '#');
    const std::vector<char> sent = pattern(left(), bytes);
    std::copy(sent.begin(), sent.end(), expected.begin() + static_cast<std::ptrdiff_t>(begin));
    expect_same_bytes(expected.data(), whole, static_cast<int64_t>(whole_bytes), "owner's view");
    sync();
}

char g_zeroed[5000];
char g_filled[5000] = {1, 2, 3};

// promise: attach.every-origin, malloc-local.attached
TEST(Attach, EveryRankReachesEveryRange) {
    char on_stack[5000];
    std::vector<char> on_heap(5000);
    constexpr size_t kMapped = 3 << 20;
    void* mapped =
        mmap(nullptr, kMapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(mapped, MAP_FAILED);
    auto* local = static_cast<char*>(ARMCI_Malloc_local(5000));
    ASSERT_NE(local, nullptr);
    for (char* memory : {g_zeroed, g_filled, on_stack, on_heap.data(), local}) {
        for (const size_t bytes : {1, 7, 8, 100, 4096, 4999}) {
            check_put_and_get(memory, 5000, 1, bytes);
        }
    }
    check_put_and_get(static_cast<char*>(mapped), kMapped, 0, kMapped);
    check_put_and_get(static_cast<char*>(mapped), kMapped, 4095, kMapped - 4096);
    munmap(mapped, kMapped);
    ARMCI_Free_local(local);
}

// The pages are not used before others write to them.
TEST(Attach, UntouchedPagesReceivePuts) {
    constexpr size_t kBytes = 64 * 4096;
    void* mapped =
        mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(mapped, MAP_FAILED);
    {
        Attached memory(mapped, kBytes);
        double value = 1.5 + me();
        double one = 1.0;
        for (size_t page = 0; page < 64; ++page) {
            EXPECT_EQ(ARMCI_Acc(ARMCI_ACC_DBL, &one, &value, memory.at(right(), page * 4096),
                                sizeof value, right()),
                      0);
        }
        fence_and_sync();
        for (size_t page = 0; page < 64; ++page) {
            EXPECT_EQ(*reinterpret_cast<double*>(memory.at(me(), page * 4096)), 1.5 + left());
        }
        sync();
    }
    munmap(mapped, kBytes);
}

// Private memory at an address that is free in all ranks; nullptr if none of some candidates is.
void* map_at_common_address(size_t bytes) {
    // the second candidate is for sanitizers, which use the first
    for (const uint64_t address : {uint64_t{0x3a5} << 32, uint64_t{0x2a5} << 36}) {
        void* wanted = reinterpret_cast<void*>(address);
        void* mapped = mmap(wanted, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        std::vector<long> missing = {mapped == wanted ? 0L : 1L};
        sum_over_ranks(missing);
        if (missing[0] == 0) {
            return mapped;
        }
        if (mapped != MAP_FAILED) {
            munmap(mapped, bytes);
        }
    }
    return nullptr;
}

// Only the pair of rank and address identifies it.
// promise: attach.equal-addresses, attach.every-operation
TEST(Attach, EqualAddressesAreDistinguishedByRank) {
    constexpr size_t kBytes = 1 << 16;
    void* mapped = map_at_common_address(kBytes);
    ASSERT_NE(mapped, nullptr);
    {
        Attached memory(mapped, kBytes);
        auto* words = static_cast<long*>(mapped);
        std::fill_n(words, kBytes / sizeof(long), -1L);
        sync();
        // Small, large, strided, accumulated, swapped: each rank's own share of each target.
        const auto slot = static_cast<size_t>(me()) * 16;
        for (int target = 0; target < nproc(); ++target) {
            const long value = 1000L * me() + target;
            EXPECT_EQ(ARMCI_PutValueLong(value, memory.element<long>(target, slot), target), 0);
            long one = 1;
            long added = 7;
            EXPECT_EQ(ARMCI_Acc(ARMCI_ACC_LNG, &one, &added, memory.element<long>(target, slot + 1),
                                sizeof added, target),
                      0);
            long old = 0;
            EXPECT_EQ(
                ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, memory.element<long>(target, slot + 2),
                          static_cast<int>(value), target),
                0);
            EXPECT_EQ(old, -1);
            long pair[2] = {value, -value};
            int stride = 2 * sizeof(long);
            int local_stride = sizeof(long);
            int count[2] = {sizeof(long), 2};
            EXPECT_EQ(ARMCI_PutS(pair, &local_stride, memory.element<long>(target, slot + 3),
                                 &stride, count, 1, target),
                      0);
            EXPECT_EQ(ARMCI_GetValueLong(memory.element<long>(target, slot), target), value);
        }
        fence_and_sync();
        for (int sender = 0; sender < nproc(); ++sender) {
            const long value = 1000L * sender + me();
            const long* found = words + static_cast<size_t>(sender) * 16;
            EXPECT_EQ(found[0], value);
            EXPECT_EQ(found[1], 6);
            EXPECT_EQ(found[2], value - 1);
            EXPECT_EQ(found[3], value);
            EXPECT_EQ(found[4], -1);
            EXPECT_EQ(found[5], -value);
            EXPECT_EQ(found[6], -1);
        }
        sync();
    }
    munmap(mapped, kBytes);
}

// Ranges without a gap between them are accessed to their last byte. One is detached, the other
// stays.
// promise: attach.owner-loads, attach.detached
TEST(Attach, AdjacentRangesAreIndependent) {
    std::vector<char> memory(3000, '#');
    auto first = std::make_unique<Attached>(memory.data() + 500, 1000);
    Attached second(memory.data() + 1500, 1000);
    const std::vector<char> sent = pattern(me(), 1000);
    const auto put = [&](char* place, int bytes) {
        EXPECT_EQ(ARMCI_Put(const_cast<char*>(sent.data()), place, bytes, right()), 0);
    };
    put(second.at(right()), 1000);
    put(first->at(right()), 1000);
    std::vector<char> received(1000);
    EXPECT_EQ(ARMCI_Get(second.at(right(), 999), received.data(), 1, right()), 0);
    EXPECT_EQ(received[0], byte_of(me(), 999));
    EXPECT_EQ(ARMCI_Get(first->at(right(), 999), received.data(), 1, right()), 0);
    EXPECT_EQ(received[0], byte_of(me(), 999));
    first.reset();
    sync();
    put(second.at(right()), 10);
    EXPECT_EQ(ARMCI_Get(second.at(right()), received.data(), 1000, right()), 0);
    expect_same_bytes(sent.data(), received.data(), 1000, "get");
    fence_and_sync();
    std::vector<char> expected(3000, '#');
    for (size_t i = 0; i < 1000; ++i) {
        expected[500 + i] = expected[1500 + i] = byte_of(left(), i);
    }
    expect_same_bytes(expected.data(), memory.data(), 3000, "owner's view");
    sync();
}

// Every rank, including the owner and its neighbours, adds to one target in all ways at once, and
// counts in the same words: accumulate and rmw are atomic to each other here.
// promise: attach.rmw-and-acc
TEST(Attach, AccumulateAndRmwAreAtomicToEachOther) {
    constexpr size_t kNumbers = 2500;  // in at least two granules of the locks
    std::vector<long> numbers(kNumbers);
    Attached memory(numbers.data(), kNumbers * sizeof(long));
    const auto rounds = static_cast<long>(scaled(400));
    for (int target = 0; target < nproc(); ++target) {
        std::fill(numbers.begin(), numbers.end(), 0L);
        sync();
        const std::vector<long> ones(kNumbers, 1);
        long two = 2;
        for (long round = 0; round < rounds; ++round) {
            EXPECT_EQ(ARMCI_Acc(ARMCI_ACC_LNG, &two, const_cast<long*>(ones.data()),
                                memory.at(target), kNumbers * sizeof(long), target),
                      0);
            // Every other number.
            int local_stride = sizeof(long);
            int stride = 2 * sizeof(long);
            int count[2] = {sizeof(long), kNumbers / 2};
            EXPECT_EQ(ARMCI_AccS(ARMCI_ACC_LNG, &two, const_cast<long*>(ones.data()), &local_stride,
                                 memory.at(target), &stride, count, 1, target),
                      0);
            // The first one twice in one call.
            void* from[2] = {const_cast<long*>(ones.data()), const_cast<long*>(ones.data())};
            void* to[2] = {memory.at(target), memory.at(target)};
            armci_giov_t vector = {from, to, sizeof(long), 2};
            EXPECT_EQ(ARMCI_AccV(ARMCI_ACC_LNG, &two, &vector, 1, target), 0);
            long old = -1;
            EXPECT_EQ(ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, memory.element<long>(target, 1), 1,
                                target),
                      0);
            EXPECT_GE(old, round);
        }
        fence_and_sync();
        if (me() == target) {
            const long calls = rounds * nproc();
            EXPECT_EQ(numbers[0], calls * 8);
            EXPECT_EQ(numbers[1], calls * 3);
            int wrong = 0;
            for (size_t i = 2; i < kNumbers; ++i) {
                wrong += numbers[i] != calls * (i % 2 == 0 ? 4 : 2) ? 1 : 0;
            }
            EXPECT_EQ(wrong, 0) << "of the other numbers";
        }
        sync();
    }
}

// More than all buffers and granted receive buffers together, dense and in rows, in both
// directions.
TEST(Attach, TransfersLargerThanAllBuffers) {
    armcix_stats_t stats{};
    ARMCIX_Stats(&stats, sizeof stats);
    const size_t all_bytes = std::max(static_cast<size_t>(scaled(40)) << 20,
                                      static_cast<size_t>(8 * stats.buffer_bytes) + (1 << 20));
    const size_t size = all_bytes / 2048 * 2048;
    const int bytes = static_cast<int>(size);
    std::vector<char> mine(size);
    Attached memory(mine.data(), size);
    std::vector<char> local = pattern(me(), size);
    EXPECT_EQ(ARMCI_Put(local.data(), memory.at(right()), bytes, right()), 0);
    std::vector<char> received(size);
    EXPECT_EQ(ARMCI_Get(memory.at(right()), received.data(), bytes, right()), 0);
    expect_same_bytes(local.data(), received.data(), bytes, "get");
    fence_and_sync();
    const std::vector<char> expected = pattern(left(), size);
    expect_same_bytes(expected.data(), mine.data(), bytes, "owner's view");
    sync();

    std::fill(mine.begin(), mine.end(), 0);
    sync();
    constexpr int kRow = 1000;
    const int rows = bytes / 2048;
    int stride = 2048;
    int local_stride = kRow;
    int count[2] = {kRow, rows};
    EXPECT_EQ(
        ARMCI_PutS(local.data(), &local_stride, memory.at(right()), &stride, count, 1, right()), 0);
    std::vector<int> ones(kRow * static_cast<size_t>(rows) / sizeof(int), 1);
    int one = 1;
    EXPECT_EQ(ARMCI_AccS(ARMCI_ACC_INT, &one, ones.data(), &local_stride, memory.at(right(), 1024),
                         &stride, count, 1, right()),
              0);
    std::fill(received.begin(), received.end(), 0);
    EXPECT_EQ(
        ARMCI_GetS(memory.at(right()), &stride, received.data(), &local_stride, count, 1, right()),
        0);
    expect_same_bytes(local.data(), received.data(), int64_t{kRow} * rows, "strided get");
    fence_and_sync();
    int64_t wrong = 0;
    for (size_t row = 0; row < static_cast<size_t>(rows); ++row) {
        const char* begin = mine.data() + row * 2048;
        for (size_t i = 0; i < kRow; ++i) {
            wrong += begin[i] != byte_of(left(), row * kRow + i) ? 1 : 0;
        }
        for (size_t i = kRow; i < 1024; ++i) {
            wrong += begin[i] != 0 ? 1 : 0;
        }
        for (size_t i = 0; i < kRow; i += sizeof(int)) {
            int number = 0;
            std::memcpy(&number, begin + 1024 + i, sizeof number);
            wrong += number != 1 ? 1 : 0;
        }
    }
    EXPECT_EQ(wrong, 0) << "bytes and numbers in the owner's view";
    sync();
}

// One vector with blocks in global memory and in two attached ranges.
// promise: attach.every-operation
TEST(Attach, VectorsSpanGlobalAndAttachedMemory) {
    constexpr int kSegments = 600;
    GlobalMemory global(kSegments * 16);
    std::vector<char> low(kSegments * 16);
    std::vector<char> high(kSegments * 16);
    std::memset(global.mine(), 0, kSegments * 16);
    Attached first(low.data(), low.size());
    Attached second(high.data(), high.size());
    const auto place = [&](int proc, int segment) -> char* {
        const auto offset = static_cast<size_t>(segment) * 16;
        switch (segment % 3) {
            case 0:
                return global.at(proc, static_cast<int64_t>(offset));
            case 1:
                return first.at(proc, offset);
            default:
                return second.at(proc, offset);
        }
    };
    std::vector<int> sent(kSegments * 2);
    std::iota(sent.begin(), sent.end(), 10000 * (me() + 1));
    std::vector<int> received(kSegments * 2);
    std::vector<void*> remote(kSegments);
    std::vector<void*> from(kSegments);
    std::vector<void*> into(kSegments);
    for (int i = 0; i < kSegments; ++i) {
        remote[static_cast<size_t>(i)] = place(right(), i);
        from[static_cast<size_t>(i)] = &sent[2 * static_cast<size_t>(i)];
        into[static_cast<size_t>(i)] = &received[2 * static_cast<size_t>(i)];
    }
    // Few blocks are sent in a batch with other small operations, many in chunks. The last block is
    // in global memory or attached.
    for (const int segments : {3, 4, kSegments - 2, kSegments}) {
        armci_giov_t put = {from.data(), remote.data(), 8, segments};
        EXPECT_EQ(ARMCI_PutV(&put, 1, right()), 0);
        int three = 3;
        EXPECT_EQ(ARMCI_AccV(ARMCI_ACC_INT, &three, &put, 1, right()), 0);
        armci_giov_t get = {remote.data(), into.data(), 8, segments};
        std::fill(received.begin(), received.end(), 0);
        EXPECT_EQ(ARMCI_GetV(&get, 1, right()), 0);
        int wrong = 0;
        for (size_t i = 0; i < 2 * static_cast<size_t>(segments); ++i) {
            wrong += received[i] != 4 * sent[i] ? 1 : 0;
        }
        EXPECT_EQ(wrong, 0) << "numbers of " << segments << " segments";
    }
    fence_and_sync();
    for (int i = 0; i < kSegments; ++i) {
        int numbers[2];
        std::memcpy(numbers, place(me(), i), sizeof numbers);
        EXPECT_EQ(numbers[0], 4 * (10000 * (left() + 1) + 2 * i)) << "segment " << i;
        EXPECT_EQ(numbers[1], 4 * (10000 * (left() + 1) + 2 * i + 1)) << "segment " << i;
    }
    sync();
}

// Many operations of all kinds under way, each on its own piece of every target.
// promise: attach.every-operation
TEST(Attach, NonBlockingWithHandles) {
    constexpr size_t kPiece = 6000;
    constexpr size_t kPieces = 30;
    const size_t share = kPiece * kPieces;
    std::vector<char> mine(share * static_cast<size_t>(nproc()));
    Attached memory(mine.data(), mine.size());
    const std::vector<char> sent = pattern(me(), share);
    std::vector<char> received(share * static_cast<size_t>(nproc()));
    std::vector<armci_hdl_t> handles(kPieces * static_cast<size_t>(nproc()));
    const auto for_all = [&](auto&& operation) {
        size_t next = 0;
        for (int target = 0; target < nproc(); ++target) {
            for (size_t piece = 0; piece < kPieces; ++piece) {
                ARMCI_INIT_HANDLE(&handles[next]);
                const size_t bytes = piece % 3 == 0 ? 40 : kPiece;
                operation(target, piece * kPiece, static_cast<int>(bytes), &handles[next]);
                ++next;
            }
        }
        for (armci_hdl_t& handle : handles) {
            EXPECT_EQ(ARMCI_Wait(&handle), 0);
        }
    };
    const size_t my_share = share * static_cast<size_t>(me());
    for_all([&](int target, size_t at, int bytes, armci_hdl_t* handle) {
        EXPECT_EQ(ARMCI_NbPut(const_cast<char*>(&sent[at]), memory.at(target, my_share + at), bytes,
                              target, handle),
                  0);
    });
    for_all([&](int target, size_t at, int bytes, armci_hdl_t* handle) {
        EXPECT_EQ(
            ARMCI_NbGet(memory.at(target, my_share + at),
                        &received[share * static_cast<size_t>(target) + at], bytes, target, handle),
            0);
    });
    int64_t wrong = 0;
    for (int target = 0; target < nproc(); ++target) {
        for (size_t i = 0; i < share; ++i) {
            const bool moved = (i / kPiece) % 3 != 0 || i % kPiece < 40;
            const char found = received[share * static_cast<size_t>(target) + i];
            wrong += found != (moved ? sent[i] : '\0') ? 1 : 0;
        }
    }
    EXPECT_EQ(wrong, 0);
    fence_and_sync();
}

// The data is there when the flag is. The owner reads by plain loads and does not call the library.
// promise: attach.every-operation
TEST(Attach, FlagsArriveAfterTheirData) {
    constexpr size_t kBytes = 3000;
    struct Box {
        char data[kBytes];
        int flag;
    };
    std::vector<Box> boxes(1);
    boxes[0] = Box{};
    Attached memory(boxes.data(), sizeof(Box));
    Box* remote = memory.element<Box>(right());
    const volatile int* flag = &boxes[0].flag;
    for (int round = 1; round <= static_cast<int>(scaled(40)); ++round) {
        std::vector<char> sent = pattern(me() + round, kBytes);
        EXPECT_EQ(ARMCI_Put_flag(sent.data(), remote->data, kBytes, &remote->flag, round, right()),
                  0);
        while (*flag != round) {
            sched_yield();
        }
        const std::vector<char> expected = pattern(left() + round, kBytes);
        expect_same_bytes(expected.data(), boxes[0].data, kBytes, "data at the flag");
        sync();
    }
}

// Only one rank attaches. The others are informed by a message only.
// promise: attach.not-collective
TEST(Attach, OneRankAttachesAlone) {
    for (int owner = 0; owner < nproc(); ++owner) {
        std::vector<long> words(static_cast<size_t>(nproc()) + 1);
        long* place = words.data();
        if (me() == owner) {
            EXPECT_EQ(ARMCIX_Attach(place, words.size() * sizeof(long)), 0);
        }
        MPI_Bcast(&place, sizeof place, MPI_BYTE, owner, harness_comm());
        EXPECT_EQ(ARMCI_PutValueLong(me() + 100, place + me(), owner), 0);
        long old = 0;
        EXPECT_EQ(ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, place + nproc(), 1, owner), 0);
        fence_and_sync();
        if (me() == owner) {
            ARMCI_Access_begin(place + 1);
            ARMCI_Access_end(place + 1);
            EXPECT_EQ(ARMCIX_Detach(place), 0);
            for (int rank = 0; rank < nproc(); ++rank) {
                EXPECT_EQ(words[static_cast<size_t>(rank)], rank + 100);
            }
            EXPECT_EQ(words.back(), nproc());
        }
        sync();
    }
}

// What ranks cache about each other's memory becomes outdated. It must not be used then.
// promise: attach.detached
TEST(Attach, ReattachedAddressShowsTheNewRange) {
    std::vector<char> memory(4000, '#');
    Rng rng = common_rng();
    for (int64_t round = 0; round < scaled(160); ++round) {
        const auto begin = static_cast<size_t>(rng.between(0, 2000));
        const auto bytes = static_cast<size_t>(rng.between(1, 2000));
        Attached range(memory.data() + begin, bytes);
        const auto sent = pattern(me() + static_cast<int>(round), bytes);
        const int target = static_cast<int>(round) % nproc();
        if ((target + 1) % nproc() == me()) {
            EXPECT_EQ(ARMCI_Put(const_cast<char*>(sent.data()), range.at(target),
                                static_cast<int>(bytes), target),
                      0);
        }
        fence_and_sync();
        if (me() == target) {
            const auto expected = pattern(right() + static_cast<int>(round), bytes);
            expect_same_bytes(expected.data(), range.mine(), static_cast<int64_t>(bytes),
                              "a range after others at its place");
        }
        sync();
    }
}

// There are more cycles than the directory has room for, so that a range that is left ends the job.
TEST(Attach, ManyAttachAndDetachCyclesLeaveNothing) {
    std::vector<char> memory(4096);
    for (int round = 0; round < 10000; ++round) {
        EXPECT_EQ(ARMCIX_Attach(memory.data(), 1 + static_cast<size_t>(round) % 4096), 0);
        EXPECT_EQ(ARMCIX_Detach(memory.data()), 0);
    }
    check_put_and_get(memory.data(), 4096, 0, 4096);
}

// Many ranges at a time, and each is found.
TEST(Attach, ManyRangesAreAllFound) {
    constexpr size_t kRanges = 700;
    std::vector<long> words(2 * kRanges, -1);
    for (size_t i = 0; i < kRanges; ++i) {
        EXPECT_EQ(ARMCIX_Attach(&words[2 * i], sizeof(long)), 0);
    }
    const std::vector<char*> all = addresses_of_all(words.data());
    auto* remote = reinterpret_cast<long*>(all[static_cast<size_t>(right())]);
    for (size_t i = 0; i < kRanges; i += 7) {
        EXPECT_EQ(ARMCI_PutValueLong(static_cast<long>(i) + me(), remote + 2 * i, right()), 0);
    }
    fence_and_sync();
    for (size_t i = 0; i < kRanges; ++i) {
        EXPECT_EQ(ARMCIX_Detach(&words[2 * i]), 0);
        EXPECT_EQ(words[2 * i], i % 7 == 0 ? static_cast<long>(i) + left() : -1);
        EXPECT_EQ(words[2 * i + 1], -1);
    }
    sync();
}

// The data server carries it out for other nodes, whatever route is configured: the network cannot
// reach this memory.
// promise: attach.never-rma
TEST(Attach, NeverUsesRma) {
    std::vector<char> mine(1 << 20);
    Attached memory(mine.data(), mine.size());
    std::vector<char> local(mine.size());
    armcix_stats_t before;
    armcix_stats_t after;
    ARMCIX_Stats(&before, sizeof before);
    EXPECT_EQ(ARMCI_Put(local.data(), memory.at(right()), 1 << 20, right()), 0);
    EXPECT_EQ(ARMCI_Get(memory.at(right()), local.data(), 1 << 20, right()), 0);
    EXPECT_EQ(ARMCI_Put(local.data(), memory.at(right()), 8, right()), 0);
    ARMCIX_Stats(&after, sizeof after);
    const int route =
        ARMCIX_Node(right()) == ARMCIX_Node(me()) ? ARMCIX_ROUTE_LOCAL : ARMCIX_ROUTE_SERVER;
    EXPECT_EQ(after.put[route].operations - before.put[route].operations, 2U);
    EXPECT_EQ(after.get[route].operations - before.get[route].operations, 1U);
    EXPECT_EQ(after.put[ARMCIX_ROUTE_RMA].operations, before.put[ARMCIX_ROUTE_RMA].operations);
    sync();
}

// ARMCI_Finalize, which follows, detaches it without a message.
// promise: finalize.detaches
TEST(Attach, FinalizeDropsAttachedMemorySilently) {
    static long left_attached[4] = {};
    EXPECT_EQ(ARMCIX_Attach(left_attached, sizeof left_attached), 0);
    const std::vector<char*> all = addresses_of_all(left_attached);
    EXPECT_EQ(ARMCI_PutValueLong(me() + 5, all[static_cast<size_t>(right())], right()), 0);
    fence_and_sync();
    EXPECT_EQ(left_attached[0], left() + 5);
}

}  // namespace
}  // namespace armci::mp

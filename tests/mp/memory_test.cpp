// SPDX-License-Identifier: BSD-3-Clause
// Global and local memory: slices of any size, pointer tables, direct access, freeing and reuse.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "armci/armcix.h"
#include "support/check.h"
#include "support/global_memory.h"

namespace armci::mp {
namespace {

std::vector<char> pattern(uint64_t key, int64_t bytes) {
    Rng rng(key);
    std::vector<char> data(static_cast<size_t>(bytes));
    for (char& byte : data) {
        byte = static_cast<char>(rng.bits());
    }
    return data;
}

// The bytes that `proc` allocates in round `round`: none, few, odd, many.
int64_t bytes_of(int proc, int round) {
    const std::vector<int64_t> sizes = {0, 1, 7, 64, 4096, 4097, 100001, 0, 3, 1 << 20};
    return sizes[static_cast<size_t>(proc + round) % sizes.size()];
}

// promise: malloc.table, memory.direct
TEST(Memory, RanksAllocateDifferentSizes) {
    for (int round = 0; round < 10; ++round) {
        GlobalMemory memory(bytes_of(me(), round));
        for (int proc = 0; proc < nproc(); ++proc) {
            EXPECT_EQ(memory.at(proc) == nullptr, bytes_of(proc, round) == 0) << "rank " << proc;
        }
        // The owner stores directly, its left neighbour reads and replaces, the owner loads
        // directly.
        const auto key = [&](int proc) { return static_cast<uint64_t>(100 * round + proc); };
        const int64_t mine = bytes_of(me(), round);
        const auto stored = pattern(key(me()), mine);
        std::copy(stored.begin(), stored.end(), memory.mine());
        ARMCI_Barrier();
        const int64_t theirs = bytes_of(right(), round);
        std::vector<char> found(static_cast<size_t>(theirs));
        ARMCI_Get(memory.at(right()), found.data(), static_cast<int>(theirs), right());
        expect_same_bytes(pattern(key(right()), theirs).data(), found.data(), theirs,
                          "slice read by the neighbour");
        auto replaced = pattern(~key(right()), theirs);
        ARMCI_Put(replaced.data(), memory.at(right()), static_cast<int>(theirs), right());
        ARMCI_Barrier();
        expect_same_bytes(pattern(~key(me()), mine).data(), memory.mine(), mine,
                          "slice written by the neighbour");
        ARMCI_Barrier();
    }
}

// promise: malloc.table, free.null
TEST(Memory, AllRanksAllocateNothing) {
    std::vector<void*> slices(static_cast<size_t>(nproc()) + 1, &slices);
    EXPECT_EQ(ARMCI_Malloc(slices.data(), 0), 0);
    for (int proc = 0; proc < nproc(); ++proc) {
        EXPECT_EQ(slices[static_cast<size_t>(proc)], nullptr);
    }
    EXPECT_EQ(slices.back(), &slices) << "the table has one entry for each rank, no more";
    EXPECT_EQ(ARMCI_Free(nullptr), 0);
}

// Only the last rank allocates, as the shared counter of TCGMSG does.
// promise: malloc.table, free.null
TEST(Memory, OnlyOneRankAllocates) {
    GlobalMemory memory(me() == nproc() - 1 ? 8 : 0);
    const int owner = nproc() - 1;
    if (me() == owner) {
        *memory.element<long>(owner) = 5;
    }
    ARMCI_Barrier();
    EXPECT_EQ(ARMCI_GetValueLong(memory.at(owner), owner), 5);
}

// promise: malloc.table, malloc.alignment
TEST(Memory, TablesAgreeAndAreAligned) {
    for (const int64_t bytes : {1, 56, 1000, 300000}) {
        GlobalMemory memory(bytes + me());
        std::vector<void*> own_addresses(static_cast<size_t>(nproc()));
        void* mine = memory.mine();
        MPI_Allgather(&mine, sizeof mine, MPI_BYTE, own_addresses.data(), sizeof mine, MPI_BYTE,
                      harness_comm());
        for (int proc = 0; proc < nproc(); ++proc) {
            EXPECT_EQ(memory.at(proc), own_addresses[static_cast<size_t>(proc)]) << "rank " << proc;
            EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.at(proc)) % 64, 0U) << "rank " << proc;
        }
    }
}

// Allocations are made and freed in random order. None changes another one's bytes.
// promise: free.waits-for-all
TEST(Memory, InterleavedAllocationsDoNotOverlap) {
    struct Allocation {
        uint64_t key;
        std::vector<int64_t> sizes;  // by rank
        std::unique_ptr<GlobalMemory> memory;
    };
    std::vector<Allocation> live;
    Rng rng = common_rng();  // all ranks must make the same choices
    uint64_t next_key = 1;
    const auto verify = [](const Allocation& allocation) {
        for (const int proc : {me(), right()}) {
            const int64_t bytes = allocation.sizes[static_cast<size_t>(proc)];
            std::vector<char> found(static_cast<size_t>(bytes));
            ARMCI_Get(allocation.memory->at(proc), found.data(), static_cast<int>(bytes), proc);
            expect_same_bytes(
                pattern(allocation.key * 1000 + static_cast<uint64_t>(proc), bytes).data(),
                found.data(), bytes, "slice of rank " + std::to_string(proc));
        }
    };
    for (int64_t step = 0; step < scaled(120); ++step) {
        if (live.empty() || (live.size() < 60 && rng.chance(60))) {
            Allocation allocation{next_key++, {}, nullptr};
            for (int proc = 0; proc < nproc(); ++proc) {
                allocation.sizes.push_back(rng.chance(20) ? 0 : rng.between(1, 60000));
            }
            const int64_t mine = allocation.sizes[static_cast<size_t>(me())];
            allocation.memory = std::make_unique<GlobalMemory>(mine);
            const auto data = pattern(allocation.key * 1000 + static_cast<uint64_t>(me()), mine);
            std::copy(data.begin(), data.end(), allocation.memory->mine());
            live.push_back(std::move(allocation));
        } else {
            const size_t victim = static_cast<size_t>(rng.bits() % live.size());
            sync();  // the neighbour has stored its pattern
            verify(live[victim]);
            live[victim].memory.reset();  // collective, and no rank frees before all have checked
            live.erase(live.begin() + static_cast<std::ptrdiff_t>(victim));
        }
    }
    sync();
    for (Allocation& allocation : live) {
        verify(allocation);
    }
    while (!live.empty()) {
        live.pop_back();
    }
}

// Thousands of short-lived allocations do not use up the memory.
// promise: malloc.usable-at-once
TEST(Memory, ReusesMemoryAfterFree) {
    constexpr int64_t kBytes = 1 << 20;
    for (int64_t round = 0; round < scaled(64); ++round) {
        GlobalMemory memory(kBytes);
        ARMCI_PutValueLong(round, memory.at(right(), kBytes - 8), right());
        ARMCI_Barrier();
        ASSERT_EQ(*memory.element<long>(me(), kBytes / 8 - 1), round);
    }
}

// Operations under way when the memory is freed are completed, and never change memory that was
// allocated later.
// promise: free.completes-operations
TEST(Memory, FreeCompletesPendingOperations) {
    constexpr int64_t kBytes = 200000;
    std::vector<char> source(kBytes, 0x44);
    for (int64_t round = 0; round < scaled(24); ++round) {
        {
            GlobalMemory memory(kBytes);
            ARMCI_NbPut(source.data(), memory.at(right()), kBytes, right(), nullptr);
            ARMCI_NbPut(source.data(), memory.at(right(), 64), 1000, right(), nullptr);
        }
        GlobalMemory next(kBytes);
        std::memset(next.mine(), 0x11, kBytes);
        ARMCI_Barrier();
        const std::vector<char> expected(kBytes, 0x11);
        expect_same_bytes(expected.data(), next.mine(), kBytes, "memory allocated after a free");
        ARMCI_WaitAll();
        ARMCI_Barrier();
    }
}

// promise: malloc-local.free-null, calls.return-zero
TEST(Memory, AllocatesAndFreesLocalMemory) {
    Rng rng = rank_rng();
    std::vector<std::pair<void*, int64_t>> blocks;
    for (int i = 0; i < 40; ++i) {
        const int64_t bytes = rng.between(1, 200000);
        void* block = ARMCI_Malloc_local(bytes);
        ASSERT_NE(block, nullptr);
        std::memset(block, i, static_cast<size_t>(bytes));
        blocks.emplace_back(block, bytes);
    }
    for (size_t i = 0; i < blocks.size(); ++i) {
        const std::vector<char> expected(static_cast<size_t>(blocks[i].second),
                                         static_cast<char>(i));
        expect_same_bytes(expected.data(), blocks[i].first, blocks[i].second, "local memory");
    }
    for (const auto& block : blocks) {
        EXPECT_EQ(ARMCI_Free_local(block.first), 0);
    }
    EXPECT_EQ(ARMCI_Free_local(ARMCI_Malloc_local(0)), 0);
    EXPECT_EQ(ARMCI_Free_local(nullptr), 0);
}

// promise: malloc.device-hint
TEST(Memory, DeviceHintsAreIgnored) {
    std::vector<void*> slices(static_cast<size_t>(nproc()));
    ASSERT_EQ(ARMCI_Malloc_memdev(slices.data(), 800, "no such device"), 0);
    ARMCI_PutValueInt(me(), slices[static_cast<size_t>(right())], right());
    ARMCI_Barrier();
    EXPECT_EQ(*static_cast<int*>(slices[static_cast<size_t>(me())]), left());
    ARMCI_Barrier();
    EXPECT_EQ(ARMCI_Free_memdev(slices[static_cast<size_t>(me())]), 0);

    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    ASSERT_EQ(ARMCI_Malloc_group_memdev(slices.data(), 8, &world, nullptr), 0);
    EXPECT_EQ(ARMCI_Free_group(slices[static_cast<size_t>(me())], &world), 0);
}

// promise: access.brackets
TEST(Memory, AccessBracketsAllowDirectAccess) {
    GlobalMemory memory(64);
    ARMCI_Access_begin(memory.mine());
    *memory.element<int>(me()) = 31 + me();
    ARMCI_Access_end(memory.mine());
    sync();
    EXPECT_EQ(ARMCI_GetValueInt(memory.at(right()), right()), 31 + right());
    sync();
}

// promise: memory.uses-shm
TEST(Memory, ReportsSharedMemory) {
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    EXPECT_EQ(ARMCI_Uses_shm(), 0);
    EXPECT_EQ(ARMCI_Uses_shm_grp(&world), 0);
    ARMCI_Set_shm_limit(0);
}

// Every rank of a node may load and store its neighbours' slices through the table's pointers.
// promise: memory.direct
TEST(Memory, RanksOfANodeAccessSlicesDirectly) {
    constexpr int kPerOrigin = 100;
    GlobalMemory memory(static_cast<int64_t>(sizeof(long)) * kPerOrigin * nproc());
    for (int proc = 0; proc < nproc(); ++proc) {
        if (ARMCIX_Node(proc) != ARMCIX_Node(me())) {
            continue;
        }
        for (int i = 0; i < kPerOrigin; ++i) {
            *memory.element<long>(proc, me() * kPerOrigin + i) = proc * 1000000 + me() * 1000 + i;
        }
    }
    ARMCI_Barrier();
    for (int origin = 0; origin < nproc(); ++origin) {
        if (ARMCIX_Node(origin) != ARMCIX_Node(me())) {
            continue;
        }
        for (int i = 0; i < kPerOrigin; ++i) {
            const long expected = me() * 1000000 + origin * 1000 + i;
            ASSERT_EQ(*memory.element<long>(me(), origin * kPerOrigin + i), expected);
            // The origin's own view and the result of a get agree.
            ASSERT_EQ(ARMCI_GetValueLong(memory.element<long>(me(), origin * kPerOrigin + i), me()),
                      expected);
            ASSERT_EQ(*memory.element<long>(origin, me() * kPerOrigin + i),
                      origin * 1000000 + me() * 1000 + i);
        }
    }
    ARMCI_Barrier();
}

// One rank allocates memory alone and describes it to the others.
// promise: memget.alone, memget.description, memget.flag-ignored, memget.address
TEST(Memory, MemgetByOneRankIsUsableByAll) {
    constexpr int kBytes = 5000;
    for (int creator = 0; creator < nproc(); ++creator) {
        armci_meminfo_t info;
        std::memset(&info, 0, sizeof info);
        if (me() == creator) {
            ARMCI_Memget(kBytes, &info, creator);  // the flags are ignored
            EXPECT_EQ(info.cpid, creator);
            EXPECT_GE(info.size, static_cast<size_t>(kBytes));
            std::memset(info.addr, 0x21, kBytes);
        }
        MPI_Bcast(&info, sizeof info, MPI_BYTE, creator, harness_comm());
        std::vector<char> mine(static_cast<size_t>(100), static_cast<char>(me()));
        const long offset = 100 * (me() + 1);
        void* remote = ARMCI_Memat(&info, offset);
        EXPECT_EQ(remote, info.armci_addr + offset);
        ARMCI_Put(mine.data(), remote, 100, info.cpid);
        std::vector<char> found(static_cast<size_t>(100), 0x7f);
        ARMCI_Get(remote, found.data(), 100, info.cpid);
        expect_same_bytes(mine.data(), found.data(), 100, "memory made by one rank");
        ARMCI_Memdt(&info, offset);
        ARMCI_Barrier();
        if (me() == creator) {
            std::vector<char> expected(kBytes, 0x21);
            for (int origin = 0; origin < nproc(); ++origin) {
                std::fill_n(expected.begin() + 100 * (origin + 1), 100, static_cast<char>(origin));
            }
            expect_same_bytes(expected.data(), info.addr, kBytes, "memory as its creator sees it");
            ARMCI_Memctl(&info);
        }
        sync();
    }
}

// Memory is freed and allocated again at the same place: a record of the new one replaces what
// other ranks knew. Releasing one address of a record leaves its other addresses in use.
// promise: memget.given-back, memget.freed
TEST(Memory, MemgetAtTheSamePlaceReplacesTheOld) {
    const int creator = nproc() - 1;
    for (const size_t bytes : {size_t{8192}, size_t{1} << 20, size_t{4096}, size_t{0}}) {
        armci_meminfo_t info;
        std::memset(&info, 0, sizeof info);
        if (me() == creator) {
            ARMCI_Memget(bytes, &info, 0);
        }
        MPI_Bcast(&info, sizeof info, MPI_BYTE, creator, harness_comm());
        if (me() == 0 && bytes > 0) {
            const std::vector<char> source(bytes, static_cast<char>(bytes >> 12));
            std::vector<char> found(bytes, 0);
            void* second_half = ARMCI_Memat(&info, static_cast<long>(bytes / 2));
            void* all = ARMCI_Memat(&info, 0);
            ARMCI_Memdt(&info, static_cast<long>(bytes / 2));
            ARMCI_Put(const_cast<char*>(source.data()), all, static_cast<int>(bytes), creator);
            ARMCI_Get(all, found.data(), static_cast<int>(bytes), creator);
            expect_same_bytes(source.data(), found.data(), static_cast<int64_t>(bytes), "all");
            ARMCI_Get(second_half, found.data(), static_cast<int>(bytes / 2), creator);
            ARMCI_Fence(creator);
        }
        sync();
        if (me() == creator) {
            ARMCI_Memctl(&info);
        }
        sync();
    }
}

// Other ranks are not informed that such memory is freed: they find what is allocated later in its
// place, by the same rank, another one of its node or all together.
// promise: memget.freed
TEST(Memory, AllocationsReplaceFreedMemgetMemory) {
    std::vector<armci_meminfo_t> infos(static_cast<size_t>(nproc()));
    std::vector<void*> slices(static_cast<size_t>(nproc()));
    for (int round = 0; round < 12; ++round) {
        for (int time = 0; time < 2; ++time) {
            armci_meminfo_t& mine = infos[static_cast<size_t>(me())];
            std::memset(&mine, 0, sizeof mine);
            ARMCI_Memget(round % 2 == 0 ? 3 * 4096 : 64, &mine, 0);
            MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, infos.data(), sizeof mine, MPI_BYTE,
                          harness_comm());
            for (int rank = 0; rank < nproc(); ++rank) {
                void* remote = ARMCI_Memat(&infos[static_cast<size_t>(rank)], 0);
                if (rank == right()) {
                    ARMCI_PutValueInt(round, remote, rank);
                }
            }
            ARMCI_Barrier();
            int found = -1;
            std::memcpy(&found, mine.addr, sizeof found);
            EXPECT_EQ(found, round);
            sync();
            ARMCI_Memctl(&mine);
            sync();
        }
        const int bytes = round % 3 == 0 ? 20000 : round % 3 == 1 ? 500 : 70000;
        ASSERT_EQ(ARMCI_Malloc(slices.data(), bytes), 0);
        const std::vector<char> source(static_cast<size_t>(bytes), static_cast<char>(me() + 1));
        std::vector<char> found(source.size());
        for (int begin = 0; begin + 100 <= bytes; begin += 100) {
            char* remote = static_cast<char*>(slices[static_cast<size_t>(right())]) + begin;
            ARMCI_Put(const_cast<char*>(source.data()), remote, 100, right());
            ARMCI_Get(remote, found.data() + begin, 100, right());
        }
        expect_same_bytes(source.data(), found.data(), bytes / 100 * 100, "memory made by all");
        ARMCI_Barrier();
        EXPECT_EQ(*static_cast<char*>(slices[static_cast<size_t>(me())]),
                  static_cast<char>(left() + 1));
        ASSERT_EQ(ARMCI_Free(slices[static_cast<size_t>(me())]), 0);
    }
}

// The last allocation covers several earlier ones, and this rank has not been informed that these
// were freed. An allocation takes freed memory of its own size first.
TEST(Memory, MemgetReplacesSeveralFreedOnes) {
    constexpr size_t kBytes = 8192;
    const int creator = nproc() - 1;
    armci_meminfo_t infos[3];
    std::memset(infos, 0, sizeof infos);
    if (me() == creator) {
        ARMCI_Memget(kBytes, &infos[0], 0);
        ARMCI_Memget(kBytes, &infos[1], 0);
    }
    MPI_Bcast(infos, sizeof infos, MPI_BYTE, creator, harness_comm());
    ARMCI_Memat(&infos[0], 0);
    ARMCI_Memat(&infos[1], 0);
    sync();
    if (me() == creator) {
        ARMCI_Memctl(&infos[0]);
        ARMCI_Memctl(&infos[1]);
        ARMCI_Memget(2 * kBytes, &infos[2], 0);
    }
    MPI_Bcast(&infos[2], sizeof infos[2], MPI_BYTE, creator, harness_comm());
    sync();
    if (me() == 0) {
        // From the middle of the former first allocation to the end.
        char* middle = static_cast<char*>(ARMCI_Memat(&infos[2], kBytes / 2));
        std::vector<char> source(3 * kBytes / 2, 'x');
        std::vector<char> found(source.size());
        ARMCI_Put(source.data(), middle, static_cast<int>(source.size()), creator);
        ARMCI_Get(middle, found.data(), static_cast<int>(found.size()), creator);
        expect_same_bytes(source.data(), found.data(), static_cast<int64_t>(found.size()), "all");
        ARMCI_Fence(creator);
    }
    sync();
    if (me() == creator) {
        ARMCI_Memctl(&infos[2]);
    }
    sync();
}

long minor_faults() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt;
}

// Returns the page faults of this rank while it allocates so much, writes all of it and frees it.
long faults_of_one_use(int64_t bytes) {
    const long before = minor_faults();
    std::vector<void*> slices(static_cast<size_t>(nproc()));
    EXPECT_EQ(ARMCI_Malloc(slices.data(), bytes), 0);
    std::memset(slices[static_cast<size_t>(me())], me() + 1, static_cast<size_t>(bytes));
    EXPECT_EQ(ARMCI_Free(slices[static_cast<size_t>(me())]), 0);
    return minor_faults() - before;
}

// Freed memory is kept, so that its next use needs no new pages. That may fail for a while if the
// machine is short of memory, so it is tried again.
TEST(Memory, FreedMemoryIsUsedAgainWithoutPageFaults) {
    constexpr int64_t kPages = 256;
    long most = kPages;
    while (most >= kPages / 4) {
        faults_of_one_use(kPages * 4096);
        most = faults_of_one_use(kPages * 4096);
        MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_LONG, MPI_MAX, harness_comm());
    }
}

// Freed memory is kept with its contents, so zeros in what follows are the library's.
// promise: memory.debug-alloc
TEST(Memory, NewMemoryIsZeroIfAskedFor) {
    const char* asked = std::getenv("ARMCI_DEBUG_ALLOC");
    if (asked == nullptr || std::strcmp(asked, "1") != 0) {
        GTEST_SKIP() << "needs ARMCI_DEBUG_ALLOC=1";
    }
    constexpr int64_t kBytes = 100'000;
    for (int round = 0; round < 5; ++round) {
        GlobalMemory memory(kBytes);
        EXPECT_EQ(std::count(memory.mine(), memory.mine() + kBytes, 0), kBytes);
        std::memset(memory.mine(), 'x', kBytes);
        armci_meminfo_t alone;
        ARMCI_Memget(kBytes, &alone, 0);
        EXPECT_EQ(std::count(alone.addr, alone.addr + kBytes, 0), kBytes);
        std::memset(alone.addr, 'x', kBytes);
        ARMCI_Memctl(&alone);
    }
}

// Free completes operations under way, including gets, whose source no longer exists afterwards.
// promise: free.completes-operations
TEST(Memory, FreeCompletesGets) {
    constexpr int kBytes = 4 << 20;
    for (int round = 0; round < 3; ++round) {
        std::vector<void*> slices(static_cast<size_t>(nproc()));
        ASSERT_EQ(ARMCI_Malloc(slices.data(), kBytes), 0);
        std::memset(slices[static_cast<size_t>(me())], 'a' + round, kBytes);
        ARMCI_Barrier();
        const int target = right();
        std::vector<char> found(kBytes, 0);
        // The rows are too short for direct access, so that the data server packs them.
        int stride[1] = {64};
        int count[2] = {32, kBytes / 64};
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        ARMCI_NbGetS(slices[static_cast<size_t>(target)], stride, found.data(), stride, count, 1,
                     target, &handle);
        EXPECT_EQ(ARMCI_Free(slices[static_cast<size_t>(me())]), 0);
        int64_t wrong = 0;
        for (int64_t i = 0; i < kBytes; ++i) {
            wrong += found[static_cast<size_t>(i)] != (i % 64 < 32 ? 'a' + round : 0) ? 1 : 0;
        }
        EXPECT_EQ(wrong, 0) << "of " << kBytes << " bytes";
        EXPECT_EQ(ARMCI_Wait(&handle), 0);
    }
}

}  // namespace
}  // namespace armci::mp

// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/workloads/sync_workload.h"

#include "armci-bench/workloads/implementation.h"

#include "armci-bench/workloads/armci_api.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <numeric>
#include <thread>
#include <vector>

namespace armci::bench {

namespace {

void clear_own_counter(const Context& context) {
    long* counter = context.arena.counter(context.roles.rank);
    const DirectAccess access(counter);
    *counter = 0;
}

long read_own_counter(const Context& context) {
    long* counter = context.arena.counter(context.roles.rank);
    const DirectAccess access(counter);
    return *counter;
}

// Each rank puts a stamp to its neighbour. Returns 1 if the neighbour's is not here after all ranks
// have come to `meet`, which completes puts, else 0.
template <class Meet>
int64_t count_missing_stamps(const Context& context, long number, Meet&& meet) {
    const Roles& roles = context.roles;
    const int next = (roles.rank + 1) % roles.rank_count;
    const int previous = (roles.rank + roles.rank_count - 1) % roles.rank_count;
    long sent = number * roles.rank_count + roles.rank;
    ARMCI_Put(&sent, context.arena.counter(next), sizeof(sent), next);
    meet();
    return read_own_counter(context) == number * roles.rank_count + previous ? 0 : 1;
}

}  // namespace

void RmwWorkload::prepare() {
    tally_ = Tally{};
    tally_.target = context().roles.target;
    clear_own_counter(context());
}

void RmwWorkload::perform(int64_t count) {
    const int target = context().roles.target;
    long* counter = context().arena.counter(target);
    long word = 0;
    if (context().row.op == Op::swap) {
        for (int64_t i = 0; i < count; i++) {
            const long stored =
                (tally_.operations + i + 1) * context().roles.rank_count + context().roles.rank;
            word = stored;
            ARMCI_Rmw(ARMCI_SWAP_LONG, &word, counter, 0, target);
            tally_.sum_stored += static_cast<unsigned long>(stored);
            tally_.sum_fetched += static_cast<unsigned long>(word);
        }
    } else {
        for (int64_t i = 0; i < count; i++) {
            ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &word, counter, 1, target);
            tally_.sum_fetched += static_cast<unsigned long>(word);
        }
    }
    tally_.operations += count;
}

int64_t RmwWorkload::count_errors() {
    const auto rank_count = static_cast<size_t>(context().roles.rank_count);
    std::vector<Tally> tallies(rank_count);
    MPI_Allgather(&tally_, sizeof(Tally), MPI_BYTE, tallies.data(), sizeof(Tally), MPI_BYTE,
                  world());
    Tally mine;
    for (const Tally& tally : tallies) {
        if (tally.target == context().roles.rank) {
            mine.operations += tally.operations;
            mine.sum_stored += tally.sum_stored;
            mine.sum_fetched += tally.sum_fetched;
        }
    }
    const long found = read_own_counter(context());
    if (context().row.op == Op::swap) {
        // Each value that was stored is fetched once, or is still there.
        return mine.sum_stored == mine.sum_fetched + static_cast<unsigned long>(found) ? 0 : 1;
    }
    // Every value from 0 on is fetched exactly once: they add up to n (n - 1) / 2.
    const auto n = static_cast<unsigned long>(mine.operations);
    const unsigned long sum = n % 2 == 0 ? n / 2 * (n - 1) : n * ((n - 1) / 2);
    const bool right = found == mine.operations && mine.sum_fetched == sum;
    return right ? 0 : 1;
}

FenceWorkload::FenceWorkload(const Context& context)
    : CheckedWorkload(context, Verb::put),
      put_bytes_(static_cast<int>(context.row.shape.total_bytes())) {}

double FenceWorkload::timed(int64_t count) {
    using Clock = std::chrono::steady_clock;
    const int target = context().roles.target;
    if (put_bytes_ == 0) {
        const auto begin = Clock::now();
        for (int64_t i = 0; i < count; i++) {
            ARMCI_Fence(target);
        }
        return std::chrono::duration<double>(Clock::now() - begin).count();
    }
    Clock::duration in_fence{};
    for (int64_t i = 0; i < count; i++) {
        ARMCI_Put(context().arena.local(), context().arena.data(target), put_bytes_, target);
        const auto begin = Clock::now();
        ARMCI_Fence(target);
        in_fence += Clock::now() - begin;
    }
    return std::chrono::duration<double>(in_fence).count();
}

int64_t FenceWorkload::count_errors() {
    return put_bytes_ == 0 ? 0 : CheckedWorkload::count_errors();
}

void BarrierWorkload::prepare() {
    clear_own_counter(context());
}

void BarrierWorkload::perform(int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        ARMCI_Barrier();
    }
}

// A barrier completes every rank's puts without a fence.
int64_t BarrierWorkload::count_errors() {
    return count_missing_stamps(context(), ++stamp_, [] { ARMCI_Barrier(); });
}

GroupBarrierWorkload::~GroupBarrierWorkload() {
    if (has_group_) {
        ARMCI_Group_free(&group_);
    }
}

void GroupBarrierWorkload::prepare() {
    clear_own_counter(context());
    std::vector<int> ranks(static_cast<size_t>(context().roles.rank_count));
    std::iota(ranks.begin(), ranks.end(), 0);
    ARMCI_Group_create(context().roles.rank_count, ranks.data(), &group_);
    has_group_ = true;
}

void GroupBarrierWorkload::perform(int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        armci_msg_group_barrier(&group_);
    }
}

int64_t GroupBarrierWorkload::count_errors() {
    return count_missing_stamps(context(), ++stamp_, [&] {
        ARMCI_AllFence();
        armci_msg_group_barrier(&group_);
    });
}

void MpiBarrierWorkload::perform(int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        MPI_Barrier(world());
    }
}

void FlagBarrierWorkload::prepare() {
    void* own = nullptr;
    MPI_Win_allocate_shared(sizeof(Flag), sizeof(Flag), MPI_INFO_NULL, world(), &own, &window_);
    new (own) Flag{};
    MPI_Aint bytes = 0;
    int unit = 0;
    MPI_Win_shared_query(window_, 0, &bytes, &unit, &flags_);
    MPI_Barrier(world());
}

FlagBarrierWorkload::~FlagBarrierWorkload() {
    if (window_ != MPI_WIN_NULL) {
        MPI_Win_free(&window_);
    }
}

int64_t FlagBarrierWorkload::lowest() const {
    int64_t lowest = INT64_MAX;
    for (int rank = 0; rank < context().roles.rank_count; rank++) {
        lowest = std::min(lowest, flags_[rank].raised.load(std::memory_order_acquire));
    }
    return lowest;
}

void FlagBarrierWorkload::perform(int64_t count) {
    constexpr int kSpins = 1000;  // then the others may need this processor
    for (int64_t i = 0; i < count; i++) {
        count_++;
        flags_[context().roles.rank].raised.store(count_, std::memory_order_release);
        for (int spins = 0; lowest() < count_; spins++) {
            if (spins > kSpins) {
                sched_yield();
            }
        }
    }
}

int64_t FlagBarrierWorkload::count_errors() {
    perform(1);
    return lowest() >= count_ ? 0 : 1;
}

void LockWorkload::prepare() {
    clear_own_counter(context());
    created_ = ARMCI_Create_mutexes(1) == 0;
}

LockWorkload::~LockWorkload() {
    if (created_) {
        ARMCI_Destroy_mutexes();
    }
}

void LockWorkload::perform(int64_t count) {
    const int target = context().roles.target;
    long* counter = context().arena.counter(target);
    for (int64_t i = 0; i < count; i++) {
        ARMCI_Lock(0, target);
        long value = 0;
        ARMCI_Get(counter, &value, sizeof value, target);
        value++;
        ARMCI_Put(&value, counter, sizeof value, target);
        ARMCI_Fence(target);
        ARMCI_Unlock(0, target);
    }
    added_ += count;
}

double LockWorkload::timed(int64_t count) {
    const int target = context().roles.target;
    const auto begin = std::chrono::steady_clock::now();
    for (int64_t i = 0; i < count; i++) {
        ARMCI_Lock(0, target);
        ARMCI_Unlock(0, target);
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

int64_t LockWorkload::count_errors() {
    const auto rank_count = static_cast<size_t>(context().roles.rank_count);
    std::vector<int64_t> added(rank_count, 0);
    if (context().roles.acts()) {
        added[static_cast<size_t>(context().roles.target)] = added_;
    }
    MPI_Allreduce(MPI_IN_PLACE, added.data(), context().roles.rank_count, MPI_INT64_T, MPI_SUM,
                  world());
    const int64_t mine = added[static_cast<size_t>(context().roles.rank)];
    return created_ && read_own_counter(context()) == mine ? 0 : 1;
}

void FairnessWorkload::prepare() {
    clear_own_counter(context());
    created_ = ARMCI_Create_mutexes(1) == 0;
}

FairnessWorkload::~FairnessWorkload() {
    if (created_) {
        ARMCI_Destroy_mutexes();
    }
}

void FairnessWorkload::perform(int64_t count) {
    const int target = context().roles.target;
    long* counter = context().arena.counter(target);
    last_ += count * context().roles.actor_count;
    share_ = 0;
    for (long value = 0; value < last_;) {
        ARMCI_Lock(0, target);
        ARMCI_Get(counter, &value, sizeof value, target);
        if (value < last_) {
            value++;
            ARMCI_Put(&value, counter, sizeof value, target);
            share_++;
        }
        if (context().options.hold_us > 0) {
            std::this_thread::sleep_for(std::chrono::microseconds(context().options.hold_us));
        }
        ARMCI_Unlock(0, target);
    }
    added_ += share_;
}

int64_t FairnessWorkload::count_errors() {
    long all = added_;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_LONG, MPI_SUM, world());
    const bool is_target = context().roles.rank == context().roles.target;
    const bool right = all == last_ && (!is_target || read_own_counter(context()) == last_);
    return created_ && right ? 0 : 1;
}

void MallocWorkload::perform(int64_t count) {
    const int64_t bytes = context().row.shape.total_bytes();
    std::vector<void*> bases(static_cast<size_t>(context().roles.rank_count));
    for (int64_t i = 0; i < count; i++) {
        ARMCI_Malloc(bases.data(), bytes);
        void* own = bases[static_cast<size_t>(context().roles.rank)];
        if (context().row.op == Op::malloc_write_free) {
            const DirectAccess access(own);
            std::memset(own, static_cast<int>(i), static_cast<size_t>(bytes));
        }
        ARMCI_Free(own);
    }
}

int64_t MallocWorkload::count_errors() {
    const Roles& roles = context().roles;
    std::vector<void*> bases(static_cast<size_t>(roles.rank_count));
    const int64_t bytes = context().row.shape.total_bytes();
    if (ARMCI_Malloc(bases.data(), bytes) != 0) {
        return 1;
    }
    const int next = (roles.rank + 1) % roles.rank_count;
    const int previous = (roles.rank + roles.rank_count - 1) % roles.rank_count;
    const auto last_word = static_cast<size_t>(bytes) / sizeof(long) - 1;
    long sent = roles.rank + 1;
    ARMCI_Put(&sent, static_cast<long*>(bases[static_cast<size_t>(next)]) + last_word, sizeof sent,
              next);
    ARMCI_Barrier();
    void* own = bases[static_cast<size_t>(roles.rank)];
    long found = 0;
    {
        const DirectAccess access(own);
        found = static_cast<long*>(own)[last_word];
    }
    ARMCI_Barrier();
    ARMCI_Free(own);
    return found == previous + 1 ? 0 : 1;
}

}  // namespace armci::bench

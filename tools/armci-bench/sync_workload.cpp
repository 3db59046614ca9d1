#include "armci-bench/sync_workload.h"

#include "armci-bench/implementation.h"

#include "armci-bench/armci_api.h"

#include <chrono>
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
    // Every value from 0 on is handed out exactly once: they add up to n (n - 1) / 2.
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

// A barrier completes every rank's puts: each sends its neighbour a stamp that no fence follows.
int64_t BarrierWorkload::count_errors() {
    const Roles& roles = context().roles;
    const int next = (roles.rank + 1) % roles.rank_count;
    const int previous = (roles.rank + roles.rank_count - 1) % roles.rank_count;
    stamp_++;
    long sent = stamp_ * roles.rank_count + roles.rank;
    ARMCI_Put(&sent, context().arena.counter(next), sizeof(sent), next);
    ARMCI_Barrier();
    return read_own_counter(context()) == stamp_ * roles.rank_count + previous ? 0 : 1;
}

}  // namespace armci::bench

// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a simulated job do, and what they may expect: a random mix of all operations of
// the C interface, with an oracle that decides every byte.
//
// Of every slice each origin has a part of its own, where no other rank writes: it knows at any
// time what must be there. Beside the parts lie words and sums that all origins change together, by
// operations whose result does not depend on their order.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <set>
#include <vector>

#include "job.h"
#include "meetings.h"
#include "simulation.h"
#include "transfer_pattern.h"

namespace armci::sim {

class Program {
  public:
    // For one life of the job.
    Program(Job& job, int life);

    void run(int rank);
    // After every turn of a rank or server: mutexes as they are in memory.
    void watch_mutexes();

  private:
    // Words of a slice that all origins change.
    struct Words {
        int64_t counter = 0;      // fetch and add
        int64_t swapped = 0;      // swap
        int64_t guarded[2] = {};  // by the mutex of that number
        int32_t small_counter = 0;
        int32_t flag = 0;
    };
    // A non-blocking operation that is not waited for yet.
    struct Pending {
        test::Operation operation;
        test::Pattern pattern;
        int target = 0;
        int segment = 0;
        int64_t begin = 0;  // in the part
        int64_t end = 0;
        std::vector<char> local;
        std::vector<char> wanted;  // of a get
        void* handle = nullptr;    // nullptr: implicit
    };
    struct Rank {
        Random random;
        std::vector<std::vector<void*>> slices;                // by segment, by target
        std::vector<std::vector<std::vector<char>>> expected;  // of the part, likewise
        std::unique_ptr<char, decltype(&std::free)> own{nullptr, std::free};  // and attached
        std::vector<std::unique_ptr<Pending>> pending;
        std::vector<int64_t> fetched;  // of counters
        int swaps = 0;
        std::vector<char> last;  // source of puts that are under way at the stop
    };
    struct MutexState {
        int owner = 0;
        int number = 0;
        const node::Mutex* memory = nullptr;
        int32_t holder = -1;  // at the end of the last turn
        std::vector<int32_t> waiting;
        int inside = -1;  // rank that has the lock, as that rank sees it
        int64_t entered = 0;
    };

    Rank& rank(int number) { return ranks_[static_cast<size_t>(number)]; }
    int size() const { return job_.plan().rank_count(); }
    // Segments, the attached memory among them: it is the last.
    int segments() const { return job_.plan().segments + (job_.plan().attaches ? 1 : 0); }
    int64_t slice_bytes() const;
    char* part(int origin, int segment, int target);
    char* sums(int origin, int target);
    Words* words(int origin, int target);
    std::vector<char>& expected(int origin, int segment, int target);
    int64_t pick(int me, int64_t low, int64_t high) {
        return test::draw(rank(me).random, low, high);
    }
    bool often(int me, int64_t per_mille) { return pick(me, 0, 999) < per_mille; }

    void set_up(int me);
    void tear_down(int me);
    void leave_all(int me);
    void attach(int me);
    void do_something(int me);
    void transfer(int me);
    void window(int me);
    void fenced_puts(int me);
    void short_put_behind_long_one(int me);
    void put_flag_only(int me, int segment, int target);
    void carry_out(int me, std::unique_ptr<Pending> made, bool is_blocking);
    void see_arrive(int me, int segment, int target);
    void accumulate_sum(int me);
    void count_up(int me);
    void swap(int me);
    void critical_section(int me);
    void fence(int me);
    void compute(int me);
    void pass_on(int me, int64_t phase);
    void end_phase(int me, int64_t phase);

    test::Pattern make_pattern(int me, const test::Operation& operation, int64_t max_bytes);
    void issue(int me, const test::Operation& operation, const test::Pattern& pattern, char* local,
               char* remote, int target, bool is_blocking, void* handle);
    bool conflicts(int me, const Pending& wanted);
    void wait_for_something(int me);
    void wait_for_pending(int me, size_t index);
    void settle(int me, const Pending& pending);
    void settle_all(int me);
    void settle_target(int me, int target);
    // After a fence of that rank, or of all.
    void settle_fenced(int me, int target);
    void settle_all_fenced(int me);
    void check_part(int me, int segment, int target, const char* when);
    void check_parts_on(int me, int target, const char* when);
    void check_all_parts(int me, const char* when);
    void check_sums_and_words(int me);

    Job& job_;
    std::vector<Rank> ranks_;
    std::vector<std::vector<char>> sums_;           // expected, by target
    std::vector<int64_t> counted_, counted_small_;  // by target
    std::vector<std::multiset<int64_t>> swapped_in_, swapped_out_;
    std::vector<MutexState> mutexes_;
    int with_mutexes_ = 0;  // ranks that have created them
    int64_t next_swap_ = 1;
    uint64_t phase_ends_ = 0;
    Meetings meetings_;
};

}  // namespace armci::sim

// SPDX-License-Identifier: BSD-3-Clause
// The parts of litmus tests: words in every kind of memory of every rank, ways to change and to
// read them that take every route, and random delays.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "armci/armci.h"
#include "support/global_memory.h"

namespace armci::mp {

// Two allocations, which may be at different data servers, and attached memory.
enum class Area { first, second, attached };
inline constexpr int kAreas = 3;

// Consecutive words of one rank.
struct Place {
    int rank = 0;
    Area area = Area::first;
    int64_t word = 0;
};

// Ways to change words. After each of them the change is complete in the program order of its
// origin: it was blocking or has been waited for.
enum class Change {
    put,
    put_waited,
    put_tested,
    put_implicit,
    put_strided,
    put_vector,
    put_aggregate,
    acc,
    acc_waited,
    acc_strided,
    acc_vector,
    // Only for one word.
    put_value,
    rmw_swap,
    rmw_add,
};
bool is_of_one_word(Change change);
const char* name_of(Change change);
Change random_change(Rng& rng, int64_t words);

// Ways to change one int that announces something.
enum class Signal { put, put_waited, put_value, put_flag, acc, rmw_add, rmw_swap };
const char* name_of(Signal signal);
Signal random_signal(Rng& rng);

// Ways to read. Plain loads are possible where the reader maps the memory.
enum class Look { get, get_waited, get_strided, loads };
const char* name_of(Look look);

class Board {
  public:
    // Collective. All words are zero.
    explicit Board(int64_t words);

    Place random_place(Rng& rng, int rank, int64_t word) const;
    std::string describe(const Place& place) const;
    void* at(const Place& place) const;
    bool is_mapped_here(const Place& place) const;
    // One that is possible here, chosen at random.
    Look random_look(Rng& rng, const Place& place) const;

    // Collective: nothing is under way any more, and all words are zero.
    void clear();

    // Changes `words` words that are all `from` to `to`.
    void change(const Place& place, Change change, int64_t words, long from, long to);
    // Starts the same change without waiting for it. finish_started() waits for it.
    void start_change(const Place& place, bool by_acc, int64_t words, long from, long to);
    void finish_started();
    // Changes an int that is 0 to `value`.
    void signal(const Place& place, Signal signal, int value);

    // Reads words or an int once.
    void read(const Place& place, Look look, int64_t words, long* words_read);
    int read_int(const Place& place, Look look);
    long read_word(const Place& place, Look look);
    // Reads until the int is `value`.
    void await(const Place& place, Look look, int value);

    // Adds a failure unless all words are `value`.
    bool expect_all(const Place& place, Look look, int64_t words, long value,
                    const std::string& what);

    // A put to a rank's scratch memory: where routes alternate, the next operation takes the other
    // route.
    void take_a_turn(int rank);
    // Does nothing, pauses, yields, naps, or makes calls of the library that are not part of the
    // test.
    void delay(Rng& rng);

  private:
    void issue_block(const Place& place, Change change, int64_t words, const long* source);

    std::array<GlobalMemory, kAreas> areas_;
    GlobalMemory scratch_;
    int64_t words_;
    std::vector<long> source_;
    std::vector<std::vector<long>> started_;  // sources of operations under way
};

}  // namespace armci::mp

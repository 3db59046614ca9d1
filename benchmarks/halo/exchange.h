// SPDX-License-Identifier: BSD-3-Clause
// One step of a halo exchange: each rank gives a strip of its part to the neighbour at each of its
// four sides and gets the neighbour's. The ways to do so differ in who moves the strip, and in how
// a rank learns that its own are there.
//
// Strips have two sets of buffers that steps use in turn. No rank is more than one step ahead of
// its neighbours, so a set is not written while it is still read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "grid.h"

namespace armci::halo {

enum class Algorithm {
    put_notify,   // a put to each neighbour and a notification behind it
    put_barrier,  // non-blocking puts, a fence, a barrier of all ranks
    get,          // a barrier of all ranks, then non-blocking gets
    isend,        // MPI_Irecv and MPI_Isend
};
inline constexpr int kAlgorithms = 4;

const char* name_of(Algorithm algorithm);
// Returns false if there is none of that name.
bool parse_algorithm(const std::string& name, Algorithm* algorithm);

class Exchange {
  public:
    // Collective over all ranks, as is the destructor. `max_bytes` is of the longest strip.
    Exchange(int rank, int rank_count, int64_t max_bytes);
    ~Exchange();
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    // Makes so many steps. In each, a rank writes the first and the last word of the strips that it
    // gives, and looks at those of the strips that it gets.
    void make_steps(Algorithm algorithm, int64_t bytes, int64_t count);
    // Makes one step, and writes and compares every word.
    void make_checked_step(Algorithm algorithm, int64_t bytes);
    // Returns how many wrong words this rank has found.
    int64_t error_count() const { return errors_; }

  private:
    enum class Words { ends, all };

    int64_t* given(int rank, int side) const;
    int64_t* got(int rank, int side) const;
    int64_t* strip(int rank, int index) const;
    void write_strips(int64_t bytes, Words words);
    void compare_strips(int64_t bytes, Words words);
    void step(Algorithm algorithm, int64_t bytes, Words words);
    void put_and_notify(int64_t bytes);
    void put_and_meet(int64_t bytes);
    void meet_and_get(int64_t bytes);
    void send_and_receive(int64_t bytes);

    int rank_;
    Grid grid_;
    int64_t strip_words_;
    std::vector<void*> slices_;
    int64_t step_ = 0;
    int64_t errors_ = 0;
};

}  // namespace armci::halo

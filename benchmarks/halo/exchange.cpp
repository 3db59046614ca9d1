// SPDX-License-Identifier: BSD-3-Clause
#include "exchange.h"

#include <mpi.h>

#include "armci/armci.h"

namespace armci::halo {
namespace {

constexpr const char* kNames[kAlgorithms] = {"put+notify", "put+fence+barrier", "get", "isend"};

// What a rank writes into a strip differs by rank, side, step and place.
int64_t word_of(int rank, int side, int64_t step, int64_t place) {
    return ((step * 4096 + rank) * kSides + side) * 1'000'003 + place;
}

// Calls f(place) for the words of a strip that count.
template <class Function>
void for_each_word(int64_t count, bool all, Function&& f) {
    for (int64_t place = 0; place < count; place += all || count == 1 ? 1 : count - 1) {
        f(place);
    }
}

}  // namespace

const char* name_of(Algorithm algorithm) {
    return kNames[static_cast<int>(algorithm)];
}

bool parse_algorithm(const std::string& name, Algorithm* algorithm) {
    for (int i = 0; i < kAlgorithms; ++i) {
        if (name == kNames[i]) {
            *algorithm = static_cast<Algorithm>(i);
            return true;
        }
    }
    return false;
}

Exchange::Exchange(int rank, int rank_count, int64_t max_bytes)
    : rank_(rank),
      grid_(rank, rank_count),
      // Strips do not share cache lines.
      strip_words_((max_bytes + 63) / 64 * 64 / static_cast<int64_t>(sizeof(int64_t))),
      slices_(static_cast<size_t>(rank_count)) {
    const int64_t bytes = 4 * kSides * strip_words_ * static_cast<int64_t>(sizeof(int64_t));
    if (ARMCI_Malloc(slices_.data(), bytes) != 0) {
        ARMCI_Error("halo: no memory for the strips; use shorter ones (--sizes)", 1);
    }
}

Exchange::~Exchange() {
    ARMCI_Free(slices_[static_cast<size_t>(rank_)]);
}

int64_t* Exchange::strip(int rank, int index) const {
    return static_cast<int64_t*>(slices_[static_cast<size_t>(rank)]) + index * strip_words_;
}

// The sets change with each step.
int64_t* Exchange::given(int rank, int side) const {
    return strip(rank, static_cast<int>(step_ % 2) * 2 * kSides + side);
}

int64_t* Exchange::got(int rank, int side) const {
    return strip(rank, static_cast<int>(step_ % 2) * 2 * kSides + kSides + side);
}

void Exchange::write_strips(int64_t bytes, Words words) {
    for (int side = 0; side < kSides; ++side) {
        int64_t* strip = given(rank_, side);
        for_each_word(bytes / 8, words == Words::all,
                      [&](int64_t place) { strip[place] = word_of(rank_, side, step_, place); });
    }
}

void Exchange::compare_strips(int64_t bytes, Words words) {
    for (int side = 0; side < kSides; ++side) {
        const int64_t* strip = got(rank_, side);
        const int from = grid_.neighbours[static_cast<size_t>(side)];
        for_each_word(bytes / 8, words == Words::all, [&](int64_t place) {
            errors_ += strip[place] != word_of(from, opposite(side), step_, place) ? 1 : 0;
        });
    }
}

void Exchange::put_and_notify(int64_t bytes) {
    for (int side = 0; side < kSides; ++side) {
        const int to = grid_.neighbours[static_cast<size_t>(side)];
        ARMCI_Put(given(rank_, side), got(to, opposite(side)), static_cast<int>(bytes), to);
        armci_notify(to);
    }
    for (const int from : grid_.neighbours) {
        int waited = 0;
        armci_notify_wait(from, &waited);
    }
}

void Exchange::put_and_meet(int64_t bytes) {
    for (int side = 0; side < kSides; ++side) {
        const int to = grid_.neighbours[static_cast<size_t>(side)];
        ARMCI_NbPut(given(rank_, side), got(to, opposite(side)), static_cast<int>(bytes), to,
                    nullptr);
    }
    ARMCI_AllFence();
    ARMCI_Barrier();
}

void Exchange::meet_and_get(int64_t bytes) {
    ARMCI_Barrier();
    for (int side = 0; side < kSides; ++side) {
        const int from = grid_.neighbours[static_cast<size_t>(side)];
        ARMCI_NbGet(given(from, opposite(side)), got(rank_, side), static_cast<int>(bytes), from,
                    nullptr);
    }
    ARMCI_WaitAll();
}

void Exchange::send_and_receive(int64_t bytes) {
    MPI_Request requests[2 * kSides];
    for (int side = 0; side < kSides; ++side) {
        // The tag is the sender's side.
        MPI_Irecv(got(rank_, side), static_cast<int>(bytes), MPI_BYTE,
                  grid_.neighbours[static_cast<size_t>(side)], opposite(side), MPI_COMM_WORLD,
                  &requests[side]);
    }
    for (int side = 0; side < kSides; ++side) {
        MPI_Isend(given(rank_, side), static_cast<int>(bytes), MPI_BYTE,
                  grid_.neighbours[static_cast<size_t>(side)], side, MPI_COMM_WORLD,
                  &requests[kSides + side]);
    }
    MPI_Waitall(2 * kSides, requests, MPI_STATUSES_IGNORE);
}

void Exchange::step(Algorithm algorithm, int64_t bytes, Words words) {
    write_strips(bytes, words);
    switch (algorithm) {
        case Algorithm::put_notify:
            put_and_notify(bytes);
            break;
        case Algorithm::put_barrier:
            put_and_meet(bytes);
            break;
        case Algorithm::get:
            meet_and_get(bytes);
            break;
        case Algorithm::isend:
            send_and_receive(bytes);
            break;
    }
    compare_strips(bytes, words);
    ++step_;
}

void Exchange::make_steps(Algorithm algorithm, int64_t bytes, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
        step(algorithm, bytes, Words::ends);
    }
}

void Exchange::make_checked_step(Algorithm algorithm, int64_t bytes) {
    ARMCI_Barrier();  // the ways to exchange do not order their steps against each other's
    step(algorithm, bytes, Words::all);
    ARMCI_Barrier();
}

}  // namespace armci::halo

// SPDX-License-Identifier: BSD-3-Clause
#include "litmus_board.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <time.h>

#include <atomic>
#include <cstring>

#include "armci/armcix.h"
#include "support/transfer.h"

namespace armci::mp {
namespace {

constexpr int64_t kWordBytes = sizeof(long);
constexpr int64_t kScratchBytes = 64;

int byte_count(int64_t words) {
    return static_cast<int>(words * kWordBytes);
}

Completion completion_of(Change change) {
    switch (change) {
        case Change::put_waited:
        case Change::acc_waited:
            return Completion::handle_wait;
        case Change::put_tested:
            return Completion::handle_test;
        case Change::put_implicit:
            return Completion::implicit_wait_proc;
        default:
            return Completion::blocking;
    }
}

bool is_acc(Change change) {
    return change == Change::acc || change == Change::acc_waited || change == Change::acc_strided ||
           change == Change::acc_vector;
}

// Every other word, and then the rest.
std::vector<Shape> combs(int64_t words) {
    std::vector<Shape> shapes;
    for (int64_t first = 0; first < 2 && first < words; ++first) {
        const auto count = static_cast<int>((words - first + 1) / 2);
        shapes.push_back(strided_shape(first * kWordBytes, {2 * kWordBytes}, first * kWordBytes,
                                       {2 * kWordBytes}, {kWordBytes, count}));
    }
    return shapes;
}

std::vector<Shape> shapes_of(Change change, int64_t words) {
    if (change == Change::put_strided || change == Change::acc_strided) {
        return combs(words);
    }
    if (change == Change::put_vector || change == Change::acc_vector) {
        std::vector<Piece> pieces;
        for (int64_t i = words; i-- > 0;) {
            pieces.push_back({i * kWordBytes, i * kWordBytes, kWordBytes});
        }
        return {vector_shape(pieces)};
    }
    return {contiguous_shape(0, 0, words * kWordBytes)};
}

// Pieces of one block with a handle that joins them.
void put_aggregate(const long* source, char* remote, int64_t words, int rank) {
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_SET_AGGREGATE_HANDLE(&handle);
    const int64_t half = words / 2;
    ARMCI_NbPut(const_cast<long*>(source) + half, remote + half * kWordBytes,
                byte_count(words - half), rank, &handle);
    ARMCI_NbPut(const_cast<long*>(source), remote, byte_count(half), rank, &handle);
    ARMCI_Wait(&handle);
    ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
}

void pause_for(int64_t spins) {
    for (int64_t i = 0; i < spins; ++i) {
        std::atomic_signal_fence(std::memory_order_seq_cst);
    }
}

}  // namespace

bool is_of_one_word(Change change) {
    return change >= Change::put_value;
}

const char* name_of(Change change) {
    constexpr const char* kNames[] = {
        "put",        "nb put, wait", "nb put, test", "implicit nb put", "strided put",
        "vector put", "aggregate",    "acc",          "nb acc, wait",    "strided acc",
        "vector acc", "value put",    "rmw swap",     "rmw add"};
    return kNames[static_cast<int>(change)];
}

Change random_change(Rng& rng, int64_t words) {
    const Change last = words == 1 ? Change::rmw_add : Change::acc_vector;
    return static_cast<Change>(rng.between(0, static_cast<int>(last)));
}

const char* name_of(Signal signal) {
    constexpr const char* kNames[] = {"put", "nb put, wait", "value put", "put flag",
                                      "acc", "rmw add",      "rmw swap"};
    return kNames[static_cast<int>(signal)];
}

Signal random_signal(Rng& rng) {
    return static_cast<Signal>(rng.between(0, static_cast<int>(Signal::rmw_swap)));
}

const char* name_of(Look look) {
    constexpr const char* kNames[] = {"get", "nb get, wait", "strided get", "loads"};
    return kNames[static_cast<int>(look)];
}

Board::Board(int64_t words)
    : areas_{{GlobalMemory(words * kWordBytes, MemoryKind::allocated),
              GlobalMemory(words * kWordBytes, MemoryKind::allocated),
              GlobalMemory(words * kWordBytes, MemoryKind::attached)}},
      scratch_(kScratchBytes * nproc()),
      words_(words) {
    clear();
}

Place Board::random_place(Rng& rng, int rank, int64_t word) const {
    return {rank, static_cast<Area>(rng.between(0, kAreas - 1)), word};
}

std::string Board::describe(const Place& place) const {
    constexpr const char* kNames[] = {"first", "second", "attached"};
    return std::string(kNames[static_cast<int>(place.area)]) + " memory of rank " +
           std::to_string(place.rank);
}

void* Board::at(const Place& place) const {
    return areas_[static_cast<size_t>(place.area)].at(place.rank, place.word * kWordBytes);
}

bool Board::is_mapped_here(const Place& place) const {
    return place.rank == me() ||
           (place.area != Area::attached && ARMCIX_Node(place.rank) == ARMCIX_Node(me()));
}

Look Board::random_look(Rng& rng, const Place& place) const {
    const Look last = is_mapped_here(place) ? Look::loads : Look::get_strided;
    return static_cast<Look>(rng.between(0, static_cast<int>(last)));
}

void Board::clear() {
    finish_started();
    ARMCI_AllFence();
    sync();
    for (const GlobalMemory& area : areas_) {
        std::memset(area.mine(), 0, static_cast<size_t>(words_ * kWordBytes));
    }
    sync();
}

void Board::issue_block(const Place& place, Change change, int64_t words, const long* source) {
    Transfer transfer;
    transfer.verb = is_acc(change) ? Verb::acc : Verb::put;
    transfer.type = ARMCI_ACC_LNG;
    transfer.scale = unit_scale(element_type(ARMCI_ACC_LNG));
    for (const Shape& shape : shapes_of(change, words)) {
        transfer.shape = shape;
        run(transfer, reinterpret_cast<char*>(const_cast<long*>(source)),
            static_cast<char*>(at(place)), place.rank, completion_of(change));
    }
}

void Board::change(const Place& place, Change change, int64_t words, long from, long to) {
    auto* remote = static_cast<char*>(at(place));
    long swapped = to;
    switch (change) {
        case Change::put_value:
            ARMCI_PutValueLong(to, remote, place.rank);
            return;
        case Change::rmw_swap:
            ARMCI_Rmw(ARMCI_SWAP_LONG, &swapped, remote, 0, place.rank);
            EXPECT_EQ(swapped, from) << "swapped in " << describe(place);
            return;
        case Change::rmw_add:
            ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &swapped, remote, static_cast<int>(to - from),
                      place.rank);
            EXPECT_EQ(swapped, from) << "added to in " << describe(place);
            return;
        default:
            break;
    }
    source_.assign(static_cast<size_t>(words), is_acc(change) ? to - from : to);
    if (change == Change::put_aggregate) {
        put_aggregate(source_.data(), remote, words, place.rank);
    } else {
        issue_block(place, change, words, source_.data());
    }
    // Local completion: the buffer belongs to the caller again.
    source_.assign(static_cast<size_t>(words), -1);
}

void Board::start_change(const Place& place, bool by_acc, int64_t words, long from, long to) {
    started_.emplace_back(static_cast<size_t>(words), by_acc ? to - from : to);
    long* source = started_.back().data();
    long one = 1;
    if (by_acc) {
        ARMCI_NbAcc(ARMCI_ACC_LNG, &one, source, at(place), byte_count(words), place.rank, nullptr);
    } else {
        ARMCI_NbPut(source, at(place), byte_count(words), place.rank, nullptr);
    }
}

void Board::finish_started() {
    ARMCI_WaitAll();
    started_.clear();
}

void Board::signal(const Place& place, Signal signal, int value) {
    int* flag = static_cast<int*>(at(place));
    int operand = value;
    int one = 1;
    armci_hdl_t handle;
    switch (signal) {
        case Signal::put:
            ARMCI_Put(&operand, flag, sizeof operand, place.rank);
            return;
        case Signal::put_waited:
            ARMCI_INIT_HANDLE(&handle);
            ARMCI_NbPut(&operand, flag, sizeof operand, place.rank, &handle);
            ARMCI_Wait(&handle);
            return;
        case Signal::put_value:
            ARMCI_PutValueInt(value, flag, place.rank);
            return;
        case Signal::put_flag:
            // The word after the flag is not used.
            ARMCI_Put_flag(&operand, flag + 1, sizeof operand, flag, value, place.rank);
            return;
        case Signal::acc:
            ARMCI_Acc(ARMCI_ACC_INT, &one, &operand, flag, sizeof operand, place.rank);
            return;
        case Signal::rmw_add:
            ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &operand, flag, value, place.rank);
            EXPECT_EQ(operand, 0);
            return;
        case Signal::rmw_swap:
            ARMCI_Rmw(ARMCI_SWAP, &operand, flag, 0, place.rank);
            EXPECT_EQ(operand, 0);
            return;
    }
}

void Board::read(const Place& place, Look look, int64_t words, long* words_read) {
    auto* remote = static_cast<char*>(at(place));
    auto* local = reinterpret_cast<char*>(words_read);
    Transfer transfer;
    transfer.verb = Verb::get;
    transfer.shape = contiguous_shape(0, 0, words * kWordBytes);
    switch (look) {
        case Look::get:
            run(transfer, local, remote, place.rank, Completion::blocking);
            return;
        case Look::get_waited:
            run(transfer, local, remote, place.rank, Completion::handle_wait);
            return;
        case Look::get_strided:
            for (const Shape& shape : combs(words)) {
                transfer.shape = shape;
                run(transfer, local, remote, place.rank, Completion::blocking);
            }
            return;
        case Look::loads:
            for (int64_t i = 0; i < words; ++i) {
                words_read[i] =
                    __atomic_load_n(static_cast<long*>(at(place)) + i, __ATOMIC_ACQUIRE);
            }
            return;
    }
}

int Board::read_int(const Place& place, Look look) {
    int value = 0;
    const long word = read_word(place, look);
    std::memcpy(&value, &word, sizeof value);
    return value;
}

long Board::read_word(const Place& place, Look look) {
    long word = 0;
    read(place, look, 1, &word);
    return word;
}

void Board::await(const Place& place, Look look, int value) {
    while (read_int(place, look) != value) {
        sched_yield();
    }
}

bool Board::expect_all(const Place& place, Look look, int64_t words, long value,
                       const std::string& what) {
    std::vector<long> seen(static_cast<size_t>(words), -1);
    read(place, look, words, seen.data());
    for (int64_t i = 0; i < words; ++i) {
        if (seen[static_cast<size_t>(i)] != value) {
            ADD_FAILURE() << what << ": word " << i << " of " << words << " in " << describe(place)
                          << ", read by " << name_of(look) << ", is "
                          << seen[static_cast<size_t>(i)] << " instead of " << value;
            return false;
        }
    }
    return true;
}

void Board::take_a_turn(int rank) {
    long word = 0;
    ARMCI_Put(&word, scratch_.at(rank, kScratchBytes * me()), sizeof word, rank);
}

void Board::delay(Rng& rng) {
    const int64_t dice = rng.between(0, 99);
    const int other = static_cast<int>(rng.between(0, nproc() - 1));
    long word = 0;
    if (dice < 40) {
        return;
    }
    if (dice < 60) {
        pause_for(rng.between(1, 3000));
    } else if (dice < 75) {
        for (int64_t i = rng.between(1, 4); i > 0; --i) {
            sched_yield();
        }
    } else if (dice < 77) {
        const timespec nap{0, rng.between(1'000, 60'000)};
        nanosleep(&nap, nullptr);
    } else if (dice < 82) {
        ARMCIX_Progress();
    } else if (dice < 85) {
        ARMCI_Fence(other);
    } else if (dice < 93) {
        take_a_turn(other);
    } else {
        ARMCI_Get(scratch_.at(other, kScratchBytes * me()), &word, sizeof word, other);
    }
}

}  // namespace armci::mp

// SPDX-License-Identifier: BSD-3-Clause
// What this rank has written to others since ranks last compared notes, and who wrote the same
// bytes.
//
// A write is open from its call until its origin's next call that may tell somebody of it: a fence
// or a notification, say. Two writes of different origins are certainly unordered when each began
// before the other was closed, whatever else the program does to synchronise; nothing less is
// reported. Times of ranks on one host come from one clock. Between hosts only writes count that
// are both still open when notes are compared.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "check/rows.h"

namespace armci::check {

// Travels between ranks.
struct Write {
    static constexpr int64_t kOpen = INT64_MAX;
    static constexpr int kNameBytes = 24;

    Row place;             // in the target's memory
    int64_t began_ns = 0;  // when its call began
    int64_t closed_ns = kOpen;
    uint64_t host = 0;   // whose clock these are
    int32_t origin = 0;  // world rank
    bool adds = false;   // accumulates do not conflict with each other
    bool was_compared = false;
    char padding[2] = {};
    char function[kNameBytes] = {};  // the public name, for messages

    bool is_open() const { return closed_ns == kOpen; }
};
static_assert(std::is_trivially_copyable_v<Write>);

class WriteLog {
  public:
    // Of all targets together; what comes when there are as many is counted only.
    static constexpr size_t kMax = 1 << 16;
    // What all ranks of a job may have written to one that compares them, unless they are very
    // many.
    static constexpr size_t kMaxReceived = 1 << 18;
    static constexpr size_t kMinPerTarget = 64;

    explicit WriteLog(int rank_count)
        : max_per_target_(std::max(kMinPerTarget, kMaxReceived / static_cast<size_t>(rank_count))) {
    }

    // A write that begins now. It is joined with the one before where that continues.
    void add(int target, const Write& write);
    // The origin's next call may tell somebody of what it has written to that target, or to all.
    void close(int target, int64_t now_ns);
    void close_all(int64_t now_ns);

    size_t size() const { return size_; }
    // How many were not taken, since this was asked before.
    size_t take_left_out() { return std::exchange(left_out_, 0); }
    // Calls f(target, const Write&) for all, by target in ascending order.
    template <class Function>
    void for_each(int target_count, Function&& f) const {
        for (int target = 0; target < target_count; ++target) {
            const auto found = targets_.find(target);
            if (found != targets_.end()) {
                for (const Write& write : found->second.writes) {
                    f(target, write);
                }
            }
        }
    }
    // After notes were compared: keeps what is still open, marked so, or nothing.
    enum class Keep : bool { nothing, open_ones };
    void forget(Keep keep);

  private:
    struct Target {
        std::vector<Write> writes;
        size_t first_open = 0;
    };

    std::unordered_map<int, Target> targets_;
    size_t max_per_target_;
    size_t size_ = 0;
    size_t left_out_ = 0;
};

// Two writes that are certainly unordered, and the first bytes that both wrote.
struct Conflict {
    Write first;
    Write second;
    Bytes bytes;
};

struct Conflicts {
    static constexpr int64_t kMaxWork = 1 << 21;
    static constexpr size_t kMaxFound = 64;

    std::vector<Conflict> found;  // one for each two calls of two origins
    bool too_many = false;        // not all pairs were looked at
    int64_t work = 0;             // steps, of which each takes some nanoseconds
};

// Among everything that was written to one rank.
Conflicts find_conflicts(std::vector<Write> writes);

}  // namespace armci::check

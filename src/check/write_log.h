// SPDX-License-Identifier: BSD-3-Clause
// Logs what this rank has written to others since the ranks last compared their logs, and finds
// other ranks that wrote the same bytes.
//
// A write is open from its call until its origin's next call that may announce it to another rank,
// for example a fence or a notification. Two writes of different origins are certainly unordered if
// each began before the other was closed, whatever else the program does to synchronise. Only such
// pairs are reported. Times of ranks on one host come from one clock. Between hosts only writes
// count that are both still open when the logs are compared.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "check/rows.h"

namespace armci::check {

// A Write is one write in the form in which ranks send it to each other.
struct Write {
    static constexpr int64_t kOpen = INT64_MAX;
    static constexpr int kNameBytes = 24;

    Row place;             // in the target's memory
    int64_t began_ns = 0;  // when its call began
    int64_t closed_ns = kOpen;
    uint64_t host = 0;   // the host whose clock gave these times
    int32_t origin = 0;  // world rank
    bool adds = false;   // an accumulate; accumulates do not conflict with each other
    bool was_compared = false;
    char padding[2] = {};
    char function[kNameBytes] = {};  // the public name, for error text

    bool is_open() const { return closed_ns == kOpen; }
};
static_assert(std::is_trivially_copyable_v<Write>);

class WriteLog {
  public:
    // The most writes to all targets together; further ones are only counted.
    static constexpr size_t kMax = 1 << 16;
    // The most writes that a rank compares: all that the ranks of a job may have made to it, unless
    // there are very many ranks.
    static constexpr size_t kMaxReceived = 1 << 18;
    static constexpr size_t kMinPerTarget = 64;

    explicit WriteLog(int rank_count)
        : max_per_target_(std::max(kMinPerTarget, kMaxReceived / static_cast<size_t>(rank_count))) {
    }

    // Adds a write that begins now. If it continues the previous write, both are joined.
    void add(int target, const Write& write);
    // Close writes: the origin's next call may announce what it has written to that target, or to
    // all.
    void close(int target, int64_t now_ns);
    void close_all(int64_t now_ns);

    size_t size() const { return size_; }
    // Returns how many writes were not logged since the last call of this function.
    size_t take_left_out() { return std::exchange(left_out_, 0); }
    // Calls f(target, const Write&) for all writes, by target in ascending order.
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
    // Called after a comparison: keeps only the open writes, marked as compared, or nothing.
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

// A Conflict is two writes that are certainly unordered, and the first bytes that both wrote.
struct Conflict {
    Write first;
    Write second;
    Bytes bytes;
};

struct Conflicts {
    static constexpr int64_t kMaxWork = 1 << 21;
    static constexpr size_t kMaxFound = 64;

    std::vector<Conflict> found;  // one for each pair of calls of two origins
    bool too_many = false;        // not all pairs were examined
    int64_t work = 0;             // steps, of which each takes some nanoseconds
};

// Finds the conflicts among everything that was written to one rank.
Conflicts find_conflicts(std::vector<Write> writes);

}  // namespace armci::check

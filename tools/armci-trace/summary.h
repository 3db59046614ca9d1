// SPDX-License-Identifier: BSD-3-Clause
// What the events of a job sum up to. It takes event after event, in any order, and its memory does
// not depend on their number: it grows with the ranks, and the pairs of ranks that communicate.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "armci-trace/activity.h"
#include "armci-trace/durations.h"
#include "armci-trace/event.h"

namespace armci::trace {

// Where the time goes, by the category of events.
enum class Group : uint8_t { call, wait, stage, stall, task };
inline constexpr int kGroups = 5;
const char* title_of(Group group);
const char* key_of(Group group);  // for JSON

// All events of one name.
struct Work {
    Durations time;
    int64_t bytes = 0;
};

// A call, or a copy inside a node.
struct SlowTransfer {
    int64_t duration_ns = 0;
    int64_t begin_ns = 0;
    int rank = 0;
    int target = 0;
    int64_t bytes = 0;
    std::string name;

    // Slower first; the rest makes the order the same for every order of events.
    bool operator<(const SlowTransfer& other) const;
};

struct RankLoad {
    bool has_events = false;  // else it is only the target of others
    std::string host;
    int64_t calls_ns = 0;    // in calls of the library that the timeline has
    int64_t waits_ns = 0;    // in waits, which are in calls
    int64_t server_ns = 0;   // in turns of the data server in its process
    int64_t sent_bytes = 0;  // with its puts and accumulates, and what it got
    int64_t received_bytes = 0;
    int64_t dropped_events = 0;
};

struct Traffic {
    int64_t transfers = 0;
    int64_t bytes = 0;
};

struct CounterRange {
    int64_t min = 0;
    int64_t max = 0;
    int min_rank = -1;
    int max_rank = -1;
};

// Which curves are drawn over time.
enum class Curve : uint8_t { calls, waits, stages, server };
inline constexpr int kCurves = 4;
const char* title_of(Curve curve);

class Summary {
  public:
    static constexpr size_t kSlowest = 10;

    void add(const Event& event);
    // Notes a file that ends in the middle.
    void note_cut_off(const std::string& path) { cut_off_.push_back(path); }
    // Notes the ranks of the job that no file is from.
    void note_missing(std::vector<int> ranks) { missing_ = std::move(ranks); }

    // Of all events that have a time; 0 and 0 if there are none.
    int64_t begin_ns() const { return begin_ns_; }
    int64_t end_ns() const { return end_ns_; }
    int64_t event_count() const { return event_count_; }
    int64_t dropped_count() const;
    const std::vector<std::string>& cut_off() const { return cut_off_; }
    const std::vector<int>& missing() const { return missing_; }

    const std::map<std::string, Work>& works(Group group) const {
        return works_[static_cast<size_t>(group)];
    }
    // Returns the names of a group with most time first.
    std::vector<std::pair<std::string, const Work*>> by_time(Group group) const;
    // Returns the slowest transfers, at most kSlowest, slowest first.
    const std::vector<SlowTransfer>& slowest() const { return slowest_; }
    const std::map<int, RankLoad>& ranks() const { return ranks_; }
    // By the rank that calls, and its target.
    const std::map<std::pair<int, int>, Traffic>& traffic() const { return traffic_; }
    const std::map<std::string, CounterRange>& counters() const { return counters_; }
    // Returns one of the curves; all have bins of one width.
    const Activity& activity(Curve curve) const { return activity_[static_cast<size_t>(curve)]; }

  private:
    void add_name(const Event& event);
    void add_counter(const Event& event);
    void add_span(const Event& event);
    void add_transfer(const Event& event);

    int64_t begin_ns_ = 0;
    int64_t end_ns_ = 0;
    int64_t event_count_ = 0;
    std::array<std::map<std::string, Work>, kGroups> works_;
    std::vector<SlowTransfer> slowest_;
    std::map<int, RankLoad> ranks_;
    std::set<int64_t> server_threads_;
    std::map<std::pair<int, int>, Traffic> traffic_;
    std::map<std::string, CounterRange> counters_;
    std::array<Activity, kCurves> activity_;
    std::vector<std::string> cut_off_;
    std::vector<int> missing_;
};

// How evenly something is distributed over ranks.
struct Balance {
    double min = 0;
    double mean = 0;
    double max = 0;
    int min_rank = -1;
    int max_rank = -1;
};

// The measures of load, each with its name.
struct Load {
    const char* title;
    const char* key;
    int64_t RankLoad::*value;
    bool is_time;
};
inline constexpr Load kLoads[] = {
    {"time in calls", "calls_ns", &RankLoad::calls_ns, true},
    {"time in waits", "waits_ns", &RankLoad::waits_ns, true},
    {"time of the data server", "server_ns", &RankLoad::server_ns, true},
    {"bytes of its transfers", "sent_bytes", &RankLoad::sent_bytes, false},
    {"bytes of transfers to it", "received_bytes", &RankLoad::received_bytes, false},
};
Balance balance_of(const Summary& summary, const Load& load);

}  // namespace armci::trace

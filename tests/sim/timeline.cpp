// SPDX-License-Identifier: BSD-3-Clause
#include "timeline.h"

#include <algorithm>
#include <memory>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include "fiber.h"
#include "simulation.h"

namespace armci::sim {
namespace {

constexpr int64_t kShortestPollNs = 50;
constexpr int kPollDoublings = 7;
// If nothing moves for so long, it is a deadlock.
constexpr int64_t kLongestQuietNs = 600'000'000'000;

struct TimedThread {
    int64_t now_ns = 0;
    int64_t turn_ns = 0;  // when its next turn is
    bool is_due = false;  // it has a next turn
    bool is_wakeable = false;
    bool has_chosen = false;  // how it waits, in this turn
    int idle_polls = 0;
};

struct Happening {
    int64_t ns = 0;
    uint64_t order = 0;
    void (*run)(void* what) = nullptr;
    void* what = nullptr;

    bool operator>(const Happening& other) const {
        return std::pair(ns, order) > std::pair(other.ns, other.order);
    }
};

struct Timeline {
    Machine machine;
    std::vector<TimedThread> threads;          // two of each process
    std::set<std::pair<int64_t, size_t>> due;  // by the time of their turns
    std::priority_queue<Happening, std::vector<Happening>, std::greater<>> happenings;
    uint64_t next_order = 0;
    int64_t now_ns = 0;
    TimedThread* running = nullptr;
    int64_t last_step = 0;
    int64_t last_step_ns = 0;
};

std::unique_ptr<Timeline> g_timeline;

size_t index_of(const ThreadName& thread) {
    return 2 * static_cast<size_t>(thread.process) + (thread.is_server ? 1 : 0);
}

void plan_turn(size_t index, int64_t ns) {
    TimedThread& thread = g_timeline->threads[index];
    if (thread.is_due) {
        g_timeline->due.erase({thread.turn_ns, index});
    }
    thread.is_due = true;
    thread.turn_ns = ns;
    g_timeline->due.emplace(ns, index);
}

void choose_wait(int64_t ns, bool is_wakeable) {
    TimedThread& thread = *g_timeline->running;
    thread.has_chosen = true;
    thread.is_wakeable = is_wakeable;
    thread.turn_ns = thread.now_ns + std::max<int64_t>(ns, 0);
    Fiber::yield();
}

void check_progress() {
    Timeline& line = *g_timeline;
    if (last_progress() != line.last_step) {
        line.last_step = last_progress();
        line.last_step_ns = line.now_ns;
    } else if (line.now_ns > line.last_step_ns + kLongestQuietNs) {
        violation("nothing has moved for %lld s of virtual time",
                  static_cast<long long>(kLongestQuietNs / 1'000'000'000));
    }
}

}  // namespace

void start_timeline(const Machine* machine, int process_count) {
    g_timeline.reset();
    if (machine != nullptr) {
        g_timeline = std::make_unique<Timeline>();
        g_timeline->machine = *machine;
        g_timeline->threads.resize(2 * static_cast<size_t>(process_count));
    }
}

bool is_timed() {
    return g_timeline != nullptr;
}

const Machine& machine() {
    return g_timeline->machine;
}

void start_thread_at(const ThreadName& thread, int64_t ns) {
    g_timeline->threads[index_of(thread)].now_ns = ns;
    plan_turn(index_of(thread), ns);
}

int64_t timed_ns() {
    return g_timeline->running != nullptr ? g_timeline->running->now_ns : g_timeline->now_ns;
}

void spend(int64_t ns) {
    if (g_timeline->running != nullptr) {
        g_timeline->running->now_ns += ns;
    }
}

void pause_for(int64_t ns) {
    choose_wait(ns, false);
}

void wait_for_event(int64_t longest_ns) {
    if (is_timed() && Fiber::is_inside()) {
        choose_wait(longest_ns, true);
    } else {
        Fiber::yield();
    }
}

void note_work() {
    if (g_timeline->running != nullptr) {
        g_timeline->running->idle_polls = 0;
    }
}

void wake(const ThreadName& name, int64_t ns) {
    TimedThread& thread = g_timeline->threads[index_of(name)];
    const int64_t turn_ns = std::max(ns, thread.now_ns);
    if (&thread != g_timeline->running && thread.is_due && thread.is_wakeable &&
        turn_ns < thread.turn_ns) {
        thread.idle_polls = 0;
        plan_turn(index_of(name), turn_ns);
    }
}

void happen_at(int64_t ns, void (*run)(void* what), void* what) {
    g_timeline->happenings.push({ns, g_timeline->next_order++, run, what});
}

ThreadName next_turn() {
    Timeline& line = *g_timeline;
    for (;;) {
        if (line.due.empty() && line.happenings.empty()) {
            violation("nothing is due any more");
        }
        const int64_t turn_ns = line.due.empty() ? INT64_MAX : line.due.begin()->first;
        count_step();
        if (!line.happenings.empty() && line.happenings.top().ns <= turn_ns) {
            const Happening next = line.happenings.top();
            line.happenings.pop();
            line.now_ns = next.ns;
            next.run(next.what);
            continue;
        }
        const size_t index = line.due.begin()->second;
        line.due.erase(line.due.begin());
        line.now_ns = turn_ns;
        check_progress();
        TimedThread& thread = line.threads[index];
        thread.is_due = false;
        thread.has_chosen = false;
        thread.now_ns = turn_ns;
        line.running = &thread;
        return {static_cast<int>(index / 2), index % 2 != 0};
    }
}

void end_turn(const ThreadName& name, bool has_ended) {
    Timeline& line = *g_timeline;
    TimedThread& thread = line.threads[index_of(name)];
    line.running = nullptr;
    if (has_ended) {
        return;
    }
    if (!thread.has_chosen) {
        thread.is_wakeable = true;
        thread.turn_ns =
            thread.now_ns + (kShortestPollNs << std::min(thread.idle_polls++, kPollDoublings));
    }
    plan_turn(index_of(name), thread.turn_ns);
}

}  // namespace armci::sim

// SPDX-License-Identifier: BSD-3-Clause
// A job of several nodes in one process and on one thread: every rank is a fiber with a runtime of
// its own, and so is every thread of the library. Each rank starts the library, runs the program,
// and stops the library, perhaps several times (its lives). The scheduler picks at random which
// rank, thread or operation moves next.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/runtime/runtime.h"
#include "fiber.h"
#include "host_memory.h"
#include "plan.h"

namespace armci::sim {

class Job {
  public:
    explicit Job(const Plan& plan);
    ~Job();
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    // In each life every rank runs `body`. Returns when all have returned and stopped the library,
    // or when all processes have ended. After each turn of a rank or server `after_turn` checks
    // what ranks cannot see.
    using Body = std::function<void(int rank, int life)>;
    void run(const Body& body, std::function<void()> after_turn);

    const Plan& plan() const { return plan_; }
    core::Runtime& runtime(int rank) { return *process(rank).runtime; }
    // For the hook of the message layer.
    void tell_failure();
    int node_of(int rank) const { return node_of_[static_cast<size_t>(rank)]; }
    // While `condition` is false the rank waits outside the library, where it makes no inline
    // progress.
    template <class Condition>
    void wait_outside(int rank, Condition&& condition) {
        bool& is_outside = process(rank).is_outside;
        for (is_outside = true; !condition();) {
            Fiber::yield();
        }
        is_outside = false;
    }

  private:
    // What the ranks of a node share in one life. The first that comes makes it.
    struct Node {
        node::NodeHeap heap;
        MPI_Comm comm = MPI_COMM_NULL;
    };
    struct Life {
        std::unique_ptr<HostMemory> memory;
        std::vector<Node> nodes;
        MPI_Comm world_comm = MPI_COMM_NULL;
        MPI_Comm leaders_comm = MPI_COMM_NULL;
        std::map<std::pair<int, int>, int> waiting_ends;  // of streams, by their ranks
        std::string agreed;                               // what all ranks must find at their start
        int resting = 0;                                  // ranks that wait for all to come to rest
        bool has_settled = false;
    };
    struct Process {
        std::unique_ptr<core::Runtime> runtime;  // from start to stop
        std::unique_ptr<Fiber> fiber;
        bool is_dead = false;
        bool is_frozen = false;
        bool is_outside = false;
        bool is_starting_or_stopping = false;
        bool has_left = false;   // the watches do not count on it any more
        bool was_asked = false;  // for a report
        int watch_turns = 0;     // since that was to come
        int to_parent = -1;      // liveness connection, of a node's first rank
    };

    void run_timed();
    void prepare_to_run(const Body& body);
    void check_end();
    Process& process(int rank) { return *processes_[static_cast<size_t>(rank)]; }
    bool runs(int rank) { return !process(rank).is_dead && !process(rank).is_frozen; }
    int size() const { return static_cast<int>(node_of_.size()); }
    void make_lives();

    // Start and stop of one rank, in start_stop.cpp.
    void pause();
    void start(int rank, Life& life);
    std::string interfaces() const;
    void configure(base::Config* config);
    void share_nodes(int rank, Life& life);
    void start_parts(int rank);
    void check_start(int rank, Life& life);
    void stop(int rank, Life& life, bool settles);
    void settle(int rank, Life& life);
    void drain();
    void check_nothing_is_left();

    // Liveness, in liveness.cpp.
    void start_watch(int rank, Life& life);
    void stop_watch(int rank);
    int connect(int rank, int other, Life& life);
    void fail();
    void begin_failure();
    void check_reports(int rank);
    void kill(int rank);
    void end_process(int code, bool by_thread);
    void check_failure();
    bool is_over();

    // From now on code runs as that rank.
    void enter(int rank);
    void resume(int rank);
    void serve(int server);
    void watch(int rank);
    void step();
    bool is_stuck();
    void report_stuck();
    std::string describe_state();
    int host_of(int server) const;

    Plan plan_;
    std::string profile_path_;
    std::vector<int> node_of_;  // by rank
    std::vector<Life> lives_;
    std::vector<std::unique_ptr<Process>> processes_;
    std::function<void()> after_turn_;
    int64_t failed_ns_ = 0;  // when the failure of the plan came
    bool has_failed_ = false;
    bool had_left_ = false;  // ... after the farewell of the process
    int ended_ = 0;          // processes, by themselves
    bool all_watch_ = true;  // since the call for reports
};

// Exit status of a run in which a process died and the others only waited for it.
inline constexpr int kUndetectedStatus = 4;
// Exit status of a run in which the library has ended the job.
inline constexpr int kFatalStatus = 1;

}  // namespace armci::sim

// SPDX-License-Identifier: BSD-3-Clause
// A job of several nodes in one process and on one thread: every rank is a fiber with a runtime of
// its own, with node heaps, data servers and origins as ARMCI_Init makes them, on the simulated
// provider. The scheduler picks at random which rank, server or operation moves next.
#pragma once

#include <memory>
#include <vector>

#include "core/runtime/runtime.h"
#include "fiber.h"
#include "plan.h"
#include "test_heap.h"

namespace armci::sim {

class Job {
  public:
    explicit Job(const Plan& plan);
    ~Job();
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    // Every rank runs `body` with its number. Returns when all have returned and nothing is under
    // way. After each turn of a rank or a server `after_turn` checks what ranks cannot see.
    void run(const std::function<void(int rank)>& body, std::function<void()> after_turn);
    // After run(): whether nothing is left of what was under way.
    void check_nothing_is_left();

    const Plan& plan() const { return plan_; }
    core::Runtime& runtime(int rank) { return *processes_[static_cast<size_t>(rank)]->runtime; }
    int node_of(int rank) const { return node_of_[static_cast<size_t>(rank)]; }
    bool has_died(int rank) const {
        return rank >= 0 && processes_[static_cast<size_t>(rank)]->is_dead;
    }
    // While `condition` is false the rank waits outside the library, where it makes no inline
    // progress.
    template <class Condition>
    void wait_outside(int rank, Condition&& condition) {
        bool& is_outside = processes_[static_cast<size_t>(rank)]->is_outside;
        for (is_outside = true; !condition();) {
            Fiber::yield();
        }
        is_outside = false;
    }
    // Whether the library may use remote memory access at all.
    bool rma_usable() const { return rma_usable_; }

  private:
    struct Node {
        std::unique_ptr<test::TestHeap> heap;
        MPI_Comm comm = MPI_COMM_NULL;
    };
    struct Process {
        Job* job = nullptr;
        std::unique_ptr<core::Runtime> runtime;
        std::unique_ptr<Fiber> fiber;
        bool is_dead = false;
        bool is_outside = false;
    };

    void open_rank(int rank);
    void open_server(int rank);
    void make_server_records();
    void open_origin(int rank);
    // The runtime of the first rank of that node, when all origins are open.
    void join_barrier(int node);
    // From now on code runs as that rank.
    void enter(int rank);
    void resume(int rank);
    void serve(int server);
    void step();
    void kill(int rank);
    bool is_stuck();
    void report_stuck();
    std::string describe_state();
    void drain();
    int host_of(int server) const;

    static const void* server_address(void* process, int server);
    static uint64_t server_token(void* process, int server);
    static const pipeline::RecvAreaAddress* recv_area(void* process, int server);

    Plan plan_;
    std::vector<int> node_of_;  // by rank
    std::vector<Node> nodes_;
    std::vector<std::unique_ptr<Process>> processes_;
    std::vector<core::ServerRecord> server_records_;
    MPI_Comm world_comm_ = MPI_COMM_NULL;
    MPI_Comm leaders_comm_ = MPI_COMM_NULL;
    bool rma_usable_ = false;
    std::function<void()> after_turn_;
};

// Exit status of a run in which a process died and the others only waited for it.
inline constexpr int kUndetectedStatus = 4;

}  // namespace armci::sim

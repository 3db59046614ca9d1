// SPDX-License-Identifier: BSD-3-Clause
// A small job in one process: data servers with their memory, and origins. They communicate over
// the default provider on the loopback interface.
//
// One thread drives all origins. The servers have threads of their own, or the same thread drives
// them. That is faster, and repeats exactly except for what the provider does.
#pragma once

#include <sched.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/stats.h"
#include "datasrv/server.h"
#include "fabric/domain.h"
#include "fabric/environment.h"
#include "fabric/faults.h"
#include "pipeline/costs/transfer.h"
#include "pipeline/origin/origin.h"
#include "pipeline/origin/task.h"
#include "test_heap.h"

namespace armci::test {

// The provider of all domains if it is not the default. Set it before the first domain is opened.
inline const char* g_provider = "";

// Lets the network refuse half of all posts, three at a time, until set_faults() is called again.
inline void refuse_half_of_posts() {
    fabric::Faults faults;
    faults.refused_posts = 1;
    faults.of_posts = 2;
    faults.posts_in_burst = 3;
    fabric::set_faults(faults);
}

struct NetworkOptions {
    int node_count = 1;  // each with a server
    // So many successive servers count as those of one node.
    int servers_per_node = 1;
    int origin_count = 1;
    size_t buffer_count = 4;
    int32_t depth = INT32_MAX;  // how many of them one put takes
    size_t buffer_bytes = 64 << 10;
    size_t receive_buffer_count = 2;
    pipeline::RegistrationCosts registrations{16 << 10};  // of local memory, for remote access
    size_t memory_bytes = 1 << 20;                        // global memory of each node
    bool server_threads = false;
    base::ServerPoll server_poll = base::ServerPoll::automatic;
    bool register_memory = true;  // for remote access
    bool use_ordering = true;
    uint32_t mailbox_count = 2;  // where the provider shows writes
    bool write_chunks = true;    // where provider and buffer size allow it, as in a job
    int rails = 1;               // of all processes
};

class TestNetwork {
  public:
    explicit TestNetwork(const NetworkOptions& options);
    // No operation may be under way.
    ~TestNetwork();
    TestNetwork(const TestNetwork&) = delete;
    TestNetwork& operator=(const TestNetwork&) = delete;

    // Why it is not running; empty if it is.
    const std::string& error() const { return error_; }
    const NetworkOptions& options() const { return options_; }

    node::NodeHeap& heap(int node) const { return **nodes_[static_cast<size_t>(node)]->heap; }
    char* memory(int node) const { return nodes_[static_cast<size_t>(node)]->memory; }
    // Whether the node's memory is registered for remote access.
    bool writes_chunks() const { return writes_chunks_; }
    bool is_registered(int node) const {
        return nodes_[static_cast<size_t>(node)]->remote.registered != 0;
    }
    datasrv::Server& server(int node) { return nodes_[static_cast<size_t>(node)]->server; }
    pipeline::Origin& origin(int rank) { return ranks_[static_cast<size_t>(rank)]->origin; }
    const fabric::Domain& domain(int rank) const {
        return ranks_[static_cast<size_t>(rank)]->domain;
    }
    const base::Stats& stats(int rank) const { return ranks_[static_cast<size_t>(rank)]->stats; }

    // Submits the transfer's task to its node. Keep the task until it is complete.
    std::unique_ptr<pipeline::Task> start(int rank, int node, base::Route route,
                                          pipeline::Transfer&& transfer);
    // Does the same for a get of one block, which the node's server writes.
    std::unique_ptr<pipeline::Task> start_get_by_put(int rank, int node,
                                                     pipeline::Transfer&& transfer);
    void submit(int rank, int node, pipeline::Task& task);
    void wait(const pipeline::Task& task);
    // Waits until all operations of all origins are complete at their targets.
    void fence_all();

    // Drives all origins and servers once; true when something moved.
    bool progress();
    template <class Condition>
    void wait_until(Condition&& condition) {
        const Watch watch;
        while (!condition()) {
            if (!progress()) {
                sched_yield();
            }
            watch.check();
        }
    }

  private:
    struct Node {
        std::unique_ptr<TestHeap> heap;
        fabric::Domain domain;
        datasrv::Server server;
        char* memory = nullptr;
        wire::SegmentReply remote;
    };
    struct Rank {
        fabric::Domain domain;
        base::Stats stats;
        pipeline::Origin origin;
    };
    // Ends the program when a wait takes a minute: the rank or server that it waits for is stuck.
    class Watch {
      public:
        Watch();
        void check() const;

      private:
        int64_t start_ns_;
    };

    // Sets where the remote side is: in memory of the node.
    void locate(int node, pipeline::Transfer* transfer) const;
    std::unique_ptr<pipeline::Task> start(int rank, int node, std::unique_ptr<pipeline::Task> task);
    bool open_domain(fabric::Domain* domain);
    bool open_node(int number);
    bool open_rank(int number);
    void publish_memory(int node);
    pipeline::ServerNumbers servers() const;
    static const pipeline::RecvAreaAddress* recv_area(void* context, int node);
    static const uint64_t* recv_area_keys(void* context, int node);
    static const void* server_address(void* context, int node);
    static uint64_t server_token(void* context, int node);

    const fabric::LibfabricEnvironment environment_;  // as in a job, until all endpoints are open
    NetworkOptions options_;
    std::vector<uint64_t> rank_tokens_;
    bool writes_chunks_ = false;
    std::string error_;
    std::vector<std::unique_ptr<Node>> nodes_;
    std::vector<std::unique_ptr<Rank>> ranks_;
};

}  // namespace armci::test

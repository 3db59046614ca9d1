// SPDX-License-Identifier: BSD-3-Clause
// The one running instance of the library in this process, and what every part of it needs.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/config.h"
#include "base/stats.h"
#include "base/trace.h"
#include "base/waiting.h"
#include "core/api_lock.h"
#include "core/attached_memory.h"
#include "core/checks.h"
#include "core/copies.h"
#include "core/groups.h"
#include "core/handles.h"
#include "core/long_wait.h"
#include "core/messages.h"
#include "core/one_caller.h"
#include "core/segments.h"
#include "core/thread_level.h"
#include "core/thread_stats.h"
#include "core/world.h"
#include "datasrv/server.h"
#include "fabric/domain.h"
#include "node/attachments.h"
#include "node/barrier.h"
#include "node/heap.h"
#include "node/mutex_queue.h"
#include "pipeline/cost_model.h"
#include "pipeline/origin.h"
#include "watch/watch.h"

namespace armci::core {

// The pipeline's buffers; sizes are powers of two.
struct BufferPlan {
    int64_t bytes = 0;
    int64_t count = 0;
    int64_t receive_count = 0;
};

// Network between nodes; absent in a job of one node.
struct Network {
    fabric::Domain domain;
    pipeline::ServerNumbers servers;
    std::unique_ptr<datasrv::Server> server;  // of this rank: on the first ranks of each node
    pipeline::Origin origin;
    const unsigned char* server_addresses = nullptr;  // by server, in node memory
    size_t server_address_bytes = 0;
    uint32_t server_addresses_record = 0;  // heap record, on the node's first rank
    bool rma_usable = false;
    pipeline::CostModel costs;
    std::vector<std::string> passed_over;  // providers, and why; on rank 0
    std::string idle_adapter;              // of them, the one that the user will miss; on rank 0
    std::string cost_source;               // where its constants come from, in words
    BufferPlan buffers;
};

// A mutex that this rank holds; different nodes use equal addresses.
using HeldMutex = std::pair<int, uint64_t>;  // owner, address

struct MutexSet {
    Segment* segment = nullptr;
    GroupRef group;
};

struct Runtime {
    base::ConfigResult configuration;
    const base::Config& config() const { return configuration.config; }

    World world;
    NodeMapping mapping;
    node::NodeHeap heap;
    node::NodeBarrier node_barrier;
    node::MutexQueue mutex_queue;
    node::Attachments attachments;       // of this node
    KnownAttachments known_attachments;  // of other nodes
    Groups groups;
    Segments segments;
    Handles handles;
    Messages messages;
    Copies copies;
    std::unique_ptr<Network> network;
    base::Stats stats;
    watch::Watch watch;

    std::unique_ptr<Checks> checks;  // with ARMCI_CHECK
    // Calls to ranks below it may take the short ways (api/run.h): world.size, or 0 with checks.
    int short_way_ranks = 0;

    uint64_t next_segment_number = 1;
    uint32_t next_dynamic_number = 1;
    uint64_t allocated_bytes = 0;  // global memory of this process, for the limit
    // For the network, and for copies by an engine, which are never slept for.
    base::Waiting waiting{2000, 2000, base::Waiting::Trials::no};
    base::Waiting waiting_at_barrier{2000, 2000, base::Waiting::Trials::no};
    bool is_single_host = false;     // all ranks run on one host and in one network
    bool is_oversubscribed = false;  // this host has more ranks than processors
    bool alternate_rma = false;      // ARMCI_ROUTE=alternate: the next operation's turn
    MutexSet world_mutexes;
    std::vector<HeldMutex> held_mutexes;
    Segment* notify_counters = nullptr;
    std::unordered_map<int, uint32_t> notifications_sent;
    std::unordered_map<int, uint32_t> notifications_taken;

    MPI_Request all_stop = MPI_REQUEST_NULL;  // from ARMCI_Finalize until all ranks are in it

    int thread_level = MPI_THREAD_SINGLE;
    // That is MPI_THREAD_MULTIPLE: most entry points hold the mutex from their beginning; those
    // that can be about this node only, from where they turn out to need more. Waits let go of it
    // between polls, and while they sleep.
    bool multi_threaded = false;
    ApiLock api_lock;
    OneCaller one_caller;  // below it
    // Several threads of the program, a copy engine, a timeline of calls, or checking mode:
    // otherwise entry points have nothing but their own work to do.
    bool is_concurrent = false;

    // The public function that this thread is in, for reports on waits that several have in common.
    // Calls that end on a short way (api/run.h) do not wait, and leave that of an earlier one.
    void enter_alone(const char* function) { function_ = function; }
    static void enter_concurrently(const char* function) { t_function = function; }
    const char* function() const { return is_concurrent ? t_function : function_; }

    // For as long as it lives, this thread uses what threads share: the network, or a wait. Below
    // MPI_THREAD_MULTIPLE the job ends when two do so at a time.
    class Use {
      public:
        explicit Use(Runtime& runtime)
            : one_caller_(!runtime.multi_threaded &&
                                  runtime.one_caller.enter(runtime, runtime.function())
                              ? &runtime.one_caller
                              : nullptr) {}
        ~Use() {
            if (one_caller_ != nullptr) {
                one_caller_->leave();
            }
        }
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;

      private:
        OneCaller* one_caller_;  // of which this has to leave
    };

    // Takes the API lock for the rest of the call, unless this thread has it.
    void hold_lock() {
        if (multi_threaded && !api_lock.is_mine()) {
            api_lock.lock();
        }
    }
    void release_lock() {
        if (api_lock.is_mine()) {
            api_lock.unlock();
        }
    }
    // For sleeps that other ranks end.
    template <class Sleep>
    void sleep_without_lock(Sleep&& sleep) {
        if (multi_threaded) {
            api_lock.sleep(sleep);
        } else {
            sleep();
        }
    }

    // Counts an operation inside the node, or an rmw, with or without the API lock.
    void count_local(base::OpKind op, int64_t bytes) {
        if (multi_threaded) {
            count_by_thread(op, bytes);
        } else {
            stats.count(op, base::Route::local, bytes);
        }
    }
    void count_rmw() {
        if (multi_threaded) {
            count_rmw_by_thread();
        } else {
            ++stats.rmw;
        }
    }
    // The counters of all threads.
    base::Stats all_stats() const {
        base::Stats sum = stats;
        add_thread_stats(&sum);
        return sum;
    }

    // The handle becomes idle, unless earlier operations are still on it.
    void set_idle_unless_active(armci_hdl_s* handle) {
        if (Handles::names_slot(*handle)) {
            hold_lock();
        }
        if (!handles.is_active(*handle)) {
            handles.set_idle(handle);
        }
    }

    // The data server for an address of that rank, in a job with a network: its segment's, or the
    // node's first, which answers for attached memory.
    int server_of(int target, uint64_t address) {
        const int node = world.node_of[target];
        if (network->servers.per_node == 1) {
            return node;
        }
        const NodePart* part = segments.find(target, address, 1).part;
        if (part == nullptr) {
            part = segments.part_at(node, address);  // the library's own
        }
        return part != nullptr ? part->server : network->servers.first_of(node);
    }
    // Which one on that node shall have a new segment: they take turns.
    int server_for(int node, uint64_t segment_id) const {
        const pipeline::ServerNumbers servers =
            network != nullptr ? network->servers : pipeline::ServerNumbers{world.node_count};
        return servers.first_of(node) +
               static_cast<int>(segment_id % static_cast<uint64_t>(servers.per_node));
    }

    // One poll of everything that this thread can move on; true when something moved.
    bool progress();
    // Same, and where nobody else does it, the data server in this process gets its turn.
    void serve();
    // Same, for calls that do not wait, which a program may repeat until others have answered: lets
    // other threads in, too.
    void poll();
    // Whether a wait for the network serves the own node's requests: where this thread cannot sleep
    // meanwhile, or there is no server thread to wake up for them.
    bool progresses_server_inline() const {
        return network == nullptr || !config().progress_thread || !network->origin.can_sleep();
    }
    bool sleeps_while_waiting() const {
        return !progresses_server_inline() && !copies.are_under_way();
    }
    // Sleeps for that time, or until the network has something for this rank.
    void nap(int64_t ns);
    // Whether nothing needs this thread while it waits for other ranks: no operations of its own
    // are under way, and the data server in this process has a thread that the network wakes.
    bool may_sleep_at_barrier() const {
        return network == nullptr ||
               (config().progress_thread && network->origin.tasks().count() == 0 &&
                network->origin.batches().have_left() &&
                (network->server == nullptr || network->server->is_woken_by_network()));
    }
    // Waits until a copy engine has done all that this rank gave it so far.
    void settle_copies();
    // Gives a task to a data server and waits until it is complete. `cause` as below.
    void run_task(pipeline::Task& task, int server, const WaitCause& cause);
    // At the end of a wait: the data server in this process is on its own again.
    void end_inline_progress();
    // MPI_THREAD_MULTIPLE: other threads' calls get their turn, however much this one moves.
    void let_others_in() {
        if (has_other_threads()) {
            api_lock.yield();
        }
    }
    // Between polls: helps the data server in this process and lets other threads in.
    void idle();

    // `cause` is for reports on waits that last long, and for the timeline.
    template <class Condition>
    void wait_until(const WaitCause& cause, Condition&& condition) {
        if (!condition()) {
            poll_until(cause, condition);
        }
        end_inline_progress();
    }

    // Same, for a condition that only a network event can make true: sleeps in the kernel, at once
    // or after a short while (base/waiting.h), so that the data server or the rank waited for gets
    // the processor.
    template <class Condition>
    void wait_for_network(const WaitCause& cause, Condition&& condition) {
        wait_for_network(cause, &waiting, condition);
    }
    // `way`: what was learned of other waits for the same.
    template <class Condition>
    void wait_for_network(const WaitCause& cause, base::Waiting* way, Condition&& condition) {
        if (!condition()) {
            poll_or_sleep_until(cause, way, condition);
        }
        end_inline_progress();
    }

  private:
    // Of the calling thread, whose calls do not nest.
    static inline thread_local const char* t_function = nullptr;
    const char* function_ = nullptr;  // of a thread that is alone

    // Apart, so that calls which need not wait have little to save and restore.
    template <class Condition>
    [[gnu::noinline]] void poll_until(const WaitCause& cause, Condition&& condition) {
        const Use use(*this);
        const base::TraceSpan span(base::kTraceWait, cause.what, cause.rank);
        base::Backoff backoff;
        LongWait long_wait(*this, cause);
        do {
            long_wait.turn();
            if (progress()) {
                backoff.reset();
                let_others_in();
                continue;
            }
            idle();
            backoff.pause();
        } while (!condition());
    }

    template <class Condition>
    [[gnu::noinline]] void poll_or_sleep_until(const WaitCause& cause, base::Waiting* way,
                                               Condition&& condition) {
        const Use use(*this);
        const base::TraceSpan span(base::kTraceWait, cause.what, cause.rank);
        int64_t began_ns = 0;
        int64_t idle_since_ns = 0;
        LongWait long_wait(*this, cause);
        do {
            long_wait.turn();
            if (progress()) {
                idle_since_ns = 0;
                let_others_in();
                continue;
            }
            if (progresses_server_inline()) {
                idle();
            }
            const int64_t now = base::now_ns();
            if (idle_since_ns == 0) {
                idle_since_ns = now;
                began_ns = began_ns == 0 ? now : began_ns;
            }
            const bool may_sleep = sleeps_while_waiting();
            if (now - idle_since_ns < (may_sleep ? patience_ns(*way) : way->min_ns())) {
                base::cpu_pause();
                // Not before a sleep, unless the condition is looked at in between.
                let_others_in();
            } else if (may_sleep && sleep_until_network_event(now - began_ns)) {
                way->slept(base::now_ns() - now);
            } else {
                yield();  // also where a provider keeps refusing to let it sleep
            }
        } while (!condition());
        if (began_ns != 0 && sleeps_while_waiting() && !has_other_threads()) {
            count_wait(way, base::now_ns() - began_ns);
        }
    }

    void yield() {
        if (multi_threaded) {
            api_lock.yield();
        } else {
            sched_yield();
        }
    }
    // Awake in the library, with need of what threads share.
    bool has_other_threads() const { return multi_threaded && api_lock.has_others(); }
    // For how long to poll before a sleep. What wakes one thread would wake all that sleep, so
    // where several wait for the network only long waits are sleeps.
    int64_t patience_ns(const base::Waiting& way) const {
        constexpr int64_t kAmongThreadsNs = 1'000'000;
        return has_other_threads() ? kAmongThreadsNs : way.spin_ns();
    }
    // At most that long. False when there already is something.
    bool sleep_on_network(std::chrono::nanoseconds longest);
    bool sleep_until_network_event(int64_t waited_ns);
    void count_wait(base::Waiting* way, int64_t ns);
};

// The running instance, or nullptr; set by lifecycle.cpp only.
extern Runtime* g_running;
inline Runtime* running() {
    return g_running;
}

// Start, stop and their counting (contract of ARMCI_Init and ARMCI_Finalize); in lifecycle.cpp.
// `function` is the public name for messages.
void initialize(const char* function, RequestedLevel requested, MPI_Comm comm);
bool initialize_uncounted(const char* function, MPI_Comm comm);
int finalize();
bool is_initialized();
// May be called before initialize(): per-process limit on global memory, 0 for none.
void set_memory_limit(uint64_t bytes);
uint64_t memory_limit();
// Before a fatal message that may come while the library is not running.
void prepare_to_fail();
[[noreturn]] void abort_job(const char* message, int code);

// Every entry point begins with one of these: ends the job when the library is not running, and
// lets go of the API lock at the end of the call.
class Entry {
  public:
    // What copies by an engine mean for a call: most find them complete; those that start or end
    // non-blocking operations leave them under way.
    enum class Copies : bool { settle, leave };
    // When the call takes the API lock. On demand: operations inside the node run without it, and
    // whatever else there is in the call asks for it.
    enum class Lock : bool { at_once, on_demand };

    explicit Entry(const char* function, Lock lock = Lock::at_once, Copies copies = Copies::settle)
        : runtime_(running()) {
        if (runtime_ == nullptr) {
            fail_not_running(function);
        }
        if (runtime_->is_concurrent) [[unlikely]] {
            begin_concurrently(*runtime_, function, lock, copies);
        } else {
            runtime_->enter_alone(function);
        }
    }
    ~Entry() {
        if (runtime_->is_concurrent) [[unlikely]] {
            end_concurrently(*runtime_);
        }
    }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

    Runtime& operator*() const { return *runtime_; }
    Runtime* operator->() const { return runtime_; }

  private:
    [[noreturn]] static void fail_not_running(const char* function);
    // Apart, so that a thread that is alone has little to save and restore.
    [[gnu::noinline]] static void begin_concurrently(Runtime& runtime, const char* function,
                                                     Lock lock, Copies copies);
    [[gnu::noinline]] static void end_concurrently(Runtime& runtime);

    Runtime* runtime_;
};

}  // namespace armci::core

// SPDX-License-Identifier: BSD-3-Clause
// Makes progress of everything that this process has under way, and does every wait of the library.
// It polls, serves the data server in this process inline, lets other threads in, and sleeps where
// it may.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/stats.h"
#include "base/trace.h"
#include "base/waiting.h"
#include "core/progress/copies.h"
#include "core/progress/long_wait.h"
#include "pipeline/origin/task.h"

namespace armci::core {

class Progress {
  public:
    // `handles` are those of non-blocking operations, which copies end.
    Progress(const WaitContext& context, const node::NodeHeap& heap, Handles& handles,
             base::Stats& stats)
        : context_(context), copies_(context.world, heap, handles), stats_(stats) {}
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // From now on waits make progress there, too. nullptr ends that.
    void use_network(Network* network) { context_.network = network; }
    // How this process waits for the network: what it tries first, and what it has learned.
    void set_waiting(const base::Waiting& waiting) { waiting_ = waiting; }
    const base::Waiting& waiting() const { return waiting_; }

    // It is nullptr in a job of one node.
    Network* network() const { return context_.network; }
    const World& world() const { return context_.world; }
    const base::Config& config() const { return context_.config; }
    Threads& threads() const { return context_.threads; }
    Copies& copies() { return copies_; }
    const Copies& copies() const { return copies_; }
    // This is for waits that do not use this class.
    const WaitContext& context() const { return context_; }

    // Polls once everything that this thread can advance. Returns true when something moved.
    bool advance();
    // Does the same. If no other thread serves the data server in this process, it gets its turn,
    // too.
    void serve();
    // Does the same, for calls that do not wait but that a program may repeat until others have
    // answered. It also lets other threads in.
    void poll();
    // Sleeps for that time, or until the network has something for this rank.
    void nap(int64_t ns);
    // Runs a function that sleeps, and tells the data server in this process before and after it. A
    // sleeping rank leaves its processor to the server. At MPI_THREAD_MULTIPLE other threads may
    // need that processor, so the server learns nothing.
    template <class Sleep>
    void tell_server_of_sleep(Sleep&& sleep) {
        datasrv::Server* const server =
            context_.network == nullptr || context_.threads.is_multiple()
                ? nullptr
                : context_.network->server.get();
        if (server != nullptr) {
            server->set_rank_asleep(true);
        }
        sleep();
        if (server != nullptr) {
            server->set_rank_asleep(false);
        }
    }
    // Returns whether nothing needs this thread while it waits for other ranks. No operations of
    // its own are under way then, and the data server in this process has a thread that the network
    // wakes.
    bool may_sleep_at_barrier() const {
        return context_.network == nullptr ||
               (context_.config.progress_thread && context_.network->origin.tasks().count() == 0 &&
                context_.network->origin.batches().have_left() &&
                (context_.network->server == nullptr ||
                 context_.network->server->is_woken_by_network()));
    }
    // Waits until the copy engine has completed all that this rank gave it so far.
    void settle_copies();
    // Gives a task to a data server and waits until it is complete. `cause` is as below.
    void run_task(pipeline::Task& task, int server, const WaitCause& cause);
    // Is called at the end of a wait. The server's own thread serves requests again.
    void end_inline_progress();
    // `cause` is for reports on waits that last long, and for the timeline.
    template <class Condition>
    void wait_until(const WaitCause& cause, Condition&& condition) {
        if (!condition()) {
            poll_until(cause, condition);
        }
        end_inline_progress();
    }

    // Does the same for a condition that only a network event can make true. It sleeps in the
    // kernel, at once or after a short while (base/waiting.h). The data server or the rank waited
    // for then gets the processor.
    template <class Condition>
    void wait_for_network(const WaitCause& cause, Condition&& condition) {
        wait_for_network(cause, &waiting_, condition);
    }
    // `way` is what was learned from other waits for the same.
    template <class Condition>
    void wait_for_network(const WaitCause& cause, base::Waiting* way, Condition&& condition) {
        if (!condition()) {
            poll_or_sleep_until(cause, way, condition);
        }
        end_inline_progress();
    }

  private:
    // Is called between polls. It serves the data server in this process and lets other threads in.
    void idle();
    // Returns whether a wait for the network serves the own node's requests. It does where this
    // thread cannot sleep meanwhile, or no server thread has to be woken for them.
    bool progresses_server_inline() const {
        return context_.network == nullptr || !context_.config.progress_thread ||
               !context_.network->origin.can_sleep();
    }
    bool sleeps_while_waiting() const {
        return !progresses_server_inline() && !copies_.are_under_way();
    }

    // This function is separate so that calls which need not wait have little to save and restore.
    template <class Condition>
    [[gnu::noinline]] void poll_until(const WaitCause& cause, Condition&& condition) {
        const Threads::Use use(context_.threads);
        const base::TraceSpan span(base::kTraceWait, cause.what, cause.rank);
        base::Backoff backoff;
        LongWait long_wait(context_, cause);
        do {
            long_wait.turn();
            if (advance()) {
                backoff.reset();
                context_.threads.let_others_in();
                continue;
            }
            idle();
            backoff.pause();
        } while (!condition());
    }

    template <class Condition>
    [[gnu::noinline]] void poll_or_sleep_until(const WaitCause& cause, base::Waiting* way,
                                               Condition&& condition) {
        const Threads::Use use(context_.threads);
        const base::TraceSpan span(base::kTraceWait, cause.what, cause.rank);
        int64_t began_ns = 0;
        int64_t idle_since_ns = 0;
        LongWait long_wait(context_, cause);
        do {
            long_wait.turn();
            if (advance()) {
                idle_since_ns = 0;
                context_.threads.let_others_in();
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
                // Other threads are let in before a sleep only if the condition is checked in
                // between.
                context_.threads.let_others_in();
            } else if (may_sleep && sleep_until_network_event(now - began_ns)) {
                way->slept(base::now_ns() - now);
            } else {
                context_.threads.yield();  // also where a provider keeps refusing to let it sleep
            }
        } while (!condition());
        if (began_ns != 0 && sleeps_while_waiting() && !context_.threads.has_others()) {
            count_wait(way, base::now_ns() - began_ns);
        }
        end_measured_wait(began_ns);
    }

    // Returns how long to poll before a sleep. An event that wakes one thread would wake all that
    // sleep. Where several wait for the network, only long waits are therefore sleeps.
    int64_t patience_ns(const base::Waiting& way) const {
        constexpr int64_t kAmongThreadsNs = 1'000'000;
        return context_.threads.has_others() ? kAmongThreadsNs : way.spin_ns();
    }
    // Sleeps at most that long. Returns false when there already is something.
    bool sleep_on_network(std::chrono::nanoseconds longest);
    bool sleep_until_network_event(int64_t waited_ns);
    // What the network costs is learned from waits, too.
    void end_measured_wait(int64_t began_ns);
    void count_wait(base::Waiting* way, int64_t ns);

    WaitContext context_;
    Copies copies_;
    base::Stats& stats_;
    // This is for the network, and for copies by an engine, whose waits never sleep.
    base::Waiting waiting_{2000, 2000, base::Waiting::Trials::no};
};

}  // namespace armci::core

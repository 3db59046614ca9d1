// SPDX-License-Identifier: BSD-3-Clause
// Progress of everything that this process has under way, and every wait of the library: it polls,
// serves the data server in this process inline, lets other threads in, and sleeps where it may.
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

    // From now on waits make progress there, too; nullptr: no more.
    void use_network(Network* network) { context_.network = network; }
    // How this process waits for the network: what it tries first, and what it has learned.
    void set_waiting(const base::Waiting& waiting) { waiting_ = waiting; }
    const base::Waiting& waiting() const { return waiting_; }

    // nullptr in a job of one node.
    Network* network() const { return context_.network; }
    const World& world() const { return context_.world; }
    const base::Config& config() const { return context_.config; }
    Threads& threads() const { return context_.threads; }
    Copies& copies() { return copies_; }
    const Copies& copies() const { return copies_; }
    // For waits that do not go through here.
    const WaitContext& context() const { return context_; }

    // One poll of everything that this thread can move on; true when something moved.
    bool advance();
    // Same, and where nobody else does it, the data server in this process gets its turn.
    void serve();
    // Same, for calls that do not wait, which a program may repeat until others have answered: lets
    // other threads in, too.
    void poll();
    // Sleeps for that time, or until the network has something for this rank.
    void nap(int64_t ns);
    // Whether nothing needs this thread while it waits for other ranks: no operations of its own
    // are under way, and the data server in this process has a thread that the network wakes.
    bool may_sleep_at_barrier() const {
        return context_.network == nullptr ||
               (context_.config.progress_thread && context_.network->origin.tasks().count() == 0 &&
                context_.network->origin.batches().have_left() &&
                (context_.network->server == nullptr ||
                 context_.network->server->is_woken_by_network()));
    }
    // Waits until a copy engine has done all that this rank gave it so far.
    void settle_copies();
    // Gives a task to a data server and waits until it is complete. `cause` as below.
    void run_task(pipeline::Task& task, int server, const WaitCause& cause);
    // At the end of a wait: the data server in this process is on its own again.
    void end_inline_progress();
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
        wait_for_network(cause, &waiting_, condition);
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
    // Between polls: helps the data server in this process and lets other threads in.
    void idle();
    // Whether a wait for the network serves the own node's requests: where this thread cannot sleep
    // meanwhile, or there is no server thread to wake up for them.
    bool progresses_server_inline() const {
        return context_.network == nullptr || !context_.config.progress_thread ||
               !context_.network->origin.can_sleep();
    }
    bool sleeps_while_waiting() const {
        return !progresses_server_inline() && !copies_.are_under_way();
    }

    // Apart, so that calls which need not wait have little to save and restore.
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
                // Not before a sleep, unless the condition is looked at in between.
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
    }

    // For how long to poll before a sleep. What wakes one thread would wake all that sleep, so
    // where several wait for the network only long waits are sleeps.
    int64_t patience_ns(const base::Waiting& way) const {
        constexpr int64_t kAmongThreadsNs = 1'000'000;
        return context_.threads.has_others() ? kAmongThreadsNs : way.spin_ns();
    }
    // At most that long. False when there already is something.
    bool sleep_on_network(std::chrono::nanoseconds longest);
    bool sleep_until_network_event(int64_t waited_ns);
    void count_wait(base::Waiting* way, int64_t ns);

    WaitContext context_;
    Copies copies_;
    base::Stats& stats_;
    // For the network, and for copies by an engine, which are never slept for.
    base::Waiting waiting_{2000, 2000, base::Waiting::Trials::no};
};

}  // namespace armci::core

// SPDX-License-Identifier: BSD-3-Clause
#include "job.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/log.h"
#include "collectives.h"
#include "descriptors.h"
#include "libc.h"
#include "simulation.h"
#include "threads.h"
#include "timeline.h"

namespace armci::sim {
namespace {

// After so many steps without progress every rank gets a turn. After so many turns without progress
// it is a deadlock. Spells of refused posts and naps of waiters are shorter.
constexpr int64_t kPatience = 3000;
constexpr int kTurns = 5000;
constexpr int64_t kMaxSteps = 20'000'000;

Job* g_job = nullptr;

// As the hooks of watching.cpp, which know one process only.
void on_failure() {
    g_job->tell_failure();
}

void on_verdict() {
    g_job->runtime(acting_process()).watch.await_verdict();
}

template <class Weights>
size_t pick(const Weights& weights) {
    int64_t total = 0;
    for (const int64_t weight : weights) {
        total += weight;
    }
    int64_t at = draw(0, total - 1);
    size_t index = 0;
    while (at >= weights[index]) {
        at -= weights[index++];
    }
    return index;
}

}  // namespace

Job::Job(const Plan& plan) : plan_(plan) {
    g_job = this;
    start_provider(plan.provider);
    start_mpi();
    start_descriptors(plan.streams);
    start_threads(plan.rank_count());
    refuse_threads_of(plan.thread_refused_to);
    set_processors(plan.processors);
    sleep_in_earnest(false);
    start_timeline(plan.machine, plan.rank_count());
    set_step_ns(plan.step_ns);
    set_on_exit([this](int code, bool by_thread) { end_process(code, by_thread); });
    for (int node = 0; node < plan.node_count(); ++node) {
        for (int i = 0; i < plan.ranks_of_node[static_cast<size_t>(node)]; ++i) {
            node_of_.push_back(node);
            processes_.push_back(std::make_unique<Process>());
        }
    }
    make_lives();
}

Job::~Job() {
    core::g_running = nullptr;
    base::set_failure_hook(nullptr);
    base::set_verdict_hook(nullptr);
    start_threads(0);
    start_timeline(nullptr, 0);
    g_job = nullptr;
}

// Each with communicators of its own, as MPI_Comm_dup and MPI_Comm_split make them.
void Job::make_lives() {
    std::vector<int> world;
    std::vector<int> leaders;
    std::vector<std::vector<int>> ranks(static_cast<size_t>(plan_.node_count()));
    for (int rank = 0; rank < size(); ++rank) {
        auto& here = ranks[static_cast<size_t>(node_of(rank))];
        if (here.empty()) {
            leaders.push_back(rank);
        }
        here.push_back(rank);
        world.push_back(rank);
    }
    lives_.resize(static_cast<size_t>(plan_.lives));
    for (Life& life : lives_) {
        life.world_comm = make_communicator(world);
        life.leaders_comm = make_communicator(leaders);
        life.nodes.resize(ranks.size());
        for (size_t node = 0; node < ranks.size(); ++node) {
            life.nodes[node].comm = make_communicator(ranks[node]);
        }
    }
}

void Job::enter(int rank) {
    core::g_running = process(rank).runtime.get();
    set_acting_process(rank);
    base::set_log_rank(rank);
    const bool is_watched = core::g_running != nullptr && core::g_running->watch.is_running();
    base::set_failure_hook(is_watched ? on_failure : nullptr);
    base::set_verdict_hook(is_watched ? on_verdict : nullptr);
}

int Job::host_of(int server) const {
    const int per_node = plan_.servers_per_node;
    std::vector<int> ranks;
    for (int rank = 0; rank < static_cast<int>(node_of_.size()); ++rank) {
        if (node_of_[static_cast<size_t>(rank)] == server / per_node) {
            ranks.push_back(rank);
        }
    }
    // The first of its block of ranks.
    const int place =
        (server % per_node * static_cast<int>(ranks.size()) + per_node - 1) / per_node;
    return ranks[static_cast<size_t>(place)];
}

// --- The scheduler -------------------------------------------------------------------------------

void Job::resume(int rank) {
    if (runs(rank) && !process(rank).fiber->has_ended()) {
        enter(rank);
        process(rank).fiber->resume();
        after_turn_();
    }
}

void Job::serve(int server) {
    const int host = host_of(server);
    if (runs(host)) {
        enter(host);
        resume_thread(host, ThreadKind::server);
        after_turn_();
    }
}

void Job::watch(int rank) {
    if (runs(rank)) {
        enter(rank);
        resume_thread(rank, ThreadKind::watch);
        check_reports(rank);
    }
}

void Job::step() {
    count_step();
    enum { network, ranks, servers, watches };
    const std::array<int64_t, 4> weights = {
        pending_operations() > 0 ? plan_.network_weight : 0, plan_.rank_weight,
        plan_.server_threads ? plan_.server_weight : 0, plan_.watch_weight};
    switch (pick(weights)) {
        case network:
            step_network();
            break;
        case ranks:
            resume(static_cast<int>(pick(plan_.rank_weights)));
            break;
        case servers:
            serve(static_cast<int>(pick(plan_.server_weights)));
            break;
        case watches:
            watch(static_cast<int>(draw(0, size() - 1)));
            break;
    }
}

// The scheduler chooses some ranks so seldom that nothing may move for long, so every rank gets a
// turn. After a failure a rank outside a call learns of it, as it would in its next call or in
// ARMCI_Finalize.
bool Job::is_stuck() {
    const int64_t before = sim::step();
    if (before - last_progress() < kPatience) {
        return false;
    }
    for (int turn = 0; turn < kTurns; ++turn) {
        count_step();
        step_network();
        for (int rank = 0; rank < size(); ++rank) {
            resume(rank);
            watch(rank);
            const Process& process = this->process(rank);
            if (has_failed_ && process.is_outside && runs(rank)) {
                enter(rank);
                process.runtime->network->origin.progress();
            }
        }
        for (int server = 0; server < plan_.server_count(); ++server) {
            serve(server);
        }
        if (last_progress() > before) {
            return false;
        }
    }
    return true;
}

std::string Job::describe_state() {
    std::string text = describe(plan_) + "\n";
    for (int rank = 0; rank < size(); ++rank) {
        const Process& process = this->process(rank);
        const bool has_network = process.runtime != nullptr && process.runtime->network != nullptr;
        char line[200];
        std::snprintf(line, sizeof line, "  rank %d%s%s:", rank,
                      process.is_dead              ? " (dead)"
                      : process.is_frozen          ? " (stopped)"
                      : process.fiber->has_ended() ? " (ended)"
                                                   : "",
                      process.is_starting_or_stopping ? " (starts or stops)" : "");
        text += line;
        if (has_network) {
            pipeline::Origin& origin = process.runtime->network->origin;
            std::snprintf(line, sizeof line, " %lld tasks, %zu buffer bytes in use",
                          static_cast<long long>(origin.tasks().count()),
                          origin.buffers().used_bytes());
            text += line;
        }
        text += "\n";
    }
    return text + describe_network();
}

void Job::report_stuck() {
    // While it starts or stops, a rank also waits where it does not look at the network.
    const bool looks = std::none_of(processes_.begin(), processes_.end(), [](const auto& one) {
        return one->is_starting_or_stopping && !one->is_dead;
    });
    if (plan_.victim >= 0 && process(plan_.victim).is_dead && !plan_.watches) {
        if (death_is_noticed() && looks) {
            violation("rank %d has died, the network was asked for it, and the job goes on\n%s",
                      plan_.victim, describe_state().c_str());
        }
        std::fflush(stdout);
        _exit(kUndetectedStatus);
    }
    violation("nothing has moved for %lld steps: a deadlock, or an operation has vanished\n%s",
              static_cast<long long>(sim::step() - last_progress()), describe_state().c_str());
}

void Job::prepare_to_run(const Body& body) {
    for (int rank = 0; rank < size(); ++rank) {
        process(rank).fiber = std::make_unique<Fiber>([this, rank, &body] {
            for (int life = 0; life < plan_.lives; ++life) {
                const auto number = static_cast<size_t>(life);
                pause();
                start(rank, lives_[number]);
                body(rank, life);
                pause();
                stop(rank, lives_[number], plan_.settles[number]);
            }
            record("rank ends", rank);
        });
    }
}

// Who moves next is a question of time.
void Job::run_timed() {
    for (int rank = 0; rank < size(); ++rank) {
        start_thread_at({rank, false}, 0);
    }
    for (int left = size(); left > 0;) {
        const ThreadName thread = next_turn();
        enter(thread.process);
        if (thread.is_server) {
            resume_thread(thread.process, ThreadKind::server);
            end_turn(thread, !has_thread(thread.process, ThreadKind::server));
        } else {
            Fiber& fiber = *process(thread.process).fiber;
            fiber.resume();
            end_turn(thread, fiber.has_ended());
            left -= fiber.has_ended() ? 1 : 0;
        }
    }
}

// No rank runs any more.
void Job::check_end() {
    check_nothing_is_open();
    check_mpi_is_idle();
    if (open_descriptors() > 0) {
        violation("%lld descriptors are left open", static_cast<long long>(open_descriptors()));
    }
}

void Job::run(const Body& body, std::function<void()> after_turn) {
    after_turn_ = std::move(after_turn);
    prepare_to_run(body);
    if (is_timed()) {
        run_timed();
        check_end();
        return;
    }
    while (!is_over()) {
        step();
        for (Life& life : lives_) {
            if (life.resting == size() && !life.has_settled) {
                drain();
                check_nothing_is_left();
                life.has_settled = true;
            }
        }
        if (plan_.failure != Failure::none && !has_failed_ && sim::step() >= plan_.fails_at) {
            fail();
        }
        check_failure();
        const bool time_decides =
            has_failed_ && plan_.watches && !had_left_ && plan_.failure != Failure::reports;
        if (!time_decides && is_stuck()) {
            report_stuck();
        }
        if (sim::step() > kMaxSteps) {
            violation("the run does not end within %lld steps\n%s",
                      static_cast<long long>(kMaxSteps), describe_state().c_str());
        }
    }
    if (ended_ > 0) {
        std::fflush(stderr);
        _exit(kFatalStatus);
    }
    if (plan_.victim >= 0 && process(plan_.victim).is_dead) {
        std::fflush(nullptr);
        _exit(kUndetectedStatus);  // what a killed process had is not destroyed
    }
    check_end();
}

}  // namespace armci::sim

// SPDX-License-Identifier: BSD-3-Clause
// The watches of a simulated job: connections between its processes, and what must follow when one
// of them fails. The launcher does nothing here: every process has to end by itself.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/log.h"
#include "core/job/mpi_collectives.h"
#include "descriptors.h"
#include "job.h"
#include "libc.h"
#include "simulation.h"
#include "threads.h"
#include "watch/watch.h"

namespace armci::sim {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;
constexpr int64_t kLinkS = 1;  // until the system gives up a connection that is cut

// Answers, the end by MPI_Abort and that without it take three seconds and a half.
constexpr int64_t kLimitNs = 5 * kSecondNs;

// Once a process has failed, time is what decides: it goes faster, and watches are chosen more
// often.
constexpr int64_t kStepNs = 200'000;
constexpr int64_t kWatchWeight = 40;

watch::Identity identity_of(int rank, int node) {
    watch::Identity who;
    who.rank = rank;
    who.pid = 1000 + rank;
    std::snprintf(who.host, sizeof who.host, "host%d", node);
    return who;
}

bool ends_job(Failure failure) {
    return failure != Failure::none && failure != Failure::reports;
}

}  // namespace

// The side that comes first makes the stream.
int Job::connect(int rank, int other, Life& life) {
    const auto found = life.waiting_ends.find({rank, other});
    if (found != life.waiting_ends.end()) {
        const int end = found->second;
        life.waiting_ends.erase(found);
        return end;
    }
    const Stream stream = open_stream(rank, other);
    life.waiting_ends[{other, rank}] = stream.ends[1];
    return stream.ends[0];
}

// As watching.cpp: the ranks of a node with its first, and these in a tree.
void Job::start_watch(int rank, Life& life) {
    core::Runtime& runtime = this->runtime(rank);
    const core::World& world = runtime.world;
    Process& process = this->process(rank);
    std::vector<watch::Connection> connections;
    const auto add = [&](int other) {
        const int end = connect(rank, other, life);
        connections.emplace_back(base::Descriptor(end), identity_of(other, node_of(other)));
        return end;
    };
    if (!world.is_leader()) {
        add(world.first_rank_of(world.node));
    } else {
        for (size_t i = 1; i < world.node_ranks.size(); ++i) {
            add(world.node_ranks[i]);
        }
        if (world.node > 0) {
            process.to_parent = add(world.first_rank_of((world.node - 1) / plan_.tree_width));
        }
        const int first_child = plan_.tree_width * world.node + 1;
        const int end = std::min(first_child + plan_.tree_width, world.node_count);
        for (int child = first_child; child < end; ++child) {
            add(world.first_rank_of(child));
        }
    }
    core::mpi::barrier(life.world_comm);
    watch::WatchOptions options;
    options.rank = rank;
    options.silence_s = plan_.silence_s;
    options.link_s = kLinkS;
    options.reported = &runtime.node.heap.control().loss_reported;
    std::string error;
    process.has_left = false;
    if (!runtime.watch.start(std::move(connections), options, &error) &&
        plan_.thread_refused_to != rank) {
        violation("the watch of rank %d does not start: %s", rank, error.c_str());
    }
    enter(rank);
}

void Job::stop_watch(int rank) {
    runtime(rank).watch.stop();
    process(rank).has_left = true;
    record("left", rank);
}

// --- Failures ------------------------------------------------------------------------------------

void Job::kill(int rank) {
    record("kill", rank);
    process(rank).is_dead = true;
    kill_process(rank);
    close_streams_of(rank);
}

void Job::begin_failure() {
    has_failed_ = true;
    failed_ns_ = simulated_ns();
    if (plan_.watches && !had_left_ && ends_job(plan_.failure)) {
        set_step_ns(kStepNs);
        sleep_in_earnest(true);
        plan_.watch_weight = kWatchWeight;
    }
}

// The process that runs now has said why it ends the job.
void Job::tell_failure() {
    if (!has_failed_ && plan_.start_fails()) {
        plan_.failure = Failure::error;
        plan_.victim = acting_process();
        begin_failure();
    }
    if (has_failed_ && plan_.failure == Failure::error && acting_process() == plan_.victim) {
        failed_ns_ = simulated_ns();  // the call that fails may have been late
    }
    runtime(acting_process()).watch.tell_failure();
}

// Carries out the failure of the plan, as soon as the others would notice it: a process that fails
// before it has a watch, or between two lives, is the launcher's business.
void Job::fail() {
    int victim = plan_.victim;
    if (plan_.failure == Failure::cut) {
        const int node = std::max(1, node_of(victim));
        victim = host_of(node * plan_.servers_per_node);
    }
    Process& process = this->process(victim);
    const bool is_watched = process.runtime != nullptr && process.runtime->watch.is_running();
    const bool has_ended = process.fiber->has_ended();
    if (plan_.watches && !is_watched && !has_ended) {
        return;
    }
    had_left_ = plan_.watches && has_ended;
    record("failure", victim, static_cast<int64_t>(plan_.failure));
    begin_failure();
    switch (plan_.failure) {
        case Failure::none:
            return;
        case Failure::death:
            return kill(victim);
        case Failure::freeze:
            process.is_frozen = !has_ended;
            return;
        case Failure::cut:
            if (!has_ended) {
                cut_stream(process.to_parent, kLinkS * kSecondNs);
            }
            return;
        case Failure::error:
            make_fail(victim);
            return;
        case Failure::reports:
            if (!has_ended) {
                enter(victim);
                process.runtime->watch.call_for_reports();
            }
            return;
    }
}

// A call for reports reaches every rank, unless a watch on its way has stopped before.
void Job::check_reports(int rank) {
    constexpr int kManyTurns = 60;
    constexpr int64_t kManySteps = 20'000;
    if (plan_.failure != Failure::reports || !has_failed_ || had_left_) {
        return;
    }
    Process& process = this->process(rank);
    all_watch_ = all_watch_ && std::all_of(processes_.begin(), processes_.end(), [](auto& one) {
                     return one->runtime != nullptr && one->runtime->watch.is_running();
                 });
    process.was_asked |= process.runtime != nullptr && process.runtime->watch.is_report_due();
    if (all_watch_ && !process.was_asked && ++process.watch_turns > kManyTurns &&
        sim::step() > plan_.fails_at + kManySteps) {
        violation("rank %d has not heard the call for reports of rank %d", rank, plan_.victim);
    }
}

// The process that runs now ends by itself. What it prints is looked at afterwards.
void Job::end_process(int code, bool by_thread) {
    const int rank = acting_process();
    std::fflush(stdout);
    const bool is_watched = plan_.watches && runtime(rank).watch.is_running();
    if (!is_watched || !has_failed_ || !ends_job(plan_.failure)) {
        std::fprintf(stderr, "  the library ended the job at step %lld; replay with: %s\n",
                     static_cast<long long>(sim::step()), replay_hint());
        std::fflush(stderr);
        _exit(kFatalStatus);
    }
    if (had_left_) {
        violation("rank %d ends because of rank %d, which had taken leave", rank, plan_.victim);
    }
    std::fprintf(stderr, "process of rank %d ends by itself%s\n", rank,
                 by_thread ? ", by a thread" : "");
    record("end", rank, code);
    ++ended_;
    process(rank).is_dead = true;
    kill_process(rank);
    close_streams_of(rank);
}

// Within the time limits every process has ended, or has stopped the library before it could learn
// of the failure. One that has no watch waits for the launcher.
void Job::check_failure() {
    if (!plan_.watches || !has_failed_ || had_left_ || !ends_job(plan_.failure)) {
        return;
    }
    const bool takes_time = plan_.failure == Failure::freeze || plan_.failure == Failure::cut;
    const int64_t limit_ns = kLimitNs + (takes_time ? 2 * kSecondNs : 0);
    const bool is_late = simulated_ns() > failed_ns_ + limit_ns;
    const auto goes_on = std::find_if(processes_.begin(), processes_.end(), [](const auto& one) {
        return !one->is_dead && !one->is_frozen && !one->fiber->has_ended();
    });
    if (is_late && goes_on != processes_.end() && (ended_ > 0 || plan_.failure != Failure::error)) {
        const auto knows = std::find_if(goes_on, processes_.end(), [](const auto& one) {
            return !one->is_dead && !one->is_frozen && one->runtime != nullptr &&
                   one->runtime->watch.is_running();
        });
        if (knows == processes_.end()) {
            std::fflush(nullptr);
            _exit(ended_ > 0 ? kFatalStatus : kUndetectedStatus);
        }
        violation("rank %d goes on, %lld ms after rank %d has failed\n%s",
                  static_cast<int>(knows - processes_.begin()),
                  static_cast<long long>((simulated_ns() - failed_ns_) / 1'000'000), plan_.victim,
                  describe_state().c_str());
    }
    // When the others have ended, the process that was stopped goes on. It must find that out.
    Process& victim = process(plan_.victim);
    if (victim.is_frozen && goes_on == processes_.end()) {
        victim.is_frozen = false;
        failed_ns_ = simulated_ns();
    }
}

bool Job::is_over() {
    return std::all_of(processes_.begin(), processes_.end(),
                       [](const auto& one) { return one->is_dead || one->fiber->has_ended(); });
}

}  // namespace armci::sim

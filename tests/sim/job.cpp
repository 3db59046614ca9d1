// SPDX-License-Identifier: BSD-3-Clause
#include "job.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/log.h"
#include "collectives.h"
#include "fabric/immediate_data.h"
#include "simulation.h"

namespace armci::sim {
namespace {

// After so many steps without progress every rank gets a turn. After so many turns without progress
// it is a deadlock. Spells of refused posts and naps of waiters are shorter.
constexpr int64_t kPatience = 3000;
constexpr int kTurns = 5000;
constexpr int64_t kMaxSteps = 20'000'000;

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

// In the simulation a token tells the rank; that nobody guesses it is not simulated.
uint64_t token_of(int rank) {
    return 0x1111'1111'1111'1111 * static_cast<uint64_t>(rank % 15 + 1) +
           static_cast<uint64_t>(rank);
}

}  // namespace

Job::Job(const Plan& plan) : plan_(plan) {
    start_provider(plan.provider);
    start_mpi();
    set_step_ns(plan.step_ns);
    std::vector<int> world;
    std::vector<int> leaders;
    for (int node = 0; node < plan.node_count(); ++node) {
        std::vector<int> ranks;
        for (int i = 0; i < plan.ranks_of_node[static_cast<size_t>(node)]; ++i) {
            ranks.push_back(static_cast<int>(world.size()));
            world.push_back(ranks.back());
            node_of_.push_back(node);
        }
        leaders.push_back(ranks.front());
        Node& made = nodes_.emplace_back();
        made.heap = std::make_unique<test::TestHeap>(size_t{16} << 20);
        made.comm = make_communicator(ranks);
    }
    world_comm_ = make_communicator(world);
    leaders_comm_ = make_communicator(leaders);
    for (const int rank : world) {
        open_rank(rank);
    }
    for (const int rank : world) {
        open_server(rank);
    }
    make_server_records();
    for (const int rank : world) {
        open_origin(rank);
    }
    for (int node = 0; node < plan.node_count(); ++node) {
        join_barrier(node);
    }
    finish_opening();
}

Job::~Job() {
    for (const auto& process : processes_) {
        process->runtime->network->origin.close();
    }
    for (const auto& process : processes_) {
        if (process->runtime->network->server != nullptr) {
            process->runtime->network->server->stop();
        }
    }
    for (const auto& process : processes_) {
        process->runtime->segments.stop();
        process->runtime->groups.stop();
    }
    core::g_running = nullptr;
}

void Job::enter(int rank) {
    core::g_running = processes_[static_cast<size_t>(rank)]->runtime.get();
    set_calling_rank(rank);
    base::set_log_rank(rank);
}

// As core/lifecycle.cpp does from agreed settings on.
void Job::open_rank(int rank) {
    auto process = std::make_unique<Process>();
    process->job = this;
    process->runtime = std::make_unique<core::Runtime>();
    core::Runtime& runtime = *process->runtime;
    processes_.push_back(std::move(process));
    enter(rank);

    base::Config& config = runtime.configuration.config;
    config.route = static_cast<int>(plan_.route);
    config.explicit_nb_progress = plan_.explicit_progress;
    config.no_flush_local = plan_.no_flush_local;
    config.progress_thread = plan_.server_threads;

    runtime.world.fast_path_ranks = plan_.takes_fast_paths ? plan_.rank_count() : 0;

    const int node = node_of(rank);
    core::World& world = runtime.world;
    world.user_comm = world_comm_;
    world.comm = world_comm_;
    world.rank = rank;
    world.size = plan_.rank_count();
    world.node = node;
    world.node_count = plan_.node_count();
    world.node_of.assign(node_of_.begin(), node_of_.end());
    for (int other = 0; other < world.size; ++other) {
        if (node_of(other) == node) {
            world.rank_in_node += other < rank ? 1 : 0;
            world.node_ranks.push_back(other);
        }
    }
    world.node_comm = nodes_[static_cast<size_t>(node)].comm;
    world.leaders_comm = world.is_leader() ? leaders_comm_ : MPI_COMM_NULL;

    test::TestHeap& heap = *nodes_[static_cast<size_t>(node)].heap;
    runtime.node.mapping.base = heap.base();
    runtime.node.mapping.bytes = heap.mapping_bytes();
    runtime.node.heap = *heap;
    node::HeapControl& control = runtime.node.heap.control();
    runtime.barriers.start(node::NodeBarrier(&control.barrier, world.rank_in_node,
                                             static_cast<int>(world.node_ranks.size())));
    runtime.mutexes.start(node::MutexQueue(&control.waiters));
    runtime.attached.start();
    runtime.groups.start(world);
    runtime.segments.start(world);
    const base::Waiting waiting(plan_.spin_ns, 2 * plan_.spin_ns, base::Waiting::Trials::yes);
    runtime.progress.set_waiting(waiting);
    runtime.barriers.set_waiting(waiting);

    runtime.network = std::make_unique<core::Network>();
    runtime.progress.use_network(runtime.network.get());
    core::Network& network = *runtime.network;
    network.servers = {plan_.node_count(), plan_.servers_per_node};
    for (int other = 0; other < world.size; ++other) {
        network.rank_tokens.push_back(token_of(other));
    }
    network.token = token_of(rank);
    std::string error;
    const auto peers = static_cast<size_t>(world.size + network.servers.count());
    if (!network.domain.open(choose_simulated_provider(), peers, &error)) {
        violation("the domain of rank %d does not open: %s", rank, error.c_str());
    }
    if (network.domain.notifies_perhaps()) {
        network.domain.set_notifies_writes(fabric::immediate_data_works(network.domain));
    }
    const Twin* twin = plan_.provider.twin;
    if (twin != nullptr && network.domain.notifies_writes() != twin->immediate_data()) {
        violation("immediate data: the library says %d, the provider %d",
                  network.domain.notifies_writes(), twin->immediate_data());
    }
    if (!plan_.provider.immediate_data) {
        network.domain.set_notifies_writes(false);
    }
    const bool ordered = plan_.use_ordering && network.domain.orders_writes();
    rma_usable_ = network.domain.row().rma && (ordered || network.domain.row().delivery);
    network.rma_usable = rma_usable_;
    if (!rma_usable_ && plan_.route == base::RouteChoice::rma) {
        config.route = static_cast<int>(base::RouteChoice::automatic);
    }
    pipeline::PipelineLimits limits;
    limits.small_bytes = pipeline::kMaxSmallBytes;
    network.costs = pipeline::CostModel({}, limits);
    network.costs.choose_from(plan_.min_rma_block);
    network.costs.choose_get_by_put_from(plan_.min_get_by_put);
}

void Job::open_server(int rank) {
    core::Runtime& runtime = this->runtime(rank);
    core::Network& network = *runtime.network;
    if (runtime.world.rank_in_node >= plan_.servers_per_node) {
        return;
    }
    enter(rank);
    datasrv::ServerOptions options;
    options.servers = network.servers;
    options.number = network.servers.first_of(runtime.world.node) + runtime.world.rank_in_node;
    options.token = network.token;
    options.rank_count = runtime.world.size;
    options.rank_tokens = network.rank_tokens.data();
    options.buffer_count = static_cast<size_t>(plan_.buffer_count);
    options.buffer_bytes = static_cast<size_t>(plan_.buffer_bytes);
    options.client_window_bytes = plan_.window_bytes;
    options.receive_bytes = static_cast<size_t>(plan_.receive_bytes);
    options.recv_buffer_count = plan_.write_chunks ? static_cast<uint32_t>(plan_.receive_count) : 0;
    options.register_segments = network.rma_usable;
    options.use_ordering = plan_.use_ordering;
    label_next_endpoint(true, options.number, rank);
    network.server = std::make_unique<datasrv::Server>();
    std::string error;
    if (!network.server->open(network.domain, runtime.node.heap, options, &error)) {
        violation("data server %d does not open: %s", options.number, error.c_str());
    }
}

// What ranks know of the servers' nodes. Addresses are asked for elsewhere (OriginEnvironment).
void Job::make_server_records() {
    for (int server = 0; server < plan_.server_count(); ++server) {
        const core::NodeMapping& mapping = runtime(host_of(server)).node.mapping;
        core::ServerRecord& record = server_records_.emplace_back();
        record.heap_begin = reinterpret_cast<uint64_t>(mapping.base);
        record.heap_bytes = mapping.bytes;
        record.token = runtime(host_of(server)).network->token;
    }
    for (const auto& process : processes_) {
        core::Network& network = *process->runtime->network;
        network.server_addresses = reinterpret_cast<unsigned char*>(server_records_.data());
        network.server_address_bytes = sizeof(core::ServerRecord);
    }
}

void Job::open_origin(int rank) {
    core::Runtime& runtime = this->runtime(rank);
    core::Network& network = *runtime.network;
    enter(rank);
    pipeline::OriginOptions options;
    options.rank = rank;
    options.token = network.token;
    options.servers = network.servers;
    options.buffer_count = static_cast<size_t>(plan_.buffer_count);
    options.buffer_bytes = static_cast<size_t>(plan_.buffer_bytes);
    options.receive_bytes = static_cast<size_t>(plan_.answer_bytes);
    options.server_window_bytes = plan_.window_bytes;
    options.register_min_bytes = plan_.register_min_bytes;
    options.write_chunks = plan_.write_chunks;
    options.use_ordering = plan_.use_ordering;
    pipeline::OriginEnvironment environment;
    environment.context = processes_[static_cast<size_t>(rank)].get();
    environment.server_address = server_address;
    environment.recv_area = recv_area;
    environment.server_token = server_token;
    label_next_endpoint(false, rank, rank);
    std::string error;
    if (!network.origin.open(network.domain, options, environment, &runtime.stats, &error)) {
        violation("the origin of rank %d does not open: %s", rank, error.c_str());
    }
    network.origin.frames().depth().set(plan_.depth_limit);
}

void Job::join_barrier(int node) {
    const auto leader = [this](int of) { return host_of(of * plan_.servers_per_node); };
    const pipeline::InterNodeBarrier barrier(node, plan_.node_count());
    std::vector<pipeline::BarrierMessages::Address> partners;
    for (int round = 0; round < barrier.round_count(); ++round) {
        partners.push_back(
            runtime(leader(barrier.notified_in(round))).network->origin.barrier().address());
    }
    enter(leader(node));
    runtime(leader(node)).network->origin.barrier().join(barrier, partners);
}

int Job::host_of(int server) const {
    const int node = server / plan_.servers_per_node;
    const auto first = std::find(node_of_.begin(), node_of_.end(), node);
    return static_cast<int>(first - node_of_.begin()) + server % plan_.servers_per_node;
}

const void* Job::server_address(void* process, int server) {
    Job& job = *static_cast<Process*>(process)->job;
    return job.runtime(job.host_of(server)).network->server->address().data();
}

uint64_t Job::server_token(void* process, int server) {
    Job& job = *static_cast<Process*>(process)->job;
    return job.server_records_[static_cast<size_t>(server)].token;
}

const pipeline::RecvAreaAddress* Job::recv_area(void* process, int server) {
    Job& job = *static_cast<Process*>(process)->job;
    return &job.runtime(job.host_of(server)).network->server->recv_area();
}

// --- The scheduler -------------------------------------------------------------------------------

void Job::resume(int rank) {
    Process& process = *processes_[static_cast<size_t>(rank)];
    if (process.is_dead) {
        return;
    }
    enter(rank);
    if (!process.fiber->has_ended()) {
        process.fiber->resume();
        after_turn_();
    } else if (process.runtime->network->server != nullptr) {
        process.runtime->network->server->progress_inline();  // as in ARMCI_Finalize
    }
}

void Job::serve(int server) {
    const int host = host_of(server);
    if (!processes_[static_cast<size_t>(host)]->is_dead) {
        enter(host);
        runtime(host).network->server->progress_inline();
        after_turn_();
    }
}

void Job::step() {
    count_step();
    enum { network, ranks, servers };
    const std::array<int64_t, 3> weights = {pending_operations() > 0 ? plan_.network_weight : 0,
                                            plan_.rank_weight,
                                            plan_.server_threads ? plan_.server_weight : 0};
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
    }
}

void Job::kill(int rank) {
    record("kill", rank);
    processes_[static_cast<size_t>(rank)]->is_dead = true;
    kill_process(rank);
}

// The scheduler chooses some ranks so seldom that nothing may move for long, so every rank gets a
// turn. A rank outside a call learns of failures, as it would in its next call or in
// ARMCI_Finalize.
bool Job::is_stuck() {
    const int64_t before = sim::step();
    if (before - last_progress() < kPatience) {
        return false;
    }
    for (int turn = 0; turn < kTurns; ++turn) {
        count_step();
        step_network();
        for (int rank = 0; rank < plan_.rank_count(); ++rank) {
            resume(rank);
            const Process& process = *processes_[static_cast<size_t>(rank)];
            if ((process.fiber->has_ended() || process.is_outside) && !process.is_dead) {
                process.runtime->network->origin.progress();
            }
        }
        for (int server = 0; server < plan_.server_count() && plan_.server_threads; ++server) {
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
    for (int rank = 0; rank < plan_.rank_count(); ++rank) {
        const Process& process = *processes_[static_cast<size_t>(rank)];
        pipeline::Origin& origin = process.runtime->network->origin;
        char line[200];
        std::snprintf(line, sizeof line, "  rank %d%s: %lld tasks, %zu buffer bytes in use\n", rank,
                      process.is_dead              ? " (dead)"
                      : process.fiber->has_ended() ? " (ended)"
                                                   : "",
                      static_cast<long long>(origin.tasks().count()),
                      origin.buffers().used_bytes());
        text += line;
    }
    return text + describe_network();
}

void Job::report_stuck() {
    if (has_died(plan_.victim)) {
        if (death_is_noticed()) {
            violation("rank %d has died, the network was asked for it, and the job goes on\n%s",
                      plan_.victim, describe_state().c_str());
        }
        std::fflush(stdout);
        _exit(kUndetectedStatus);
    }
    violation("nothing has moved for %lld steps: a deadlock, or an operation has vanished\n%s",
              static_cast<long long>(sim::step() - last_progress()), describe_state().c_str());
}

void Job::run(const std::function<void(int rank)>& body, std::function<void()> after_turn) {
    after_turn_ = std::move(after_turn);
    for (int rank = 0; rank < plan_.rank_count(); ++rank) {
        processes_[static_cast<size_t>(rank)]->fiber = std::make_unique<Fiber>([this, rank, &body] {
            core::Runtime& runtime = this->runtime(rank);
            runtime.notifications.start(runtime.memory, runtime.barriers, runtime.groups.world());
            body(rank);
            record("rank ends", rank);
        });
    }
    const auto has_ended = [](const std::unique_ptr<Process>& process) {
        return process->fiber->has_ended();
    };
    while (!std::all_of(processes_.begin(), processes_.end(), has_ended)) {
        step();
        if (sim::step() == plan_.dies_at && plan_.victim >= 0) {
            kill(plan_.victim);
        }
        if (is_stuck()) {
            report_stuck();
        }
        if (sim::step() > kMaxSteps) {
            violation("the run does not end within %lld steps\n%s",
                      static_cast<long long>(kMaxSteps), describe_state().c_str());
        }
    }
    drain();
}

// Until no rank or server has more to do: operations that are under way when the last rank ends
// still arrive.
void Job::drain() {
    constexpr int kQuietRounds = 50;
    end_delays();
    for (int64_t quiet = 0; quiet < kQuietRounds;) {
        const int64_t before = sim::step();
        count_step();
        while (step_network()) {
        }
        for (int rank = 0; rank < plan_.rank_count(); ++rank) {
            enter(rank);
            runtime(rank).network->origin.progress();
        }
        for (int server = 0; server < plan_.server_count(); ++server) {
            serve(server);
        }
        quiet = last_progress() > before ? 0 : quiet + 1;
    }
}

void Job::check_nothing_is_left() {
    if (pending_operations() > 0) {
        violation("operations are left in the network\n%s", describe_state().c_str());
    }
    for (int rank = 0; rank < plan_.rank_count(); ++rank) {
        const pipeline::Origin::Load load = runtime(rank).network->origin.load();
        if (load != pipeline::Origin::Load{}) {
            violation(
                "rank %d has not got back all it had: %lld tasks, %lld buffer bytes, %lld "
                "frame bytes, %lld requests, %lld reply buffers, %lld credits, %lld reserved, "
                "%lld posts\n%s",
                rank, static_cast<long long>(load.tasks), static_cast<long long>(load.buffer_bytes),
                static_cast<long long>(load.frame_bytes), static_cast<long long>(load.requests),
                static_cast<long long>(load.reply_buffers), static_cast<long long>(load.credits),
                static_cast<long long>(load.reserved_bytes), static_cast<long long>(load.posts),
                describe_state().c_str());
        }
    }
    for (int number = 0; number < plan_.server_count(); ++number) {
        datasrv::Server& server = *runtime(host_of(number)).network->server;
        datasrv::Server::Load load = server.load();
        int64_t held = 0;
        for (int rank = 0; rank < plan_.rank_count(); ++rank) {
            const pipeline::Channel& channel = runtime(rank).network->origin.channel(number);
            held += static_cast<int64_t>(channel.recv_buffers.granted.size());
            if (channel.recv_buffers.granted.size() > channel.recv_buffers.keep) {
                violation(
                    "rank %d holds %zu granted receive buffers of server %d without work; %u it "
                    "may",
                    rank, channel.recv_buffers.granted.size(), number, channel.recv_buffers.keep);
            }
        }
        const int64_t all = server.recv_area().recv_buffer_count;
        if (load.free_recv_buffers + held != all) {
            violation(
                "of %lld granted receive buffers of server %d %lld are free and %lld with origins",
                static_cast<long long>(all), number, static_cast<long long>(load.free_recv_buffers),
                static_cast<long long>(held));
        }
        load.free_recv_buffers = 0;
        if (load != datasrv::Server::Load{}) {
            violation(
                "server %d has something left: %lld data bytes, %lld answer bytes, %lld "
                "answers, %lld early frames, %lld streams, %lld gets by put, %lld "
                "acknowledgements, %lld posts\n%s",
                number, static_cast<long long>(load.data_bytes),
                static_cast<long long>(load.answer_bytes),
                static_cast<long long>(load.waiting_answers),
                static_cast<long long>(load.early_frames), static_cast<long long>(load.streams),
                static_cast<long long>(load.gets_by_put),
                static_cast<long long>(load.acknowledgements), static_cast<long long>(load.posts),
                describe_state().c_str());
        }
    }
}

}  // namespace armci::sim

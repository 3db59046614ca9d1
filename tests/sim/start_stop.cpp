// SPDX-License-Identifier: BSD-3-Clause
// Start and stop of the library on a simulated rank: as lifecycle.cpp does it, with the real
// open_network() and close_network(). What needs processes of their own is made by hand: MPI's
// communicators, the memory that a node shares, the liveness connections.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "base/topology.h"
#include "core/job/mpi_collectives.h"
#include "core/sync/fences.h"
#include "datasrv/server.h"
#include "engine.h"
#include "fabric/faults.h"
#include "job.h"
#include "lifecycle/open_network.h"
#include "pipeline/costs/cost_profile.h"
#include "simulation.h"
#include "threads.h"

// Calls of the library between its layers that come here first (see CMakeLists.txt). If one is not
// there any more, linking fails.
#define ARMCI_SIM_CHOOSE "_ZN5armci6fabric15choose_providerERKNS0_15ProviderRequestE"
#define ARMCI_SIM_ENGINE "_ZN5armci4core16make_copy_engineERKNS_4base6ConfigEm"
#define ARMCI_SIM_SERVER                                                   \
    "_ZN5armci7datasrv6Server4openERNS_6fabric6DomainERNS_4node8NodeHeapE" \
    "RKNS0_13ServerOptionsEPNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
#define ARMCI_SIM_ORIGIN                                               \
    "_ZN5armci8pipeline6Origin4openERNS_6fabric6DomainE"               \
    "RKNS0_13OriginOptionsERKNS0_17OriginEnvironmentEPNS_4base5StatsE" \
    "PNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"

namespace armci::sim {
fabric::ProviderChoice really_choose(const fabric::ProviderRequest& request) asm(
    "__real_" ARMCI_SIM_CHOOSE);
bool really_open_server(datasrv::Server* server, fabric::Domain& domain, node::NodeHeap& heap,
                        const datasrv::ServerOptions& options,
                        std::string* error) asm("__real_" ARMCI_SIM_SERVER);
bool really_open_origin(pipeline::Origin* origin, fabric::Domain& domain,
                        const pipeline::OriginOptions& options,
                        const pipeline::OriginEnvironment& environment, base::Stats* stats,
                        std::string* error) asm("__real_" ARMCI_SIM_ORIGIN);

namespace {

const Plan* g_started = nullptr;
core::Runtime* starting_runtime() {
    return core::g_running;
}

// With ARMCI_ROUTE=rma the job ends where that is impossible.
void choose_possible_route(const fabric::ProviderChoice& choice) {
    base::Config& config = starting_runtime()->configuration.config;
    const fi_tx_attr& granted = *choice.info->tx_attr;
    const bool is_ordered =
        g_started->use_ordering && (granted.msg_order & FI_ORDER_SAW) != 0 &&
        (granted.msg_order & (FI_ORDER_WAW | FI_ORDER_RMA_WAW)) != 0 &&
        choice.info->ep_attr->max_order_waw_size >= choice.info->ep_attr->max_msg_size;
    const bool is_usable = choice.row->rma && (is_ordered || choice.row->delivery);
    if (!is_usable && config.route_choice() == base::RouteChoice::rma) {
        config.route = static_cast<int>(base::RouteChoice::automatic);
    }
}

}  // namespace

fabric::ProviderChoice choose(const fabric::ProviderRequest& request) asm(
    "__wrap_" ARMCI_SIM_CHOOSE);
fabric::ProviderChoice choose(const fabric::ProviderRequest& request) {
    if (g_started == nullptr) {
        return really_choose(request);
    }
    fabric::ProviderChoice choice =
        g_started->provider.twin != nullptr ? really_choose(request) : choose_simulated_provider();
    if (choice.info) {
        choose_possible_route(choice);
    } else if (g_started->provider.refusal.call != StartCall::information) {
        violation("the library finds no provider: %s", choice.error.c_str());
    }
    return choice;
}

std::unique_ptr<node::CopyEngine> make_copy_engine(const base::Config&,
                                                   uint64_t) asm("__wrap_" ARMCI_SIM_ENGINE);
std::unique_ptr<node::CopyEngine> make_copy_engine(const base::Config&, uint64_t) {
    return g_started != nullptr && g_started->engine_min_bytes > 0 ? make_engine() : nullptr;
}

// Narrows what a job of so few ranks has plenty of. Without a job, as in clients.cpp, nothing is
// changed.
bool open_server(datasrv::Server* server, fabric::Domain& domain, node::NodeHeap& heap,
                 const datasrv::ServerOptions& options,
                 std::string* error) asm("__wrap_" ARMCI_SIM_SERVER);
bool open_server(datasrv::Server* server, fabric::Domain& domain, node::NodeHeap& heap,
                 const datasrv::ServerOptions& options, std::string* error) {
    if (g_started == nullptr) {
        return really_open_server(server, domain, heap, options, error);
    }
    datasrv::ServerOptions narrow = options;
    if (!g_started->is_timed()) {
        narrow.client_window_bytes = g_started->window_bytes;
        narrow.receive_bytes = static_cast<size_t>(g_started->window_bytes * options.rank_count);
    }
    if (g_started->has_few_receives) {
        narrow.receive_bytes =
            std::max(static_cast<size_t>(g_started->window_bytes), narrow.receive_bytes / 4);
    }
    label_endpoints(options.number);
    const bool is_open = really_open_server(server, domain, heap, narrow, error);
    label_endpoints(-1);
    return is_open;
}

bool open_origin(pipeline::Origin* origin, fabric::Domain& domain,
                 const pipeline::OriginOptions& options,
                 const pipeline::OriginEnvironment& environment, base::Stats* stats,
                 std::string* error) asm("__wrap_" ARMCI_SIM_ORIGIN);
bool open_origin(pipeline::Origin* origin, fabric::Domain& domain,
                 const pipeline::OriginOptions& options,
                 const pipeline::OriginEnvironment& environment, base::Stats* stats,
                 std::string* error) {
    if (g_started == nullptr) {
        return really_open_origin(origin, domain, options, environment, stats, error);
    }
    pipeline::OriginOptions narrow = options;
    if (!g_started->is_timed()) {
        narrow.server_window_bytes = g_started->window_bytes;
    }
    if (options.write_chunks && !g_started->is_timed()) {
        narrow.receive_bytes = static_cast<size_t>(g_started->answer_bytes);
    }
    return really_open_origin(origin, domain, narrow, environment, stats, error);
}

namespace {

// The file stays open.
std::string make_profile(const std::string& text) {
    const int file = memfd_create("profile", MFD_CLOEXEC);
    if (write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
        violation("the profile cannot be written");
    }
    return "/proc/self/fd/" + std::to_string(file);
}

// That of a timed run: the machine's own.
std::string machine_profile_path(const Machine& machine) {
    pipeline::CostProfile profile = machine.profile;
    profile.provider = "simulated";
    return make_profile(pipeline::format_profile(profile));
}

// A profile of costs for all providers, so that no rank measures how fast it copies: that would
// take long, and differ from run to run.
const std::string& free_profile_path() {
    static const std::string path = [] {
        std::string text;
        std::vector<std::string> names = {"simulated"};
        for (const Twin& twin : all_twins()) {
            names.emplace_back(twin.provider);
        }
        std::sort(names.begin(), names.end());
        names.erase(std::unique(names.begin(), names.end()), names.end());
        for (const std::string& name : names) {
            const std::string one = pipeline::format_profile({name, "simulated", "2026-01-01", {}});
            text += text.empty() ? one : one.substr(one.find("provider ="));
        }
        return make_profile(text);
    }();
    return path;
}

}  // namespace

// Ranks come and go at different times.
void Job::pause() {
    for (int64_t left = draw(0, plan_.longest_pause); left > 0; --left) {
        Fiber::yield();
    }
}

// Over IP all rails have the only interface that there is.
std::string Job::interfaces() const {
    const Twin* twin = plan_.provider.twin;
    std::string names;
    for (int rail = 0; plan_.rails > 1 && rail < plan_.rails; ++rail) {
        const std::string adapter = twin == nullptr ? "adapter"
                                    : twin->address_format == FI_SOCKADDR_IN
                                        ? "192.0.2.1"
                                        : adapter_name(*twin, rail);
        names += (rail > 0 ? "," : "") + adapter;
    }
    return names;
}

void Job::configure(base::Config* config) {
    config->route = static_cast<int>(plan_.route);
    config->explicit_nb_progress = plan_.explicit_progress;
    config->no_flush_local = plan_.no_flush_local;
    config->progress_thread = plan_.server_threads;
    config->provider = plan_.provider.twin != nullptr ? plan_.provider.twin->provider : "simulated";
    if (profile_path_.empty()) {
        profile_path_ =
            plan_.is_timed() ? machine_profile_path(*plan_.machine) : free_profile_path();
    }
    config->profile = profile_path_;
    config->interface = interfaces();
    fabric::set_faults({.divides_short = true});
    config->node_size = 1;  // virtual nodes
    config->servers_per_node = plan_.counts_adapters ? base::kAuto : plan_.servers_per_node;
    config->buffer_size = plan_.buffer_bytes;
    config->buffer_count = plan_.buffer_count;
    config->recv_buffer_count = plan_.receive_count;
    config->register_min = plan_.register_min_bytes;
    config->copy_engine_min = plan_.engine_min_bytes;
    config->costs = static_cast<int>(plan_.costs);
    config->rma_min_block = plan_.min_rma_block;
    config->get_by_put_min = plan_.min_get_by_put;
    config->in_place_min = plan_.min_in_place;
    config->mailboxes = plan_.mailboxes;
    const auto order = plan_.use_ordering ? base::OrderChoice::automatic : base::OrderChoice::none;
    config->rma_order = static_cast<int>(order);
}

void Job::share_nodes(int rank, Life& life) {
    core::Runtime& runtime = this->runtime(rank);
    Node& node = life.nodes[static_cast<size_t>(node_of(rank))];
    core::World& world = runtime.world;
    world.user_comm = life.world_comm;
    world.comm = life.world_comm;
    world.rank = rank;
    world.size = size();
    world.node = node_of(rank);
    world.node_count = plan_.node_count();
    world.node_of = core::NodeNumbers({node_of_.begin(), node_of_.end()}, world.node_count, rank);
    for (int other = 0; other < world.size; ++other) {
        if (node_of(other) == world.node) {
            world.rank_in_node += other < rank ? 1 : 0;
            world.node_ranks.push_back(other);
        }
    }
    world.node_comm = node.comm;
    world.leaders_comm = world.is_leader() ? life.leaders_comm : MPI_COMM_NULL;
    world.is_single_host = !plan_.is_timed();
    // Where ranks outnumber processors, there is one server by default.
    world.processor_count = plan_.counts_adapters ? plan_.rank_count() : base::processor_count();
    world.fast_path_ranks = plan_.takes_fast_paths ? world.size : 0;
    if (life.memory == nullptr) {
        life.memory = std::make_unique<HostMemory>(plan_.node_count(), size_t{16} << 20);
    }
    if (!node.heap.valid()) {
        node.heap = life.memory->make_heap(node_of(rank));
    }
    runtime.node.mapping.base = life.memory->base_of(node_of(rank));
    runtime.node.mapping.bytes = life.memory->bytes_each();
    runtime.node.heap = node.heap;
    runtime.node.keeper.start(runtime.node.heap, {});  // keeps nothing, so it has no thread
}

void Job::start_parts(int rank) {
    core::Runtime& runtime = this->runtime(rank);
    node::HeapControl& control = runtime.node.heap.control();
    const auto node_ranks = static_cast<int>(runtime.world.node_ranks.size());
    runtime.mutexes.start(node::MutexQueue(&control.waiters));
    runtime.attached.start();
    runtime.groups.start(runtime.world, node::NodeBarrier(&control.barrier, control.barrier_flags,
                                                          runtime.world.rank_in_node, node_ranks));
    runtime.segments.start(runtime.world);
}

// What the library has found out must be the same everywhere, and what the provider promises.
void Job::check_start(int rank, Life& life) {
    const core::Network& network = *runtime(rank).network;
    const fabric::Domain& domain = network.domain;
    std::ostringstream text;
    text << "provider " << domain.provider_name() << ", immediate data " << domain.notifies_writes()
         << ", remote access " << network.rma_usable << ", " << network.servers.count()
         << " servers, " << network.buffers.count << " buffers of " << network.buffers.bytes
         << ", receive " << network.buffers.receive_count << ", " << domain.rails().size()
         << " more rails";
    if (life.agreed.empty()) {
        life.agreed = text.str();
    } else if (life.agreed != text.str()) {
        violation("rank %d has \"%s\" after the start, and another rank \"%s\"", rank,
                  text.str().c_str(), life.agreed.c_str());
    }
    const ProviderPlan& provider = plan_.provider;
    const bool has_data = provider.rma && provider.immediate_data &&
                          provider.immediate_bytes >= sizeof(uint32_t) && provider.without_data < 0;
    if (!plan_.start_fails() && domain.notifies_writes() != has_data) {
        violation("immediate data: the library says %d, the provider %d", domain.notifies_writes(),
                  has_data);
    }
    const bool is_ordered = (provider.message_order & FI_ORDER_SAW) != 0 &&
                            (provider.message_order & (FI_ORDER_WAW | FI_ORDER_RMA_WAW)) != 0 &&
                            provider.ordered_bytes >= provider.largest_bytes;
    const int usable = plan_.rails - (provider.broken_adapter >= 0 ? 1 : 0);
    const int rails = provider.rma && (provider.delivery || is_ordered) ? usable : 1;
    if (domain.rails().size() + 1 != static_cast<size_t>(rails)) {
        violation("there are %zu rails, and should be %d", domain.rails().size() + 1, rails);
    }
    if (network.servers.per_node != plan_.servers_per_node) {
        violation("a node has %d servers, and should have %d", network.servers.per_node,
                  plan_.servers_per_node);
    }
    // Adapters of unknown places are used in turn, first by ranks with a data server.
    const int first_rails = domain.row().fabrics_have_names && provider.adapters > 1 ? usable : 1;
    const core::World& world = runtime(rank).world;
    const auto has_server = [&](int place) { return network.rank_servers.is_host(world, place); };
    int turn = 0;
    for (int place = 0; place < static_cast<int>(world.node_ranks.size()); ++place) {
        const bool is_before = has_server(place) == has_server(world.rank_in_node)
                                   ? place < world.rank_in_node
                                   : has_server(place);
        turn += is_before ? 1 : 0;
    }
    const char* adapter = domain.info().domain_attr->name;
    if (plan_.counts_adapters &&
        adapter_name(*provider.twin, turn % provider.adapters) != adapter) {
        violation("the adapter is %s, and should be number %d", adapter, turn % provider.adapters);
    }
    const auto first_rail = static_cast<size_t>(turn % first_rails);
    if (network.first_rail != first_rail) {
        violation("the first rail has number %zu, and should have %zu", network.first_rail,
                  first_rail);
    }
}

void Job::start(int rank, Life& life) {
    g_started = &plan_;
    Process& process = this->process(rank);
    process.is_starting_or_stopping = true;
    process.runtime = std::make_unique<core::Runtime>();
    enter(rank);
    record("start", rank);
    core::Runtime& runtime = *process.runtime;
    configure(&runtime.configuration.config);
    share_nodes(rank, life);
    start_parts(rank);
    if (plan_.watches) {
        start_watch(rank, life);
    }
    begin_start();
    lifecycle::open_network(runtime);
    finish_start();
    check_start(rank, life);
    const base::Waiting waiting(plan_.spin_ns, 2 * plan_.spin_ns, base::Waiting::Trials::yes);
    runtime.progress.set_waiting(waiting);
    if (plan_.engine_min_bytes > 0) {
        runtime.progress.copies().start(make_engine(), plan_.engine_min_bytes);
        if (runtime.threads.raise_level(MPI_THREAD_SINGLE, true)) {
            runtime.segments.share_among_threads();
        }
    }
    runtime.barriers.set_waiting(waiting);
    runtime.network->origin.frames().depth().set(plan_.depth_limit);
    runtime.notifications.start(runtime.memory, runtime.barriers, runtime.groups.world());
    process.is_starting_or_stopping = false;
    record("started", rank);
}

// As ARMCI_Finalize.
void Job::stop(int rank, Life& life, bool settles) {
    Process& process = this->process(rank);
    core::Runtime& runtime = *process.runtime;
    record("stop", rank);
    process.is_starting_or_stopping = true;
    runtime.completion.wait_everything();
    core::fence_all(runtime.progress);
    MPI_Request all_stop = MPI_REQUEST_NULL;
    MPI_Ibarrier(runtime.world.comm, &all_stop);
    int done = 0;
    runtime.progress.wait_until({"ARMCI_Finalize", "the other ranks"}, [&] {
        MPI_Test(&all_stop, &done, MPI_STATUS_IGNORE);
        return done != 0;
    });
    if (settles) {
        settle(rank, life);
    }
    runtime.progress.copies().stop();
    runtime.segments.stop();
    lifecycle::close_network(runtime);
    runtime.groups.stop();
    core::mpi::barrier(runtime.world.node_comm);
    if (plan_.watches) {
        stop_watch(rank);
    }
    process.runtime.reset();
    enter(rank);
    process.is_starting_or_stopping = false;
    record("stopped", rank);
}

// Between the program and the stop all ranks wait here, until nothing moves any more and all has
// been looked at.
void Job::settle(int rank, Life& life) {
    ++life.resting;
    wait_outside(rank, [&] { return life.has_settled; });
}

// Runs the job until no rank or server has more to do. Operations that are under way when the last
// rank ends still arrive.
void Job::drain() {
    constexpr int kQuietRounds = 50;
    // The network may refuse what a rank or server still has to post for some spells in a row.
    constexpr int kRefusedRounds = 1000;
    suspend_delays(true);
    for (int quiet = 0, refused = 0; quiet < kQuietRounds && refused < kRefusedRounds;) {
        const int64_t refusals = refused_posts();
        const int64_t before = sim::step();
        count_step();
        while (step_network()) {
        }
        for (int rank = 0; rank < size(); ++rank) {
            enter(rank);
            runtime(rank).network->origin.progress();
        }
        for (int server = 0; server < plan_.server_count(); ++server) {
            const int host = host_of(server);
            enter(host);
            runtime(host).network->server->progress_inline();
            serve(server);
        }
        if (last_progress() > before) {
            quiet = 0;
            refused = 0;
        } else {
            ++(refused_posts() > refusals ? refused : quiet);
        }
    }
    suspend_delays(false);
}

void Job::check_nothing_is_left() {
    if (pending_operations() > 0) {
        violation("operations are left in the network\n%s", describe_state().c_str());
    }
    for (int rank = 0; rank < size(); ++rank) {
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
        for (int rank = 0; rank < size(); ++rank) {
            const pipeline::Channel& channel = runtime(rank).network->origin.channel(number);
            held += channel.recv_buffers.held();
            if (channel.recv_buffers.held() > channel.recv_buffers.keep) {
                violation(
                    "rank %d holds %u granted receive buffers of server %d without work; %u it "
                    "may",
                    rank, channel.recv_buffers.held(), number, channel.recv_buffers.keep);
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
                "answers, %lld early frames, %lld streams, %lld acknowledgements, %lld "
                "posts\n%s",
                number, static_cast<long long>(load.data_bytes),
                static_cast<long long>(load.answer_bytes),
                static_cast<long long>(load.waiting_answers),
                static_cast<long long>(load.early_frames), static_cast<long long>(load.streams),
                static_cast<long long>(load.acknowledgements), static_cast<long long>(load.posts),
                describe_state().c_str());
        }
    }
}

}  // namespace armci::sim

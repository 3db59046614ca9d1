// SPDX-License-Identifier: BSD-3-Clause
#include "lifecycle/open_network.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>

#include "base/log.h"
#include "base/placement.h"
#include "base/random.h"
#include "core/job/mpi_collectives.h"
#include "core/routing/cost_setup.h"
#include "fabric/environment.h"
#include "fabric/immediate_data.h"
#include "fabric/ip_address.h"
#include "lifecycle/choose_network.h"
#include "lifecycle/node_tables.h"
#include "lifecycle/places.h"
#include "lifecycle/rails.h"
#include "pipeline/buffers/flow_plan.h"
#include "watch/meeting.h"
#include "watch/reach.h"

namespace armci::lifecycle {
namespace {

// What all ranks must have in common. It is taken from rank 0.
struct CommonSettings {
    char provider[64] = "";
    char error[512] = "";
    core::BufferPlan buffers;  // sizes are powers of two, as the buffer manager rounds them
    core::TransferCosts costs;
    int servers_per_node = 1;
    int interface_count = 1;  // that ARMCI_INTERFACE names
};

// Counts the servers. Each is in a process of its own, and all nodes have equally many. The number
// of adapters is that of this node, and 1 where ARMCI_INTERFACE names some: each server uses all of
// these.
int count_servers_per_node(const core::World& world, int64_t wanted, size_t adapters) {
    std::vector<int64_t> ranks(static_cast<size_t>(world.node_count));
    for (int rank = 0; rank < world.size; ++rank) {
        ++ranks[static_cast<size_t>(world.node_of[rank])];
    }
    const int64_t min = *std::min_element(ranks.begin(), ranks.end());
    if (wanted == base::kAuto) {
        return base::default_server_count(
            {min, static_cast<int64_t>(adapters), world.is_oversubscribed});
    }
    if (wanted > min) {
        ARMCI_LOG_WARN(
            "ARMCI_SERVERS_PER_NODE=%lld, but a node has only %lld rank%s to run data servers in; "
            "each node has %lld. Start more ranks on every node, or lower it",
            static_cast<long long>(wanted), static_cast<long long>(min), min == 1 ? "" : "s",
            static_cast<long long>(min));
    }
    return static_cast<int>(std::min(wanted, min));
}

static_assert(watch::Meeting::kMaxAddresses == fabric::Endpoint::kMaxRails);
static_assert(wire::kMaxFurtherRails + 1 == fabric::Endpoint::kMaxRails);

// Counts the interfaces that are tried as rails.
int count_interfaces(const base::Config& config) {
    const size_t named = config.interfaces().size();
    if (named > fabric::Endpoint::kMaxRails) {
        ARMCI_LOG_WARN("ARMCI_INTERFACE names %zu interfaces; the first %zu are used", named,
                       fabric::Endpoint::kMaxRails);
    }
    return static_cast<int>(std::min(named, fabric::Endpoint::kMaxRails));
}

// Returns the longest chunk that is worth its memory. Chunks whose data is sent in place gain most
// from more, and only one rail does that.
int64_t largest_chunk_bytes(const fabric::ProviderRow& row, int interface_count) {
    return row.gathers_writes && interface_count <= 1 ? 512 << 10 : 256 << 10;
}

// `choice` is what this rank would choose.
CommonSettings agree_on_settings(Runtime& runtime, const fabric::ProviderChoice& choice) {
    CommonSettings settings;
    const base::Config& config = runtime.config();
    if (runtime.world.rank == 0) {
        if (!choice.info) {
            std::strncpy(settings.error, choice.error.c_str(), sizeof settings.error - 1);
        } else {
            std::strncpy(settings.provider, choice.info->fabric_attr->prov_name,
                         sizeof settings.provider - 1);
            settings.costs = core::find_costs(config, settings.provider, choice.row->costs);
            settings.servers_per_node = count_servers_per_node(
                runtime.world, config.servers_per_node, choice.adapters.size());
            settings.interface_count = count_interfaces(config);
            settings.buffers =
                core::plan_buffers(config, settings.costs.constants,
                                   largest_chunk_bytes(*choice.row, settings.interface_count));
        }
    }
    core::mpi::bcast(&settings, sizeof settings, MPI_BYTE, 0, runtime.world.comm);
    return settings;
}

// Every rank on another node than a server's may send to it. So may its own node's, which only send
// small requests.
pipeline::FlowPlan flow_plan(const Runtime& runtime, const CommonSettings& settings) {
    return pipeline::plan_flow({.rank_count = runtime.world.size,
                                .servers_per_node = settings.servers_per_node,
                                .buffer_bytes = settings.buffers.bytes,
                                .recv_buffer_count = settings.buffers.receive_count,
                                .notifies_writes = runtime.network->domain.notifies_writes()});
}

// Returns the number of ranks that share this host's processors.
int ranks_here(const Runtime& runtime, bool single_host) {
    return single_host ? runtime.world.size : static_cast<int>(runtime.world.node_ranks.size());
}

// Returns "host b, 192.0.2.1" for a node, for log and error text. Other threads call it, too.
std::string place_of(const core::Network& network, int node) {
    const core::ServerRecord& record = network.record_of(network.servers.first_of(node));
    const std::string address =
        base::text_of(fabric::ip_of(network.domain.info().addr_format, network.address_of(record)));
    return record.host + (address.empty() ? "" : ", " + address);
}

std::string describe_node(const void* context, int node) {
    const auto& runtime = *static_cast<const Runtime*>(context);
    return "node " + std::to_string(node) + " (rank " +
           std::to_string(runtime.world.first_rank_of(node)) + " on " +
           place_of(*runtime.network, node) + ")";
}

std::string ask_node(const void* context, int node) {
    const auto& runtime = *static_cast<const Runtime*>(context);
    core::Network& network = *runtime.network;
    std::vector<int> asked;
    if (node < 0) {
        asked = network.origin.report().silent_servers();
    } else {
        asked.push_back(network.servers.first_of(node));
    }
    for (const int server : asked) {
        const std::string complaint =
            watch::ask_server(network.domain, network.address_of(network.record_of(server)),
                              runtime.config().lost_link_seconds);
        if (!complaint.empty()) {
            return describe_node(context, network.servers.node_of(server)) + " " + complaint;
        }
    }
    return {};
}

std::string describe_rank(const void* context, int rank) {
    const auto& runtime = *static_cast<const Runtime*>(context);
    return "rank " + std::to_string(rank) + " (on " +
           place_of(*runtime.network, runtime.world.node_of[rank]) + ")";
}

datasrv::ServerOptions server_options(Runtime& runtime, const CommonSettings& settings,
                                      int processor) {
    const base::Config& config = runtime.config();
    datasrv::ServerOptions options;
    options.use_ordering = config.order_choice() == base::OrderChoice::automatic;
    options.servers = runtime.network->servers;
    options.number = runtime.network->rank_servers.hosted();
    options.token = runtime.network->token;
    options.rank_count = runtime.world.size;
    options.rank_tokens = runtime.network->rank_tokens.data();
    options.buffer_count = static_cast<size_t>(settings.buffers.count);
    options.buffer_bytes = static_cast<size_t>(settings.buffers.bytes);
    const pipeline::FlowPlan flow = flow_plan(runtime, settings);
    options.client_window_bytes = flow.window_bytes;
    options.receive_bytes = flow.server_receive_bytes;
    options.recv_buffer_count = flow.recv_buffer_count;
    options.mailbox_count = static_cast<uint32_t>(config.mailboxes);
    options.write_chunks = flow.write_chunks;
    options.register_segments = runtime.network->rma_usable;
    options.is_oversubscribed = runtime.world.is_oversubscribed;
    options.poll = config.server_poll_choice();
    // Where ranks outnumber the processors, polling takes one from the rank that the work is done
    // for. Measured with two ranks to a processor, requests took up to ten times as long.
    options.spin_us = options.is_oversubscribed ? 0 : config.server_spin_us;
    options.poll_sleep_us = config.progress_usleep;
    options.processor = processor;
    options.describe_rank = describe_rank;
    options.describe_context = &runtime;
    return options;
}

void open_server(Runtime& runtime, const CommonSettings& settings, int processor) {
    core::Network& network = *runtime.network;
    const base::Config& config = runtime.config();
    if (runtime.network->rank_servers.hosted() < 0) {
        return;
    }
    network.server = std::make_unique<datasrv::Server>();
    std::string error;
    if (!network.server->open(network.domain, runtime.node.heap,
                              server_options(runtime, settings, processor), &error)) {
        base::fatal("ARMCI_Init", "the data server of %s cannot start: %s%s. %s",
                    core::describe_node(runtime.world).c_str(), error.c_str(),
                    fabric::exhausted_limit(), kProviderRemedy);
    }
    // Longer transfers come in chunks of the buffers' size.
    network.server->use_engine(
        core::make_copy_engine(config, 2 * static_cast<uint64_t>(runtime.world.rank) + 1),
        std::min(config.copy_engine_min, settings.buffers.bytes / 2));
    if (config.progress_thread && !network.server->start_thread()) {
        base::fatal(
            "ARMCI_Init",
            "the system refuses a thread for the data server of %s; raise the limit on threads "
            "(ulimit -u), or set ARMCI_PROGRESS_THREAD=0",
            core::describe_node(runtime.world).c_str());
    }
}

const void* server_address(void* context, int server) {
    const core::Network& network = *static_cast<Runtime*>(context)->network;
    return network.address_of(network.record_of(server));
}

const pipeline::RecvAreaAddress* server_recv_area(void* context, int server) {
    return &static_cast<Runtime*>(context)->network->record_of(server).recv_area;
}

const uint64_t* server_recv_area_keys(void* context, int server) {
    return core::further_keys_of(static_cast<Runtime*>(context)->network->record_of(server));
}

uint64_t server_token(void* context, int server) {
    return static_cast<Runtime*>(context)->network->record_of(server).token;
}

void open_origin(Runtime& runtime, const CommonSettings& settings) {
    const base::Config& config = runtime.config();
    pipeline::OriginOptions options;
    options.rank = runtime.world.rank;
    options.token = runtime.network->token;
    options.servers = runtime.network->servers;
    // Each rail has chunks of its own under way.
    options.depth =
        static_cast<int32_t>(settings.buffers.depth * std::max(1, settings.interface_count));
    options.buffer_count = static_cast<size_t>(settings.buffers.count);
    options.buffer_bytes = static_cast<size_t>(settings.buffers.bytes);
    const pipeline::FlowPlan flow = flow_plan(runtime, settings);
    options.receive_bytes = flow.origin_receive_bytes;
    options.server_window_bytes = flow.window_bytes;
    options.registrations = core::plan_registrations(config, settings.costs.constants);
    options.in_place_min_bytes = config.in_place_min;
    options.write_chunks = flow.write_chunks;
    options.has_answer_slots = config.mailboxes > 0 && flow.write_chunks;
    options.use_ordering = config.order_choice() == base::OrderChoice::automatic;
    pipeline::OriginEnvironment environment;
    environment.context = &runtime;
    environment.server_address = server_address;
    environment.recv_area = server_recv_area;
    environment.recv_area_keys = server_recv_area_keys;
    environment.server_token = server_token;
    environment.describe_node = describe_node;
    environment.ask_node = ask_node;
    std::string error;
    if (!runtime.network->origin.open(runtime.network->domain, options, environment, &runtime.stats,
                                      &error)) {
        base::fatal("ARMCI_Init", "the network endpoint cannot be opened: %s%s. %s", error.c_str(),
                    fabric::exhausted_limit(), kProviderRemedy);
    }
}

// The nodes' first ranks meet at barriers. Each needs to know only those with which it exchanges
// messages there. Where the provider sends none alone, they meet by MPI.
void join_barrier(Runtime& runtime) {
    const core::World& world = runtime.world;
    core::Network& network = *runtime.network;
    core::MeetingPlace& place = runtime.groups.world()->meeting_place();
    const pipeline::BarrierMessages::Address& address = network.origin.barriers().address();
    uint64_t address_bytes = address.size();
    core::mpi::allreduce(&address_bytes, 1, MPI_UINT64_T, MPI_MAX, world.comm);
    network.origin_address_bytes = address_bytes;
    place.by_mpi = !network.domain.row().sends_alone;
    if (place.by_mpi || !world.is_leader()) {
        return;
    }
    using Report = std::vector<unsigned char>;  // a rank, its token and its address
    constexpr size_t kAddressOffset = 2 * sizeof(uint64_t);
    Report mine(kAddressOffset + address_bytes);
    const uint64_t head[] = {static_cast<uint64_t>(world.rank), network.token};
    std::memcpy(mine.data(), head, sizeof head);
    std::copy(address.begin(), address.end(), mine.begin() + kAddressOffset);
    const pipeline::InterNodeBarrier barrier(world.node, world.node_count);
    std::map<int, Report> reports;  // by node
    const auto exchange = [&](int to, int from) {
        Report& report = reports[from];
        report.resize(mine.size());
        const int bytes = static_cast<int>(mine.size());
        MPI_Sendrecv(mine.data(), bytes, MPI_BYTE, to, 0, report.data(), bytes, MPI_BYTE, from, 0,
                     world.leaders_comm, MPI_STATUS_IGNORE);
    };
    for (int round = 0; round < barrier.round_count(); ++round) {
        exchange(barrier.notifier_in(round), barrier.notified_in(round));
        exchange(barrier.notified_in(round), barrier.notifier_in(round));
    }
    place.between = network.origin.barriers().join(
        "ARMCI_Init", core::Group::kWorldNumber, barrier, [&](int node) {
            const Report& report = reports[node];
            uint64_t head_there[2];
            std::memcpy(head_there, report.data(), sizeof head_there);
            return pipeline::BarrierMessages::Partner{static_cast<int>(head_there[0]), node,
                                                      head_there[1],
                                                      report.data() + kAddressOffset};
        });
}

// Where ranks and data servers outnumber the processors, the process that is waited for often needs
// this processor.
base::Waiting way_of_waiting(const Runtime& runtime, bool single_host) {
    constexpr int64_t kOversubscribedUs = 10;
    constexpr int64_t kRoomyUs = 100;
    constexpr int64_t kMaxOversubscribedUs = 50;
    const int64_t given_us = runtime.config().wait_spin_us;
    if (given_us != base::kAuto) {
        return {1000 * given_us, 1000 * given_us, base::Waiting::Trials::no};
    }
    const pipeline::ServerNumbers& numbers = runtime.network->servers;
    const int servers = single_host ? numbers.count() : numbers.per_node;
    const int threads = ranks_here(runtime, single_host) + servers;
    const bool is_oversubscribed = threads > runtime.world.processor_count;
    const int64_t min_us = is_oversubscribed ? kOversubscribedUs : kRoomyUs;
    const int64_t max_us = is_oversubscribed ? kMaxOversubscribedUs : kRoomyUs;
    return {1000 * min_us, 1000 * max_us, base::Waiting::Trials::yes,
            runtime.world.is_oversubscribed ? base::Waiting::Way::sleep : base::Waiting::Way::poll};
}

// Returns what the first interface gives that has a provider.
fabric::ProviderChoice choose_any(const base::Config& config, const std::string& provider,
                                  bool single_host) {
    fabric::ProviderChoice choice;
    for (const std::string& interface : config.interfaces()) {
        choice = fabric::choose_provider({provider, interface, single_host});
        if (choice.info) {
            break;
        }
    }
    return choice;
}

// Chooses the provider that rank 0 chooses, on all ranks. `settings` gets what goes with it.
fabric::ProviderChoice agree_on_provider(Runtime& runtime, CommonSettings* settings) {
    const base::Config& config = runtime.config();
    const bool single_host = runtime.world.is_single_host;
    fabric::use_ports(config.ports());
    fabric::use_link_limit(config.lost_link_seconds);
    // All ranks do this at the same time, because libfabric may take 100 ms to start.
    fabric::ProviderChoice choice = choose_any(config, config.provider, single_host);
    *settings = agree_on_settings(runtime, choice);
    if (settings->error[0] != '\0') {
        if (runtime.world.rank == 0) {
            base::fatal("ARMCI_Init",
                        "no network between the nodes: %s%s. Set ARMCI_PROVIDER or "
                        "ARMCI_INTERFACE; fi_info lists what libfabric has",
                        settings->error, fabric::exhausted_limit());
        }
        core::mpi::barrier(runtime.world.comm);  // rank 0 ends the job
    }
    if (!choice.info || std::strcmp(choice.info->fabric_attr->prov_name, settings->provider) != 0) {
        choice = choose_any(config, settings->provider, single_host);
    }
    if (!choice.info) {
        base::fatal("ARMCI_Init",
                    "rank 0 chose provider %s, but on %s: %s%s. Set ARMCI_INTERFACE to a network "
                    "that all hosts "
                    "have, or ARMCI_PROVIDER to another provider",
                    settings->provider, core::describe_node(runtime.world).c_str(),
                    choice.error.c_str(), fabric::exhausted_limit());
    }
    return choice;
}

// A server inserts every rank, the origin every server.
size_t peer_count(const Runtime& runtime) {
    return static_cast<size_t>(runtime.world.size + runtime.network->servers.count());
}

void open_domain(Runtime& runtime, fabric::ProviderChoice choice, int servers_per_node) {
    runtime.network = std::make_unique<core::Network>();
    runtime.progress.use_network(runtime.network.get());
    core::Network& network = *runtime.network;
    network.servers = {runtime.world.node_count, servers_per_node};
    network.rank_servers.start(runtime.world, network.servers);
    // Rank 0 reports these, because the others used what it had chosen.
    network.passed_over = choice.passed_over;
    network.idle_adapter = choice.idle_adapter;
    std::string error;
    if (!network.domain.open(std::move(choice), peer_count(runtime), &error)) {
        base::fatal("ARMCI_Init", "the network cannot be opened on %s: %s%s. %s",
                    core::describe_node(runtime.world).c_str(), error.c_str(),
                    fabric::exhausted_limit(), kProviderRemedy);
    }
}

// Draws this process's token, new in each job, and learns those of the ranks that may send to a
// data server here. The servers' tokens travel with their addresses.
void exchange_tokens(Runtime& runtime) {
    core::Network& network = *runtime.network;
    while (network.token == wire::kNoToken) {
        if (!base::draw_random(&network.token, sizeof network.token)) {
            base::fatal("ARMCI_Init",
                        "the system refuses random numbers (getrandom: %s), without which "
                        "strangers could reach the memory of this job; allow that call",
                        std::strerror(errno));
        }
    }
    std::vector<uint64_t> tokens(static_cast<size_t>(runtime.world.size));
    tokens[static_cast<size_t>(runtime.world.rank)] = network.token;
    core::mpi::allgather(tokens.data(), sizeof network.token, runtime.world.comm);
    if (runtime.network->rank_servers.hosted() >= 0) {
        network.rank_tokens = std::move(tokens);
    }
}

// RMA is usable only if its completion, or the order of writes, tells of remote completion.
void decide_on_rma(core::Network& network, const base::Config& config) {
    const bool ordered =
        config.order_choice() == base::OrderChoice::automatic && network.domain.orders_writes();
    const fabric::ProviderRow& row = network.domain.row();
    network.rma_usable = row.rma && (ordered || network.domain.delivers_writes());
    if (!network.rma_usable && config.route_choice() == base::RouteChoice::rma) {
        base::fatal("ARMCI_Init",
                    "ARMCI_ROUTE=rma, but provider %s cannot be used for direct remote "
                    "access here%s%s; unset ARMCI_ROUTE or choose another ARMCI_PROVIDER",
                    network.domain.provider_name().c_str(), row.remark[0] != '\0' ? ": " : "",
                    row.remark);
    }
}

// Immediate data is used if all processes have it. The provider's attributes say so, or, if they do
// not, a trial shows it.
void agree_on_immediate_data(const core::World& world, fabric::Domain* domain) {
    int works = domain->notifies_writes() ||
                        (domain->notifies_perhaps() && fabric::immediate_data_works(*domain))
                    ? 1
                    : 0;
    core::mpi::allreduce(&works, 1, MPI_INT, MPI_MIN, world.comm);
    domain->set_notifies_writes(works != 0);
}

}  // namespace

void open_network(Runtime& runtime) {
    if (runtime.world.node_count == 1) {
        return;
    }
    const base::Config& config = runtime.config();
    const bool single_host = runtime.world.is_single_host;
    // Virtual nodes share their host's processors.
    runtime.world.is_oversubscribed =
        ranks_here(runtime, single_host) > runtime.world.processor_count;
    CommonSettings settings;
    fabric::ProviderChoice choice = agree_on_provider(runtime, &settings);
    // Until the end, because the threads of a provider that is open read variables.
    const fabric::LibfabricEnvironment environment;
    std::vector<RailChoice> rails;
    std::string network_reason;
    Place place;
    size_t first_rail = 0;
    if (settings.interface_count > 1) {
        rails = choose_rails(runtime, settings.provider, settings.interface_count);
        place = agree_on_place(runtime, settings.servers_per_node,
                               agree_on_adapters(runtime.world, rails));
        first_rail = rotate_to(place.adapter, &rails);
        if (!place.adapter.empty() &&
            fabric::interface_name(*rails.front().choice.info) != place.adapter) {
            ARMCI_LOG_INFO(
                "adapter %s is not the first here, because ARMCI_INTERFACE names other ones than "
                "on this node's first rank",
                place.adapter.c_str());
        }
        choice.info = std::move(rails.front().choice.info);
        network_reason = std::move(rails.front().network_reason);
        rails.erase(rails.begin());
    } else {
        network_reason = agree_on_network(runtime, NetworkNeed::required, &choice).reason;
        place = agree_on_place(runtime, settings.servers_per_node, choice.adapters);
        use_adapter(runtime.world, place.adapter, &choice);
    }
    open_domain(runtime, std::move(choice), settings.servers_per_node);
    core::Network& network = *runtime.network;
    network.network_reason = std::move(network_reason);
    network.first_rail = first_rail;
    open_rails(runtime.world, std::move(rails), peer_count(runtime), &network.domain);
    check_keys(runtime.world, network.domain);
    agree_on_immediate_data(runtime.world, &network.domain);
    core::plan_receive_buffers(network.domain.notifies_writes() && !network.domain.pins_memory(),
                               &settings.buffers);
    decide_on_rma(network, config);
    share_rank_tables(runtime);
    exchange_tokens(runtime);
    open_server(runtime, settings, place.processor);
    exchange_addresses(runtime);
    open_origin(runtime, settings);
    join_barrier(runtime);
    network.usual_link = single_host ? core::Link::host : core::Link::network;
    network.has_links_of_both_kinds = !single_host && config.node_size > 0;
    core::set_up_costs(network, config, settings.costs, settings.buffers);
    const base::Waiting waiting = way_of_waiting(runtime, single_host);
    runtime.progress.set_waiting(waiting);
    runtime.barriers.set_waiting(waiting);
    network.domain.end_start();
    core::mpi::barrier(runtime.world.comm);
}

void close_network(Runtime& runtime) {
    if (runtime.network == nullptr) {
        return;
    }
    // Servers must outlive the last request of every origin, and origins the last answer.
    runtime.barriers.wait_for_world();
    datasrv::Server* server = runtime.network->server.get();
    if (server != nullptr) {
        server->fall_silent();
        runtime.progress.wait_until({"ARMCI_Finalize", "answers of the data server to leave"},
                                    [&] { return server->has_fallen_silent(); });
    }
    runtime.barriers.wait_for_world();
    runtime.network->origin.close();
    core::mpi::barrier(runtime.world.comm);
    if (server != nullptr) {
        server->stop();
    }
    if (runtime.world.is_leader()) {
        runtime.node.heap.release(runtime.network->server_addresses_record);
    }
    runtime.progress.use_network(nullptr);
    runtime.network.reset();
}

}  // namespace armci::lifecycle

// SPDX-License-Identifier: BSD-3-Clause
#include "lifecycle/report.h"

#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/config_value.h"
#include "base/descriptor.h"
#include "base/log.h"
#include "base/strangers.h"
#include "core/job/mpi_collectives.h"
#include "core/job/thread_level.h"
#include "core/progress/thread_stats.h"
#include "core/routing/explain.h"
#include "fabric/environment.h"

namespace armci::lifecycle {
namespace {

// Returns "eth0,eth1", the rails in their order.
std::string interface_names(const fabric::Domain& domain) {
    std::string names = fabric::interface_name(domain.info());
    for (const std::unique_ptr<fabric::Domain>& rail : domain.rails()) {
        names += "," + fabric::interface_name(rail->info());
    }
    return names;
}

std::string range_of_spinning(const base::Waiting& waiting) {
    const std::string min = std::to_string(waiting.min_ns() / 1000);
    const std::string max = std::to_string(waiting.max_ns() / 1000);
    return (min == max ? min : min + ".." + max) + (waiting.tries() ? ", or none" : "");
}

// Returns what the library has chosen for a variable that leaves something to it, or nothing.
std::string chosen_for(const Runtime& runtime, std::string_view name) {
    if (name == "ARMCI_HEAP_SIZE" && runtime.config().heap_size == 0) {
        return base::bytes_text(static_cast<int64_t>(runtime.node.mapping.bytes));
    }
    if (name == "ARMCI_KEEP_FREED") {
        return base::bytes_text(static_cast<int64_t>(runtime.node.keeper.max_bytes()));
    }
    if (name == "ARMCI_THREAD_LEVEL") {
        return core::value_of_level(runtime.threads.level());
    }
    const core::Network* network = runtime.network.get();
    if (network == nullptr) {
        return {};
    }
    if (name == "ARMCI_PROVIDER") {
        return network->domain.provider_name();
    }
    if (name == "ARMCI_INTERFACE") {
        return interface_names(network->domain);
    }
    if (name == "ARMCI_BUFFER_COUNT") {
        return std::to_string(network->buffers.count);
    }
    if (name == "ARMCI_BUFFER_SIZE") {
        return base::bytes_text(network->buffers.bytes);
    }
    if (name == "ARMCI_RECV_BUFFER_COUNT") {
        return std::to_string(network->buffers.receive_count);
    }
    if (name == "ARMCI_SERVERS_PER_NODE") {
        return std::to_string(network->servers.per_node);
    }
    if (name == "ARMCI_WAIT_SPIN_US") {
        return range_of_spinning(runtime.progress.waiting());
    }
    return {};
}

// Prints a setting that applies, and where it comes from.
void print_setting(const Runtime& runtime, const base::ConfigRow& row) {
    const std::string chosen = chosen_for(runtime, row.name);
    std::string source = row.source;
    if (!chosen.empty() && chosen != row.value) {
        source += ": " + (row.value.empty() ? "empty" : row.value);
    }
    std::fprintf(stderr, "  %-28.*s = %-12s (%s)\n", static_cast<int>(row.name.size()),
                 row.name.data(), (chosen.empty() ? row.value : chosen).c_str(), source.c_str());
}

// Such a job runs, only slowly, and nothing else would report it.
void warn_of_idle_adapter(const core::Network& network) {
    if (!network.idle_adapter.empty()) {
        ARMCI_LOG_WARN(
            "provider %s is used, and a better network lies idle: %s. If that is meant, "
            "ARMCI_PROVIDER=%s says so",
            network.domain.provider_name().c_str(), network.idle_adapter.c_str(),
            network.domain.provider_name().c_str());
    }
}

// Such a job may stop for a while, and nothing else would tell why.
void warn_of_delays(const core::Network& network) {
    const std::string delaying = fabric::variables_that_delay(network.domain.provider_name());
    if (!delaying.empty()) {
        ARMCI_LOG_WARN(
            "with %s, messages may leave only when their sender calls the library again. Unset "
            "this, unless it is meant",
            delaying.c_str());
    }
}

void print_network_reason(const core::Network& network) {
    if (!network.network_reason.empty()) {
        std::fprintf(stderr, "  network: %s\n", network.network_reason.c_str());
    }
}

void print_passed_over(const core::Network& network) {
    for (const std::string& line : network.passed_over) {
        std::fprintf(stderr, "  not used: %s\n", line.c_str());
    }
}

void print_shrunk_heap(const core::NodeMapping& mapping) {
    if (mapping.bytes < mapping.wanted_bytes) {
        std::fprintf(
            stderr,
            "  address space for global memory: %s on this node, instead of %s, because of "
            "the limits on this process (ulimit -v or -f)\n",
            base::bytes_text(static_cast<int64_t>(mapping.bytes)).c_str(),
            base::bytes_text(static_cast<int64_t>(mapping.wanted_bytes)).c_str());
    }
}

}  // namespace

void report_start(const Runtime& runtime) {
    if (runtime.world.rank != 0) {
        return;
    }
    const base::ConfigResult& configuration = runtime.configuration;
    if (!configuration.config.progress_thread && runtime.network != nullptr) {
        ARMCI_LOG_WARN(
            "ARMCI_PROGRESS_THREAD=0: remote requests are served only while the rank that hosts "
            "their data server is inside the library");
    }
    if (runtime.network != nullptr) {
        warn_of_idle_adapter(*runtime.network);
        warn_of_delays(*runtime.network);
    }
    if (configuration.config.verbose < 1) {
        return;
    }
    std::string provider = "none";
    if (runtime.network != nullptr) {
        const fabric::Domain& domain = runtime.network->domain;
        provider = domain.provider_name() + " on " + interface_names(domain);
    }
    const int servers = runtime.network != nullptr ? runtime.network->servers.per_node : 1;
    const std::string several =
        servers > 1 ? " with " + std::to_string(servers) + " data servers each" : std::string();
    std::fprintf(stderr,
                 "armci-ofi %s: %d rank%s on %d node%s%s, provider %s, direct remote access %s\n",
                 ARMCI_VERSION, runtime.world.size, runtime.world.size == 1 ? "" : "s",
                 runtime.world.node_count, runtime.world.node_count == 1 ? "" : "s",
                 several.c_str(), provider.c_str(),
                 runtime.network == nullptr    ? "not needed"
                 : runtime.network->rma_usable ? "used"
                                               : "not used");
    if (runtime.network != nullptr) {
        print_network_reason(*runtime.network);
        print_passed_over(*runtime.network);
    }
    if (runtime.world.is_oversubscribed) {
        std::fprintf(
            stderr,
            "  waits sleep early, because ranks outnumber the %d processor%s that they may "
            "use together\n",
            runtime.world.processor_count, runtime.world.processor_count == 1 ? "" : "s");
    }
    print_shrunk_heap(runtime.node.mapping);
    for (const base::ConfigRow& row : configuration.rows) {
        print_setting(runtime, row);
    }
    if (configuration.config.verbose >= 2) {
        for (const std::string& name : configuration.ignored) {
            std::fprintf(stderr, "  %-28s   has no effect in this library\n", name.c_str());
        }
    }
}

namespace {

// What a rank keeps because there are others, in bytes; docs/scaling.md says how it grows.
struct PeerTables {
    uint64_t node_of_ranks = 0;
    uint64_t node_indices = 0;  // of segments
    uint64_t channels = 0;      // to data servers
    uint64_t clients = 0;       // of the data server in this process
    uint64_t shared = 0;        // of all ranks of the node, on its first rank
};

PeerTables peer_tables_of(Runtime& runtime) {
    PeerTables tables;
    tables.node_of_ranks = runtime.world.node_of.table().own_bytes();
    tables.node_indices = runtime.segments.index_bytes();
    if (runtime.world.is_leader()) {
        const core::Network* network = runtime.network.get();
        const size_t key_count = network != nullptr ? network->domain.further_key_count() : 0;
        for (const auto& segment : runtime.segments.all()) {
            tables.shared += core::SegmentTables::bytes(segment->tables->slice_count,
                                                        segment->tables->part_count, key_count);
        }
    }
    if (runtime.network != nullptr) {
        const core::Network& network = *runtime.network;
        tables.node_of_ranks += network.rank_servers.table().own_bytes();
        tables.channels = network.origin.channels().bytes();
        tables.clients = network.server != nullptr ? network.server->client_bytes() : 0;
        tables.clients += network.rank_tokens.capacity() * sizeof network.rank_tokens[0];
        tables.shared +=
            network.server_address_bytes * static_cast<uint64_t>(runtime.network->servers.count()) +
            runtime.world.node_of.table().by_rank().size_bytes() +
            network.rank_servers.table().by_rank().size_bytes();
    }
    return tables;
}

// How much the data servers did.
struct ServerWork {
    uint64_t servers = 0;
    uint64_t ns = 0;
    uint64_t max_ns = 0;  // of one of them, as are the next two
    uint64_t max_frames = 0;
    uint64_t min_frames = INT64_MAX;

    // That of the server in this process, if any, without its frames: the process may be about to
    // end while the server is at work, and these need its lock.
    static ServerWork of_process(const Runtime& runtime) {
        ServerWork work;
        if (runtime.network != nullptr && runtime.network->server != nullptr) {
            work.servers = 1;
            work.ns = work.max_ns = static_cast<uint64_t>(runtime.network->server->busy_ns());
        }
        return work;
    }
};

// Returns the domain of a rail, by the place of its interface in the setting.
const fabric::Domain& rail_at(const core::Network& network, size_t place) {
    const std::vector<std::unique_ptr<fabric::Domain>>& further = network.domain.rails();
    const size_t count = further.size() + 1;
    const size_t number = (place + count - network.first_rail % count) % count;
    return number == 0 ? network.domain : *further[number - 1];
}

// The bytes of long transfers that each rail has carried, by the place of its interface.
struct RailWork {
    uint64_t bytes[fabric::Endpoint::kMaxRails] = {};

    static RailWork of_process(const Runtime& runtime) {
        RailWork work;
        if (runtime.network != nullptr) {
            const core::Network& network = *runtime.network;
            for (size_t i = 0; i <= network.domain.rails().size(); ++i) {
                work.bytes[i] = rail_at(network, i).carried_bytes();
            }
        }
        return work;
    }
};

// What was dropped because it did not come from this job, by kind.
struct Strangers {
    uint64_t counts[base::kFromStrangerCount] = {};

    static Strangers of_process() {
        Strangers strangers;
        for (int kind = 0; kind < base::kFromStrangerCount; ++kind) {
            strangers.counts[kind] =
                base::count_from_strangers(static_cast<base::FromStranger>(kind));
        }
        return strangers;
    }
};

void print_rails(std::FILE* out, const core::Network& network, const RailWork& work) {
    std::fprintf(out, "  bytes of long transfers by rail:");
    for (size_t i = 0; i <= network.domain.rails().size(); ++i) {
        std::fprintf(out, "%s %s %" PRIu64, i > 0 ? "," : "",
                     fabric::interface_name(rail_at(network, i).info()).c_str(), work.bytes[i]);
    }
    std::fprintf(out, "\n");
}

// The fewest and the most of all ranks.
struct RangeOverRanks {
    base::Stats min;
    base::Stats max;
};

// `range` is null for one rank alone.
void print_transfers(std::FILE* out, const base::Stats& sum, const RangeOverRanks* range,
                     int ranks) {
    std::fprintf(out, "  %-4s %-7s %14s %18s%s\n", "op", "route", "operations", "bytes",
                 range != nullptr ? "   operations of a rank: min / mean / max" : "");
    for (int op = 0; op < base::kOpKindCount; ++op) {
        for (int route = 0; route < base::kRouteCount; ++route) {
            const base::Counter& counter = sum.transfers[op][route];
            if (counter.operations == 0) {
                continue;
            }
            std::fprintf(out, "  %-4s %-7s %14" PRIu64 " %18" PRIu64,
                         base::name_of(static_cast<base::OpKind>(op)),
                         base::name_of(static_cast<base::Route>(route)), counter.operations,
                         counter.bytes);
            if (range != nullptr) {
                std::fprintf(out, "   %" PRIu64 " / %.1f / %" PRIu64,
                             range->min.transfers[op][route].operations,
                             static_cast<double>(counter.operations) / ranks,
                             range->max.transfers[op][route].operations);
            }
            std::fprintf(out, "\n");
        }
    }
}

void print_operations(std::FILE* out, const Runtime& runtime, const base::Stats& sum,
                      const RangeOverRanks* range, const ServerWork& busy, const RailWork& rails,
                      const Strangers& strangers) {
    print_transfers(out, sum, range, runtime.world.size);
    std::fprintf(out,
                 "  rmw %" PRIu64 ", fences that waited %" PRIu64 ", messages to servers %" PRIu64
                 ", chunks %" PRIu64 ", waits for buffers %" PRIu64 ", servers busy %.3f s\n",
                 sum.rmw, sum.fences, sum.messages_sent, sum.chunks_sent, sum.buffer_waits,
                 static_cast<double>(busy.ns) * 1e-9);
    std::fprintf(out, "  pieces of the node heap %" PRIu64 ", of which kept resident %" PRIu64 "\n",
                 sum.pieces_taken, sum.pieces_kept);
    if (runtime.network != nullptr) {
        std::fprintf(out,
                     "  waits for the network %" PRIu64 ", of which without polling %" PRIu64 "\n",
                     sum.waits, sum.waits_asleep);
    }
    if (runtime.network != nullptr && !runtime.network->domain.rails().empty()) {
        print_rails(out, *runtime.network, rails);
    }
    if (runtime.network != nullptr && runtime.network->learning.learns()) {
        for (const core::Link link : {core::Link::host, core::Link::network}) {
            const pipeline::LearnedCosts& learned = runtime.network->learning.learned(link);
            if (learned.samples() > 0) {
                std::fprintf(out, "  costs learned by rank %d, to %s: %s\n", runtime.world.rank,
                             link == core::Link::host ? "nodes of its host" : "other hosts",
                             core::describe_learned(learned).c_str());
            }
        }
    }
    if (runtime.network != nullptr && runtime.network->origin.registrations().registrations() > 0) {
        std::fprintf(out, "  local memory of RMA of rank %d: %s\n", runtime.world.rank,
                     core::describe_registrations(*runtime.network).c_str());
    }
    if (busy.servers > 1) {
        std::fprintf(out,
                     "  data servers: %" PRIu64 "; frames executed by one at least %" PRIu64
                     ", at most %" PRIu64 "; busy at most %.3f s\n",
                     busy.servers, busy.min_frames, busy.max_frames,
                     static_cast<double>(busy.max_ns) * 1e-9);
    }
    const auto [frames, transfers, connections] = strangers.counts;
    if (frames + transfers + connections > 0) {
        std::fprintf(out,
                     "  dropped, as not from this job: frames %" PRIu64
                     ", long or broken messages %" PRIu64 ", connections %" PRIu64 "\n",
                     frames, transfers, connections);
    }
}

}  // namespace

void report_statistics(Runtime& runtime) {
    if (!runtime.config().stats) {
        return;
    }
    // The structure consists of 64-bit counters only.
    constexpr int kWords = sizeof(base::Stats) / sizeof(uint64_t);
    // Rank 0 gets the result.
    const auto reduce = [&](void* words, int count, MPI_Op operation) {
        core::mpi::reduce(words, count, MPI_UINT64_T, operation, 0, runtime.world.comm);
    };
    base::Stats sum = core::with_thread_stats(runtime.stats);
    RangeOverRanks range{sum, sum};
    reduce(&sum, kWords, MPI_SUM);
    reduce(&range.min, kWords, MPI_MIN);
    reduce(&range.max, kWords, MPI_MAX);
    ServerWork busy = ServerWork::of_process(runtime);
    if (busy.servers > 0) {
        busy.max_frames = busy.min_frames = runtime.network->server->executed_frames();
    }
    reduce(&busy.servers, 1, MPI_SUM);
    reduce(&busy.ns, 1, MPI_SUM);
    reduce(&busy.max_ns, 1, MPI_MAX);
    reduce(&busy.max_frames, 1, MPI_MAX);
    reduce(&busy.min_frames, 1, MPI_MIN);
    RailWork rails = RailWork::of_process(runtime);
    reduce(rails.bytes, fabric::Endpoint::kMaxRails, MPI_SUM);
    Strangers strangers = Strangers::of_process();
    reduce(&strangers, base::kFromStrangerCount, MPI_SUM);
    // These are of the rank that needed most.
    uint64_t most_used = 0;
    uint64_t most_ready = 0;
    if (runtime.network != nullptr) {
        most_used = runtime.network->origin.buffers().high_water_bytes();
        most_ready = runtime.network->origin.buffers().ready_count();
    }
    reduce(&most_used, 1, MPI_MAX);
    reduce(&most_ready, 1, MPI_MAX);
    PeerTables largest = peer_tables_of(runtime);
    reduce(&largest, sizeof largest / sizeof(uint64_t), MPI_MAX);
    if (runtime.world.rank != 0) {
        return;
    }
    std::fprintf(stderr, "armci-ofi statistics, all %d ranks\n", runtime.world.size);
    print_operations(stderr, runtime, sum, &range, busy, rails, strangers);
    if (runtime.network != nullptr) {
        const pipeline::BufferManager& buffers = runtime.network->origin.buffers();
        std::fprintf(stderr,
                     "  pipeline buffers: up to %zu of %zu bytes in each rank; at most %" PRIu64
                     " needed, and %" PRIu64 " bytes at a time\n",
                     buffers.arena_bytes() / buffers.buffer_bytes(), buffers.buffer_bytes(),
                     most_ready, most_used);
    }
    const uint64_t own =
        largest.node_of_ranks + largest.node_indices + largest.channels + largest.clients;
    const auto ranks = static_cast<uint64_t>(runtime.world.size);
    std::fprintf(stderr,
                 "  tables of peers, most of any rank: nodes of ranks %" PRIu64
                 ", indices of nodes %" PRIu64 ", channels %" PRIu64 ", clients %" PRIu64
                 " bytes, %" PRIu64 " per rank of the job; of a node: %" PRIu64 " bytes, %" PRIu64
                 " per rank of the job\n",
                 largest.node_of_ranks, largest.node_indices, largest.channels, largest.clients,
                 own / ranks, largest.shared, largest.shared / ranks);
}

void print_rank_statistics(std::FILE* out, const Runtime& runtime) {
    print_operations(out, runtime, core::with_thread_stats(runtime.stats), nullptr,
                     ServerWork::of_process(runtime), RailWork::of_process(runtime),
                     Strangers::of_process());
}

// The report is written in one piece, because all ranks may print at the same time.
void report_statistics_of_rank(const Runtime& runtime, int signal) {
    if (!runtime.config().stats) {
        return;
    }
    char* text = nullptr;
    size_t bytes = 0;
    std::FILE* out = open_memstream(&text, &bytes);
    if (out == nullptr) {
        return;
    }
    std::fprintf(out, "armci-ofi statistics, rank %d of %d, ended by signal %d (%s)\n",
                 runtime.world.rank, runtime.world.size, signal, strsignal(signal));
    print_rank_statistics(out, runtime);
    std::fclose(out);
    base::write_all(STDERR_FILENO, {text, bytes});
    std::free(text);
}

}  // namespace armci::lifecycle

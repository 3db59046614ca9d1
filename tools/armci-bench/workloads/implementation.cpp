// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/workloads/implementation.h"

#if ARMCI_BENCH_EXTENSIONS
#include <armcix.h>
#include <rdma/fabric.h>
#endif

#if ARMCI_BENCH_COMEX
// Its header is for C only.
extern "C" int comex_group_comm(int group, MPI_Comm* comm);
#endif

namespace armci::bench {
namespace {

MPI_Comm g_world = MPI_COMM_WORLD;

}  // namespace

MPI_Comm world() {
    return g_world;
}

void adopt_world() {
#if ARMCI_BENCH_COMEX
    constexpr int kWorldGroup = 0;  // without the progress ranks
    comex_group_comm(kWorldGroup, &g_world);
#endif
}

std::string library_name() {
    return ARMCI_BENCH_LIBRARY_NAME;
}

#if ARMCI_BENCH_EXTENSIONS

std::string libfabric_version() {
    const uint32_t version = fi_version();
    return std::to_string(FI_MAJOR(version)) + "." + std::to_string(FI_MINOR(version));
}

std::string provider_name() {
    return ARMCIX_Provider();
}

int node_count() {
    return ARMCIX_Node_count();
}

int node_of(int rank) {
    return ARMCIX_Node(rank);
}

bool can_limit_pipeline() {
    return true;
}

int set_pipeline_depth(int chunks) {
    return ARMCIX_Set_pipeline_depth(chunks);
}

RouteCounts route_counts(Verb verb) {
    armcix_stats_t stats{};
    ARMCIX_Stats(&stats, sizeof(stats));
    RouteCounts counts{};
    for (size_t route = 0; route < counts.size(); route++) {
        switch (verb) {
            case Verb::put:
                counts[route] = stats.put[route].operations;
                break;
            case Verb::get:
                counts[route] = stats.get[route].operations;
                break;
            case Verb::acc:
                counts[route] = stats.acc[route].operations;
                break;
            case Verb::other:
                break;
        }
    }
    return counts;
}

#else

std::string libfabric_version() {
    return "";
}

std::string provider_name() {
    return "";
}

int node_count() {
    return 0;
}

int node_of(int) {
    return 0;
}

bool can_limit_pipeline() {
    return false;
}

int set_pipeline_depth(int) {
    return 0;
}

RouteCounts route_counts(Verb) {
    return {};
}

#endif

std::string routes_between(const RouteCounts& before, const RouteCounts& after) {
    static const std::array<const char*, 3> kNames{"local", "rma", "server"};
    std::string name = "-";
    for (size_t route = 0; route < kNames.size(); route++) {
        if (after[route] != before[route]) {
            name = name == "-" ? kNames[route] : "mixed";
        }
    }
    return name;
}

}  // namespace armci::bench

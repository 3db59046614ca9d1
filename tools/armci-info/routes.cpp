// SPDX-License-Identifier: BSD-3-Clause
#include "armci-info/routes.h"

#include "armci-info/crossovers.h"

#include <armci/armci.h>
#include <armci/armcix.h>
#include <limits.h>
#include <mpi.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/stats.h"
#include "library/library.h"

namespace armci::info {
namespace {

constexpr int kHostBytes = 64;

char letter_of(int route) {
    constexpr char kLetters[] = {'l', 'r', 's'};
    return kLetters[route];
}

}  // namespace

JobRoutes find_routes() {
    int rank = 0;
    int size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    std::string row(size, ' ');
    for (int target = 0; target < size; ++target) {
        row[target] = letter_of(ARMCIX_Route(target));
    }
    char host[kHostBytes] = "";
    gethostname(host, sizeof host - 1);
    std::vector<char> rows(rank == 0 ? static_cast<size_t>(size) * size : 0);
    std::vector<char> hosts(rank == 0 ? static_cast<size_t>(size) * kHostBytes : 0);
    MPI_Gather(row.data(), size, MPI_CHAR, rows.data(), size, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Gather(host, kHostBytes, MPI_CHAR, hosts.data(), kHostBytes, MPI_CHAR, 0, MPI_COMM_WORLD);
    JobRoutes found;
    found.node_count = ARMCIX_Node_count();
    found.provider = ARMCIX_Provider();
    if (const core::Network* network = tools::library().running()->network.get()) {
        found.uses_remote_access = network->rma_usable;
        found.cost_source = network->cost_source;
    }
    for (int origin = 0; rank == 0 && origin < size; ++origin) {
        found.ranks.push_back(
            {ARMCIX_Node(origin), &hosts[static_cast<size_t>(origin) * kHostBytes],
             std::string(&rows[static_cast<size_t>(origin) * size], static_cast<size_t>(size))});
    }
    return found;
}

void print_routes(std::FILE* out, const JobRoutes& routes) {
    const size_t size = routes.ranks.size();
    std::fprintf(out, "%zu rank%s on %d node%s, provider %s\n", size, size == 1 ? "" : "s",
                 routes.node_count, routes.node_count == 1 ? "" : "s", routes.provider.c_str());
    if (const core::Network* network = tools::library().running()->network.get()) {
        std::fprintf(out, "direct remote access %s\n",
                     network->rma_usable ? "is used" : "is not used");
        if (network->rma_usable) {
            print_crossovers(out, network->costs);
        }
        std::fprintf(out, "costs: %s\n", routes.cost_source.c_str());
    }
    std::fprintf(out, "routes of large puts (l local, r rma, s server), a row an origin:\n");
    for (size_t origin = 0; origin < size; ++origin) {
        const JobRoutes::Rank& rank = routes.ranks[origin];
        std::fprintf(out, "  rank %-5zu node %-4d %-20s %s\n", origin, rank.node, rank.host.c_str(),
                     rank.routes.c_str());
    }
}

}  // namespace armci::info

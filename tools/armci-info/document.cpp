// SPDX-License-Identifier: BSD-3-Clause
#include "armci-info/document.h"

#include <nlohmann/json.hpp>

namespace armci::info {
namespace {

using Json = nlohmann::ordered_json;

Json describe(const base::ConfigRow& row) {
    return {
        {"name", row.name},     {"value", row.value},
        {"source", row.source}, {"of", row.is_jobs ? "job" : "rank"},
        {"type", row.type},     {"default", row.default_value},
        {"range", row.range},   {"shared_with_other_implementations", row.mirrored},
        {"meaning", row.help},
    };
}

Json describe(const JobRoutes& routes) {
    Json ranks = Json::array();
    for (size_t rank = 0; rank < routes.ranks.size(); ++rank) {
        const JobRoutes::Rank& one = routes.ranks[rank];
        ranks.push_back(
            {{"rank", rank}, {"node", one.node}, {"host", one.host}, {"routes", one.routes}});
    }
    return ranks;
}

Json describe(const NetworkInUse& network) {
    return {
        {"in_use", network.is_in_use},
        {"provider", network.provider},
        {"interfaces", network.interfaces},
        {"reason", network.reason},
        {"error", network.error},
        {"not_used", network.passed_over},
        {"tcp_congestion_control", network.tcp_congestion_control},
    };
}

}  // namespace

void write_document(std::FILE* out, const Versions& versions, const JobRoutes& routes,
                    const NetworkInUse& network, const std::string& node_memory,
                    const base::ConfigResult& configuration) {
    Json variables = Json::array();
    for (const base::ConfigRow& row : configuration.rows) {
        variables.push_back(describe(row));
    }
    const Json document = {
        {"format", 1},
        {"version", ARMCI_VERSION},
        {"build", versions.build},
        {"libfabric", versions.libfabric},
        {"mpi", versions.mpi},
        {"node_count", routes.node_count},
        {"ranks", describe(routes)},
        {"network", describe(network)},
        {"remote_access", routes.uses_remote_access},
        {"costs", routes.cost_source},
        {"node_memory", node_memory},
        {"configuration", variables},
        {"without_effect", configuration.ignored},
        {"warnings", configuration.warnings},
    };
    // Of texts from the system, what is not UTF-8 is replaced.
    std::fprintf(out, "%s\n", document.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
}

}  // namespace armci::info

// SPDX-License-Identifier: BSD-3-Clause
// What armci-info shows of a job, as JSON.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "armci-info/routes.h"
#include "base/config.h"

namespace armci::info {

struct Versions {
    std::string build;
    std::string libfabric;
    std::string mpi;
};

// What joins the nodes of a job, or would join them if this host were several.
struct NetworkInUse {
    bool is_in_use = false;
    std::string provider;                 // empty if there is none
    std::vector<std::string> interfaces;  // of the rails
    std::string reason;                   // why this network; empty if unknown
    std::string error;                    // why there is none
    std::vector<std::string> passed_over;
    std::string tcp_congestion_control;  // if it is over TCP and the system tells it, or empty
};

// `routes` is of all ranks of the job.
void write_document(std::FILE* out, const Versions& versions, const JobRoutes& routes,
                    const NetworkInUse& network, const std::string& node_memory,
                    const base::ConfigResult& configuration);

}  // namespace armci::info

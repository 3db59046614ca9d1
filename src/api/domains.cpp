// SPDX-License-Identifier: BSD-3-Clause
// Topology: what programs see of nodes. By default every process is a domain of its own, as Global
// Arrays is validated with; ARMCI_DOMAINS=node shows the real nodes.
#include "api/arguments.h"
#include "base/log.h"

namespace armci::api {
namespace {

bool by_node(const Runtime& runtime) {
    return runtime.config().domain_choice() == base::DomainChoice::node;
}

// Nodes then have equally many consecutive ranks, which was checked at start.
int domain_ranks(const Runtime& runtime) {
    return by_node(runtime) ? runtime.world.size / runtime.world.node_count : 1;
}

int domain_count(const Runtime& runtime) {
    return runtime.world.size / domain_ranks(runtime);
}

bool is_in_own_domain(const char* function, int proc) {
    core::Entry entry(function);
    check_rank({*entry, function}, "proc", proc);
    const int ranks = domain_ranks(*entry);
    return proc / ranks == entry->world.rank / ranks;
}

void check_domain(const char* function, int id, const Runtime& runtime) {
    if (id < 0 || id >= domain_count(runtime)) {
        base::fatal(function, "argument id = %d: there are domains 0 to %d", id,
                    domain_count(runtime) - 1);
    }
}

}  // namespace
}  // namespace armci::api

using armci::core::Entry;
namespace api = armci::api;

extern "C" int armci_domain_count(armci_domain_t) {
    Entry entry("armci_domain_count");
    return api::domain_count(*entry);
}

extern "C" int armci_domain_my_id(armci_domain_t) {
    Entry entry("armci_domain_my_id");
    return entry->world.rank / api::domain_ranks(*entry);
}

extern "C" int armci_domain_nprocs(armci_domain_t, int id) {
    Entry entry("armci_domain_nprocs");
    if (id >= 0) {
        api::check_domain("armci_domain_nprocs", id, *entry);
    }
    return api::domain_ranks(*entry);
}

extern "C" int armci_domain_id(armci_domain_t, int glob_proc_id) {
    Entry entry("armci_domain_id");
    api::check_rank({*entry, "armci_domain_id"}, "glob_proc_id", glob_proc_id);
    return glob_proc_id / api::domain_ranks(*entry);
}

extern "C" int armci_domain_glob_proc_id(armci_domain_t, int id, int loc_proc_id) {
    Entry entry("armci_domain_glob_proc_id");
    api::check_domain("armci_domain_glob_proc_id", id, *entry);
    if (loc_proc_id < 0 || loc_proc_id >= api::domain_ranks(*entry)) {
        armci::base::fatal("armci_domain_glob_proc_id",
                           "argument loc_proc_id = %d: domains have ranks 0 to %d", loc_proc_id,
                           api::domain_ranks(*entry) - 1);
    }
    return id * api::domain_ranks(*entry) + loc_proc_id;
}

extern "C" int armci_domain_same_id(armci_domain_t, int proc) {
    return api::is_in_own_domain("armci_domain_same_id", proc) ? 1 : 0;
}

extern "C" int ARMCI_Same_node(int proc) {
    return api::is_in_own_domain("ARMCI_Same_node", proc) ? 1 : 0;
}

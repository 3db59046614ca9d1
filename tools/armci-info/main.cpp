// SPDX-License-Identifier: BSD-3-Clause
// armci-info: the version of this library, what it would use here, and how it is configured.
#include <armci/armci.h>
#include <mpi.h>
#include <rdma/fabric.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "armci-info/configuration.h"
#include "armci-info/document.h"
#include "armci-info/explain.h"
#include "armci-info/places.h"
#include "armci-info/routes.h"
#include "command_line/command_line.h"
#include "command_line/standard_output.h"
#include "fabric/provider.h"
#include "library/library.h"
#include "system/tcp.h"

namespace {

using armci::info::NetworkInUse;
using armci::tools::CommandLine;
using armci::tools::is_other_rank;
using armci::tools::library;
using armci::tools::tcp_congestion_control;

armci::info::Versions find_versions() {
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(mpi, &length);
    if (char* end = std::strpbrk(mpi, "\n\t")) {
        *end = ' ';
        if (char* line_end = std::strchr(mpi, '\n')) {
            *line_end = '\0';
        }
    }
    const uint32_t fabric = fi_version();
    return {ARMCI_BUILD, std::to_string(FI_MAJOR(fabric)) + "." + std::to_string(FI_MINOR(fabric)),
            mpi};
}

void print_version() {
    const armci::info::Versions versions = find_versions();
    std::printf("armci-ofi %s (%s)\nlibfabric %s\nMPI: %s\n", ARMCI_VERSION, versions.build.c_str(),
                versions.libfabric.c_str(), versions.mpi.c_str());
}

void print_passed_over(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
        std::printf("  not used: %s\n", line.c_str());
    }
}

// What a job on this host alone would use, whether there is one or not.
NetworkInUse find_network_here(const armci::base::Config& config) {
    armci::fabric::ProviderChoice choice =
        library().choose_provider({config.provider, config.interfaces().front(), true});
    NetworkInUse network;
    if (choice.info) {
        network.provider = choice.info->fabric_attr->prov_name;
        network.interfaces.push_back(library().interface_name(*choice.info));
        if (choice.row->listens_by_tcp) {
            network.tcp_congestion_control = tcp_congestion_control();
        }
    }
    network.error = choice.error;
    network.passed_over = choice.passed_over;
    return network;
}

// In a job of several nodes: what it uses.
NetworkInUse find_network() {
    const armci::core::Runtime& runtime = *library().running();
    if (runtime.network == nullptr) {
        return find_network_here(runtime.config());
    }
    const armci::fabric::Domain& domain = runtime.network->domain;
    NetworkInUse network;
    network.is_in_use = true;
    network.provider = domain.provider_name();
    network.interfaces.push_back(library().interface_name(domain.info()));
    for (const auto& rail : domain.rails()) {
        network.interfaces.push_back(library().interface_name(rail->info()));
    }
    if (domain.row().listens_by_tcp) {
        network.tcp_congestion_control = tcp_congestion_control();
    }
    network.reason = runtime.network->network_reason;
    network.passed_over = runtime.network->passed_over;
    return network;
}

// Returns the exit status: 1 if there is no network.
int print_network(const NetworkInUse& network) {
    if (network.provider.empty()) {
        std::fprintf(stderr, "armci-info: no network between nodes: %s\n", network.error.c_str());
    } else {
        std::printf("between nodes: %s on %s%s\n", network.provider.c_str(),
                    network.interfaces.front().c_str(),
                    network.is_in_use ? ", in use" : " (taking all nodes to be on this host)");
    }
    for (size_t rail = 1; rail < network.interfaces.size(); ++rail) {
        std::printf("  and on: %s, for long transfers\n", network.interfaces[rail].c_str());
    }
    if (!network.tcp_congestion_control.empty()) {
        std::printf("  TCP congestion control: %s%s\n", network.tcp_congestion_control.c_str(),
                    network.tcp_congestion_control.starts_with("bbr")
                        ? ", which paces what it sends; cubic may be faster between near hosts"
                        : "");
    }
    if (!network.reason.empty()) {
        std::printf("  network: %s\n", network.reason.c_str());
    }
    print_passed_over(network.passed_over);
    return network.provider.empty() ? 1 : 0;
}

int explain_in_job(const std::string& request, armci::info::Learning learning) {
    MPI_Init(nullptr, nullptr);
    const int status = armci::info::explain(request.c_str(), learning);
    MPI_Finalize();
    return status;
}

enum class Form : bool { text, json };

// On rank 0; returns the exit status.
int report(const armci::info::JobRoutes& routes, Form form) {
    const NetworkInUse network = find_network();
    const std::string memory = library().describe_huge_pages("");
    const armci::base::ConfigResult configuration = armci::info::read_configuration();
    if (form == Form::json) {
        armci::info::write_document(stdout, find_versions(), routes, network, memory,
                                    configuration);
        return network.provider.empty() ? 1 : 0;
    }
    print_version();
    std::printf("\n");
    armci::info::print_routes(stdout, routes);
    std::printf("\n");
    const int status = print_network(network);
    std::printf("node memory: %s\n\n", memory.c_str());
    armci::info::print_configuration(stdout, configuration);
    return status;
}

int run_in_job(Form form) {
    MPI_Init(nullptr, nullptr);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ARMCI_Init();
    const armci::info::JobRoutes routes = armci::info::find_routes();
    const int status = rank == 0 ? report(routes, form) : 0;
    ARMCI_Finalize();
    MPI_Finalize();
    return status;
}

int print_all_configuration() {
    const armci::base::ConfigResult configuration = armci::info::read_configuration();
    const bool is_wrong = armci::info::print_errors(configuration);
    armci::info::print_configuration(stdout, configuration);
    return is_wrong ? 1 : 0;
}

int print_providers_here() {
    const armci::base::ConfigResult configuration = armci::info::read_configuration();
    return armci::info::print_errors(configuration)
               ? 1
               : print_network(find_network_here(configuration.config));
}

// What the arguments ask for: one of these, or everything.
struct Options {
    bool version = false;
    bool config = false;
    bool providers = false;
    bool markdown = false;
    std::string places;  // empty: not asked for
    bool json = false;
    std::string explain;  // likewise
    std::string learn;
};

// Returns a function that stores a value in the text, and refuses an empty one.
std::function<bool(const std::string&)> store_in(std::string* text) {
    return [text](const std::string& value) {
        *text = value;
        return !value.empty();
    };
}

void add_options(CommandLine* line, Options* options) {
    line->allow_one_option();
    line->add_flag("--version", &options->version, "version and build");
    line->add_flag("-c,--config", &options->config,
                   "every configuration variable: value, source, type, default,\nmeaning");
    line->add_flag("--providers", &options->providers,
                   "libfabric providers here: which would be used by a job on this host,\n"
                   "and why others would not; in a job of several nodes, run without an\n"
                   "option");
    line->add_value("--places", "RANKS[,MACHINE]", store_in(&options->places),
                    "which adapter each rank of a node would use, and where data servers\n"
                    "would run, with so many ranks there, evenly spread over its cores; the node\n"
                    "is as MACHINE says, a file (lstopo --disallowed node.xml) or a synthetic\n"
                    "description of hwloc, or this one");
    line->add_flag("--markdown", &options->markdown, "docs/tuning.md");
    line->add_flag("--json", &options->json, "everything that is shown without an option, as JSON");
    line->add_value("--explain", "OP,ROWS,RUN,TARGET", store_in(&options->explain),
                    "the route of a put, get or acc (OP) of ROWS blocks of RUN bytes\n"
                    "(suffix K, M or G) between rank 0 and rank TARGET: which, with which\n"
                    "buffers, and why");
    line->add_value("--learn", "OP,ROWS,RUN,TARGET", store_in(&options->learn),
                    "the same, after rank 0 has made such transfers for a second: what the\n"
                    "library has learned of the network from them");
}

// What needs no job: one rank of one runs it.
int run_alone(const Options& options) {
    if (options.config) {
        return print_all_configuration();
    }
    if (options.providers) {
        return print_providers_here();
    }
    if (!options.places.empty()) {
        return armci::info::print_places_of(stdout, options.places);
    }
    if (options.markdown) {
        armci::info::print_markdown(stdout);
    } else {
        print_version();
    }
    return 0;
}

// Returns the exit status.
int run_arguments(int argc, char** argv) {
    Options options;
    CommandLine line(
        "armci-info [--version | --config | --providers | --markdown | --help]\n"
        "       armci-info --places RANKS[,MACHINE]\n"
        "       mpiexec -n RANKS armci-info [--json]\n"
        "       mpiexec -n RANKS armci-info [--explain | --learn OP,ROWS,RUN,TARGET]",
        "Shows the version of armci-ofi, its configuration and what it would use here. Without an\n"
        "option: everything, and the routes between the ranks it runs on.");
    add_options(&line, &options);
    if (const auto status = armci::tools::read_arguments("armci-info", argc, argv, &line)) {
        return *status;
    }
    if (!options.explain.empty()) {
        return explain_in_job(options.explain, armci::info::Learning::no);
    }
    if (!options.learn.empty()) {
        return explain_in_job(options.learn, armci::info::Learning::yes);
    }
    if (options.version || options.config || options.providers || options.markdown ||
        !options.places.empty()) {
        return is_other_rank() ? 0 : run_alone(options);
    }
    return run_in_job(options.json ? Form::json : Form::text);
}

}  // namespace

int main(int argc, char** argv) {
    armci::tools::reserve_standard_output();
    return armci::tools::finish_standard_output("armci-info", run_arguments(argc, argv));
}

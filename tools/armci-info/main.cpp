// SPDX-License-Identifier: BSD-3-Clause
// armci-info: the version of this library, what it would use here, and how it is configured.
#include <armci/armci.h>
#include <mpi.h>
#include <rdma/fabric.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "armci-info/configuration.h"
#include "armci-info/explain.h"
#include "armci-info/routes.h"
#include "command_line/command_line.h"
#include "fabric/provider.h"
#include "library/library.h"

namespace {

using armci::tools::CommandLine;
using armci::tools::is_other_rank;
using armci::tools::library;

void print_version() {
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
    std::printf("armci-ofi %s (%s)\nlibfabric %u.%u\nMPI: %s\n", ARMCI_VERSION, ARMCI_BUILD,
                FI_MAJOR(fabric), FI_MINOR(fabric), mpi);
}

void print_passed_over(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
        std::printf("  not used: %s\n", line.c_str());
    }
}

// What a job on this host alone would use, whether there is one or not.
int print_providers(const armci::base::Config& config) {
    const armci::fabric::ProviderChoice choice =
        library().choose_provider({config.provider, config.interfaces().front(), true});
    if (choice.info) {
        std::printf("between nodes: %s on %s (taking all nodes to be on this host)\n",
                    choice.info->fabric_attr->prov_name,
                    library().interface_name(*choice.info).c_str());
    } else {
        std::fprintf(stderr, "armci-info: no network between nodes: %s\n", choice.error.c_str());
    }
    print_passed_over(choice.passed_over);
    return choice.info ? 0 : 1;
}

// In a job of several nodes: what it uses.
int print_network() {
    const armci::core::Runtime& runtime = *library().running();
    if (runtime.network == nullptr) {
        return print_providers(runtime.config());
    }
    const armci::fabric::Domain& domain = runtime.network->domain;
    std::printf("between nodes: %s on %s, in use\n", domain.provider_name().c_str(),
                library().interface_name(domain.info()).c_str());
    for (const auto& rail : domain.rails()) {
        std::printf("  and on: %s, for long transfers\n",
                    library().interface_name(rail->info()).c_str());
    }
    if (!runtime.network->network_reason.empty()) {
        std::printf("  network: %s\n", runtime.network->network_reason.c_str());
    }
    print_passed_over(runtime.network->passed_over);
    return 0;
}

int explain_in_job(const std::string& request, armci::info::Learning learning) {
    MPI_Init(nullptr, nullptr);
    const int status = armci::info::explain(request.c_str(), learning);
    MPI_Finalize();
    return status;
}

int run_in_job() {
    MPI_Init(nullptr, nullptr);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ARMCI_Init();
    if (rank == 0) {
        print_version();
        std::printf("\n");
    }
    armci::info::print_routes(stdout);
    int status = 0;
    if (rank == 0) {
        std::printf("\n");
        status = print_network();
        std::printf("node memory: %s\n", library().describe_huge_pages("").c_str());
        std::printf("\n");
        armci::info::print_configuration(stdout, armci::info::read_configuration());
    }
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
    return armci::info::print_errors(configuration) ? 1 : print_providers(configuration.config);
}

// What the arguments ask for: one of these, or everything.
struct Options {
    bool version = false;
    bool config = false;
    bool providers = false;
    bool markdown = false;
    std::string explain;  // empty: not asked for
    std::string learn;    // likewise
};

void add_options(CommandLine* line, Options* options) {
    line->allow_one_option();
    line->add_flag("--version", &options->version, "version and build");
    line->add_flag("-c,--config", &options->config,
                   "every configuration variable: value, source, type, default,\nmeaning");
    line->add_flag("--providers", &options->providers,
                   "libfabric providers here: which would be used by a job on this host,\n"
                   "and why others would not; in a job of several nodes, run without an\n"
                   "option");
    line->add_flag("--markdown", &options->markdown, "docs/tuning.md");
    line->add_value(
        "--explain", "OP,ROWS,RUN,TARGET",
        [options](const std::string& request) {
            options->explain = request;
            return !request.empty();
        },
        "the route of a put, get or acc (OP) of ROWS blocks of RUN bytes\n"
        "(suffix K, M or G) between rank 0 and rank TARGET: which, with which\n"
        "buffers, and why");
    line->add_value(
        "--learn", "OP,ROWS,RUN,TARGET",
        [options](const std::string& request) {
            options->learn = request;
            return !request.empty();
        },
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
    if (options.markdown) {
        armci::info::print_markdown(stdout);
    } else {
        print_version();
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CommandLine line(
        "armci-info [--version | --config | --providers | --markdown | --help]\n"
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
    if (options.version || options.config || options.providers || options.markdown) {
        return is_other_rank() ? 0 : run_alone(options);
    }
    return run_in_job();
}

// SPDX-License-Identifier: BSD-3-Clause
// armci-info: the version of this library, what it would use here, and how it is configured.
#include <armci/armci.h>
#include <mpi.h>
#include <rdma/fabric.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "armci-info/configuration.h"
#include "armci-info/explain.h"
#include "armci-info/routes.h"
#include "fabric/provider.h"
#include "library/library.h"

namespace {

using armci::tools::library;

const char* const kUsage =
    "usage: armci-info [--version | --config | --providers | --markdown | --help]\n"
    "       mpiexec -n RANKS armci-info [--explain OP,ROWS,RUN,TARGET]\n"
    "\n"
    "Without an option: everything, and the routes between the ranks it runs on.\n"
    "  --version    version and build\n"
    "  --config     every configuration variable: value, source, type, default, meaning\n"
    "  --providers  libfabric providers here: which would be used by a job on this host, and why\n"
    "               others would not; in a job of several nodes, run without an option\n"
    "  --markdown   docs/tuning.md\n"
    "  --explain    the route of a put, get or acc (OP) of ROWS blocks of RUN bytes (suffix K, M "
    "or\n"
    "               G) between rank 0 and rank TARGET: which, with which buffers, and why\n";

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
        library().choose_provider({config.provider, config.interface, true});
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
    print_passed_over(runtime.network->passed_over);
    return 0;
}

int explain_in_job(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int status = armci::info::explain(argv[2]);
    MPI_Finalize();
    return status;
}

int run_in_job(int argc, char** argv) {
    MPI_Init(&argc, &argv);
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

// Whether a launcher has started this as another rank than the first. The environment shows it,
// because options that need no job shall work where MPI does not.
bool is_other_rank() {
    for (const char* name : {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"}) {
        if (const char* rank = std::getenv(name)) {
            return std::strcmp(rank, "0") != 0;
        }
    }
    return false;
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

int print_usage() {
    std::fputs(kUsage, stdout);
    return 0;
}

// Options that need no job: one rank of one runs them.
struct LoneOption {
    const char* name;
    int (*run)();
};

const LoneOption kLoneOptions[] = {
    {"--version",
     [] {
         print_version();
         return 0;
     }},
    {"--config", print_all_configuration},
    {"-c", print_all_configuration},
    {"--providers", print_providers_here},
    {"--markdown",
     [] {
         armci::info::print_markdown(stdout);
         return 0;
     }},
    {"--help", print_usage},
    {"-h", print_usage},
};

int refuse(const std::string& reason) {
    if (!is_other_rank()) {
        std::fprintf(stderr, "armci-info: %s\n%s", reason.c_str(), kUsage);
    }
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string option = argc > 1 ? argv[1] : "";
    if (argc == 1) {
        return run_in_job(argc, argv);
    }
    if (option == "--explain") {
        return argc == 3 ? explain_in_job(argc, argv)
                         : refuse("--explain takes one value, OP,ROWS,RUN,TARGET");
    }
    if (argc > 2) {
        return refuse("more than one option or value: " + option + " " + argv[2]);
    }
    for (const LoneOption& lone : kLoneOptions) {
        if (option == lone.name) {
            return is_other_rank() ? 0 : lone.run();
        }
    }
    return refuse("unknown option " + option);
}

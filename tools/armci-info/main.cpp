// armci-info: what this library is, what it would use here, and how it is configured.
#include <armci/armci.h>
#include <mpi.h>
#include <rdma/fabric.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "armci-info/configuration.h"
#include "armci-info/explain.h"
#include "armci-info/routes.h"
#include "fabric/provider.h"

namespace {

const char* const kUsage =
    "usage: armci-info [--version | --config | --providers | --markdown | --help]\n"
    "       mpiexec -n RANKS armci-info [--explain OP,ROWS,RUN,TARGET]\n"
    "\n"
    "Without an option: everything, and the routes between the ranks it runs on.\n"
    "  --version    version and build\n"
    "  --config     every configuration variable: value, source, type, default, meaning\n"
    "  --providers  libfabric providers here: which would be used, and why others would not\n"
    "  --markdown   docs/tuning.md\n"
    "  --explain    the route of a put, get or acc (OP) of ROWS runs of RUN bytes (suffix K, M or\n"
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

void print_providers() {
    const armci::fabric::ProviderChoice choice = armci::fabric::choose_provider({"", "", true});
    if (choice.info) {
        std::printf("between nodes: %s on %s\n", choice.info->fabric_attr->prov_name,
                    choice.info->domain_attr->name);
    } else {
        std::printf("between nodes: none (%s)\n", choice.error.c_str());
    }
    for (const std::string& line : choice.passed_over) {
        std::printf("  not by default: %s\n", line.c_str());
    }
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
    if (rank == 0) {
        std::printf("\n");
        print_providers();
        std::printf("\n");
        armci::info::print_configuration(stdout);
    }
    ARMCI_Finalize();
    MPI_Finalize();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 3 && std::strcmp(argv[1], "--explain") == 0) {
        return explain_in_job(argc, argv);
    }
    if (argc > 2) {
        std::fputs(kUsage, stderr);
        return 2;
    }
    const std::string option = argc == 2 ? argv[1] : "";
    if (option.empty()) {
        return run_in_job(argc, argv);
    }
    if (option == "--version") {
        print_version();
    } else if (option == "--config" || option == "-c") {
        armci::info::print_configuration(stdout);
    } else if (option == "--providers") {
        print_providers();
    } else if (option == "--markdown") {
        armci::info::print_markdown(stdout);
    } else if (option == "--help" || option == "-h") {
        std::fputs(kUsage, stdout);
    } else {
        std::fprintf(stderr, "armci-info: unknown option %s\n%s", option.c_str(), kUsage);
        return 2;
    }
    return 0;
}

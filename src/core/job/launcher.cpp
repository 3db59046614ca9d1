// SPDX-License-Identifier: BSD-3-Clause
#include "core/job/launcher.h"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "base/log.h"

namespace armci::core {
namespace {

// The variables in which launchers tell a process the number of processes and its own. Slurm's
// number of tasks is that of the step: a batch script and what it starts without srun have none.
struct LauncherVariables {
    const char* size;
    const char* rank;
};
constexpr LauncherVariables kLaunchers[] = {
    {"PMI_SIZE", "PMI_RANK"},                          // MPICH, Intel MPI, Slurm with pmi2
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},  // Open MPI
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},
    {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
    {"FLUX_JOB_SIZE", "FLUX_TASK_RANK"},
};

// Returns the value of a variable in an environment, or nullptr.
const char* value_of(char** environment, const char* name) {
    const size_t length = std::strlen(name);
    for (char** entry = environment; *entry != nullptr; ++entry) {
        if (std::strncmp(*entry, name, length) == 0 && (*entry)[length] == '=') {
            return *entry + length + 1;
        }
    }
    return nullptr;
}

std::string contents_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

pid_t parent_of(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/status");
    for (std::string word; file >> word;) {
        if (word == "PPid:") {
            pid_t parent = 0;
            file >> parent;
            return parent;
        }
    }
    return 0;
}

// Returns whether this process was started by a process of an MPI job, whose variables it has
// inherited. The nearest parent processes that have the variable, too, are then that job's or
// shells between.
bool is_started_by_a_rank(const std::string& variable) {
    const std::string wanted = '\0' + variable + '\0';
    for (pid_t pid = getppid(); pid > 1; pid = parent_of(pid)) {
        const std::string directory = "/proc/" + std::to_string(pid);
        const std::string environment = '\0' + contents_of(directory + "/environ");
        if (environment.find(wanted) == std::string::npos) {
            return false;
        }
        if (contents_of(directory + "/maps").find("/libmpi") != std::string::npos) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::string launched_processes(char** environment) {
    std::string found;
    for (const LauncherVariables& variables : kLaunchers) {
        const char* size = value_of(environment, variables.size);
        const char* rank = value_of(environment, variables.rank);
        if (size == nullptr || rank == nullptr) {
            continue;
        }
        if (std::atoi(size) == 1) {
            return {};
        }
        if (std::atoi(size) > 1 && std::strcmp(rank, "0") == 0 && found.empty()) {
            found = std::string(variables.size) + "=" + size;
        }
    }
    return found;
}

void check_launcher() {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm parent = MPI_COMM_NULL;
    if (size == 1) {
        MPI_Comm_get_parent(&parent);
    }
    if (size > 1 || parent != MPI_COMM_NULL) {
        return;
    }
    const std::string launched = launched_processes(environ);
    if (launched.empty() || is_started_by_a_rank(launched)) {
        return;
    }
    char version[8192] = "";  // more than any MPI's MPI_MAX_LIBRARY_VERSION_STRING
    int length = 0;
    MPI_Get_library_version(version, &length);
    version[std::strcspn(version, "\n,")] = '\0';
    std::replace(version, version + std::strlen(version), '\t', ' ');
    ARMCI_LOG_WARN(
        "the launcher has started several processes (%s), but each of them is rank 0 of 1 to MPI: "
        "the launcher is not that of the program's MPI (\"%s\"). Start it with that MPI's mpiexec, "
        "or under Slurm with the option --mpi that suits it (srun --mpi=list)",
        launched.c_str(), version);
}

}  // namespace armci::core

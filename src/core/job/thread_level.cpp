// SPDX-License-Identifier: BSD-3-Clause
#include "core/job/thread_level.h"

#include <algorithm>
#include <climits>
#include <iterator>

#include "base/log.h"
#include "core/job/mpi_collectives.h"

namespace armci::core {
namespace {

struct Level {
    int level;
    const char* name;
    const char* value;
};

// The order is that of base::ThreadLevel, after its first.
constexpr Level kLevels[] = {
    {MPI_THREAD_SINGLE, "MPI_THREAD_SINGLE", "single"},
    {MPI_THREAD_FUNNELED, "MPI_THREAD_FUNNELED", "funneled"},
    {MPI_THREAD_SERIALIZED, "MPI_THREAD_SERIALIZED", "serialized"},
    {MPI_THREAD_MULTIPLE, "MPI_THREAD_MULTIPLE", "multiple"},
};

const Level& row_of(int level) {
    const auto found = std::find_if(std::begin(kLevels), std::end(kLevels),
                                    [&](const Level& row) { return row.level >= level; });
    return found != std::end(kLevels) ? *found : kLevels[3];
}

// Returns the highest level that ARMCI_THREAD_LEVEL allows.
int allowed_level(const base::Config& config) {
    const base::ThreadLevel choice = config.thread_level_choice();
    return choice == base::ThreadLevel::automatic ? MPI_THREAD_MULTIPLE
                                                  : kLevels[static_cast<int>(choice) - 1].level;
}

}  // namespace

int provided_level() {
    int provided = MPI_THREAD_SINGLE;
    MPI_Query_thread(&provided);
    return provided;
}

void check_thread_level(const char* function, RequestedLevel requested) {
    const int provided = provided_level();
    if (requested.has_value() && provided < *requested) {
        base::fatal(function,
                    "thread level %d was asked for, but MPI provides %d; ask MPI_Init_thread "
                    "for it",
                    *requested, provided);
    }
}

int chosen_level(RequestedLevel requested, const base::Config& config) {
    return requested.has_value() ? *requested : std::min(provided_level(), allowed_level(config));
}

void warn_of_thread_level(const base::Config& config, MPI_Comm comm) {
    const int provided = provided_level();
    const bool is_beyond = config.thread_level_choice() != base::ThreadLevel::automatic &&
                           allowed_level(config) > provided;
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    int first = is_beyond ? rank : INT_MAX;
    mpi::allreduce(&first, 1, MPI_INT, MPI_MIN, comm);
    if (rank == first) {
        ARMCI_LOG_WARN(
            "ARMCI_THREAD_LEVEL=%s: MPI provides %s, which is not exceeded; let the program ask "
            "MPI_Init_thread for more, or unset the variable",
            value_of_level(allowed_level(config)), row_of(provided).name);
    }
}

const char* value_of_level(int level) {
    return row_of(level).value;
}

const char* name_of_level(int level) {
    return row_of(level).name;
}

std::string how_to_raise_level(int level, const base::Config& config) {
    if (provided_level() < MPI_THREAD_MULTIPLE) {
        return "ask MPI_Init_thread for MPI_THREAD_MULTIPLE";
    }
    if (level == allowed_level(config)) {
        return "unset ARMCI_THREAD_LEVEL";
    }
    return "start the library by ARMCI_Init, or by ARMCI_Init_thread for MPI_THREAD_MULTIPLE";
}

}  // namespace armci::core

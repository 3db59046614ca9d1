// SPDX-License-Identifier: BSD-3-Clause
#include "core/job/common_values.h"
#include "core/job/mpi_collectives.h"

#include <unistd.h>

#include <climits>
#include <cstdint>
#include <string>
#include <vector>

#include "base/config_files.h"

namespace armci::core {
namespace {

// Returns the value as text, in which each kind of value can be compared, sent, and read again.
std::string setting_of(const base::ConfigRow& row) {
    return std::string(row.name) + "=" + row.value;
}

std::vector<const base::ConfigRow*> rows_of_job(const base::ConfigResult& configuration) {
    std::vector<const base::ConfigRow*> rows;
    for (const base::ConfigRow& row : configuration.rows) {
        if (row.is_jobs) {
            rows.push_back(&row);
        }
    }
    return rows;
}

// FNV-1a gives the same result on every rank, whatever its standard library.
// docs/references.md: RFC 9923
uint64_t hash_of(const std::vector<const base::ConfigRow*>& rows) {
    uint64_t hash = 0xcbf29ce484222325;
    for (const base::ConfigRow* row : rows) {
        const std::string setting = setting_of(*row);
        for (size_t i = 0; i <= setting.size(); ++i) {  // with the null character that ends it
            hash = (hash ^ static_cast<unsigned char>(setting.c_str()[i])) * 0x100000001b3;
        }
    }
    return hash;
}

bool is_everywhere(uint64_t number, MPI_Comm comm) {
    // The smallest complement belongs to the greatest value.
    uint64_t min[2] = {number, ~number};
    mpi::allreduce(min, 2, MPI_UINT64_T, MPI_MIN, comm);
    return min[0] == ~min[1];
}

// `text` is used on the root only.
std::string broadcast_text(std::string text, int root, MPI_Comm comm) {
    auto length = static_cast<int>(text.size());
    mpi::bcast(&length, 1, MPI_INT, root, comm);
    text.resize(static_cast<size_t>(length));
    mpi::bcast(text.data(), length, MPI_CHAR, root, comm);
    return text;
}

// Returns for each row the lowest rank whose value differs from rank 0's, INT_MAX for none.
std::vector<int> find_first_differing(const std::vector<const base::ConfigRow*>& rows,
                                      const std::vector<std::string>& settings_of_first, int rank,
                                      MPI_Comm comm) {
    std::vector<int> first_differing;
    for (size_t i = 0; i < rows.size(); ++i) {
        first_differing.push_back(setting_of(*rows[i]) == settings_of_first[i] ? INT_MAX : rank);
    }
    mpi::allreduce(first_differing.data(), static_cast<int>(rows.size()), MPI_INT, MPI_MIN, comm);
    return first_differing;
}

std::string value_in_words(const base::ConfigRow& row) {
    return "\"" + row.value + "\"" + (row.source == "default" ? " (the default)" : "");
}

std::string warning_of(const base::ConfigRow& row, int other, const std::string& value_of_other) {
    const std::string name(row.name);
    return name + " is " + value_in_words(row) + " on rank 0, but " + value_of_other + " on rank " +
           std::to_string(other) +
           "; all ranks take rank 0's. Start all with the same environment (with Open MPI: mpiexec "
           "-x " +
           name + ")";
}

// Reads files and the environment again, with rank 0's values in place of those that differ.
base::ConfigResult read_with(const std::vector<std::string>& settings) {
    std::vector<const char*> environment;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        environment.push_back(*entry);
    }
    for (const std::string& setting : settings) {
        environment.push_back(setting.c_str());
    }
    environment.push_back(nullptr);
    return base::read_config_and_files(environment.data());
}

}  // namespace

void take_common_values(base::ConfigResult* configuration, MPI_Comm comm) {
    const std::vector<const base::ConfigRow*> rows = rows_of_job(*configuration);
    if (is_everywhere(hash_of(rows), comm)) {
        return;
    }
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    std::vector<std::string> settings;
    for (const base::ConfigRow* row : rows) {
        settings.push_back(broadcast_text(setting_of(*row), 0, comm));
    }
    const std::vector<int> first_differing = find_first_differing(rows, settings, rank, comm);
    std::vector<std::string> taken;
    for (size_t i = 0; i < rows.size(); ++i) {
        if (first_differing[i] == INT_MAX) {
            continue;
        }
        const std::string other =
            broadcast_text(value_in_words(*rows[i]), first_differing[i], comm);
        if (rank == 0) {
            configuration->warnings.push_back(warning_of(*rows[i], first_differing[i], other));
        }
        taken.push_back(settings[i]);
    }
    if (rank != 0) {
        *configuration = read_with(taken);
    }
}

}  // namespace armci::core

// SPDX-License-Identifier: BSD-3-Clause
// armci-bench: measures one-sided operations of the ARMCI it is linked with. See
// options/options.cpp.

#include "armci-bench/measuring/comparison.h"
#include "armci-bench/measuring/runner.h"
#include "armci-bench/options/options.h"
#include "armci-bench/reporting/machine.h"
#include "armci-bench/reporting/report.h"
#include "armci-bench/reporting/table.h"
#include "armci-bench/workloads/arena.h"
#include "armci-bench/workloads/armci_api.h"
#include "armci-bench/workloads/implementation.h"
#include "armci-bench/workloads/raw/raw.h"
#include "armci-bench/workloads/row.h"
#include "armci-bench/workloads/workload.h"
#include "command_line/command_line.h"
#include "command_line/standard_output.h"
#include "progress/progress.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace armci::bench {
namespace {

constexpr int kExitFailed = 1;  // a row failed, or the results could not be written
constexpr int kExitNoisy = 3;   // a row's spread is above the limit that was given

int world_rank() {
    int rank = 0;
    MPI_Comm_rank(world(), &rank);
    return rank;
}

bool is_one_host() {
    MPI_Comm host = MPI_COMM_NULL;
    MPI_Comm_split_type(world(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    int ranks = 0;
    int ranks_here = 0;
    MPI_Comm_size(world(), &ranks);
    MPI_Comm_size(host, &ranks_here);
    MPI_Comm_free(&host);
    return ranks_here == ranks;
}

// Prints an error once, on rank 0; all ranks return the same status.
int fail(const std::string& message, int status) {
    if (world_rank() == 0) {
        std::fprintf(stderr, "armci-bench: %s\n", message.c_str());
    }
    return status;
}

// Makes an error that rank 0 found known to all ranks.
bool failed_on_rank_0(const std::string& message) {
    int failed = message.empty() ? 0 : 1;
    MPI_Bcast(&failed, 1, MPI_INT, 0, world());
    return failed != 0;
}

// Indices of rows, by what is measured together.
using Groups = std::vector<std::vector<size_t>>;

MemoryNeeds max_memory(const Plan& plan, const Groups& groups, const Options& options) {
    MemoryNeeds max;
    for (const std::vector<size_t>& group : groups) {
        MemoryNeeds needs;
        for (const size_t index : group) {
            needs += memory_needs(plan.rows[index], options);
        }
        max.remote_bytes = std::max(max.remote_bytes, needs.remote_bytes);
        max.local_bytes = std::max(max.local_bytes, needs.local_bytes);
    }
    return max;
}

// Samples, and before them the check and the search for how many operations make a sample.
double expected_seconds_of_row(const Options& options) {
    constexpr double kBefore = 3;
    return static_cast<double>(options.series) * (static_cast<double>(options.repeat) + kBefore) *
           static_cast<double>(options.min_time_ms) * 1e-3;
}

// Collective; returns the exit status. The network is null if no row is raw.
int measure_all(const Plan& plan, const Groups& groups, const Options& options, const Arena& arena,
                RawNetwork* raw) {
    const bool reports = world_rank() == 0;
    Report report(options);
    std::string error = reports ? report.open() : "";
    if (failed_on_rank_0(error)) {
        return fail(error, tools::kExitUsage);
    }
    Machine machine = describe_machine();
    machine.raw_network = raw != nullptr ? raw->describe() : "";
    if (reports) {
        report.begin(machine);
    }
    size_t failures = 0;
    size_t noisy = 0;  // counted on rank 0
    size_t done = 0;
    const auto row_count = static_cast<double>(plan.rows.size());
    std::optional<tools::Progress> progress;
    if (reports) {
        progress.emplace(
            "armci-bench",
            std::to_string(plan.rows.size()) + (plan.rows.size() == 1 ? " row" : " rows"),
            row_count * expected_seconds_of_row(options));
    }
    Runner runner(options, arena, raw);
    runner.measure(plan.rows, groups, [&](const Result& result) {
        failures += result.status == Status::ok ? 0 : 1;
        if (reports) {
            noisy +=
                result.status == Status::ok && result.is_noisy(quartile_limit(options)) ? 1 : 0;
            report.add(result);
            progress->show(static_cast<double>(++done) / row_count);
        }
    });
    progress.reset();
    error = reports ? report.finish() : "";
    if (failed_on_rank_0(error)) {
        return fail(error, kExitFailed);
    }
    if (failures > 0) {
        return fail(
            std::to_string(failures) + " of " + std::to_string(plan.rows.size()) + " rows failed",
            kExitFailed);
    }
    if (options.noise_fails) {
        error = noisy == 0
                    ? ""
                    : "--quartiles-within: of " + std::to_string(noisy) + " of " +
                          std::to_string(plan.rows.size()) + " rows a quartile lies more than " +
                          std::to_string(options.quartile_limit_percent) + " % from the median";
        if (failed_on_rank_0(error)) {
            return fail(error, kExitNoisy);
        }
    }
    return 0;
}

// Collective. Opens the network for raw operations if the plan has some.
int measure_with_network(const Plan& plan, const Groups& groups, const Options& options,
                         const Arena& arena) {
    if (std::none_of(plan.rows.begin(), plan.rows.end(),
                     [](const Row& row) { return is_raw(row.op); })) {
        return measure_all(plan, groups, options, arena, nullptr);
    }
    std::string error;
    const std::unique_ptr<RawNetwork> raw = open_raw_network(options, arena, &error);
    if (raw == nullptr) {
        if (!error.empty()) {
            std::fprintf(stderr, "armci-bench: rank %d: raw operations: %s\n", world_rank(),
                         error.c_str());
        }
        return kExitFailed;
    }
    return measure_all(plan, groups, options, arena, raw.get());
}

int fail_usage(const std::string& error) {
    return fail(error + " (armci-bench --help tells more)", tools::kExitUsage);
}

// What these options mean for the ranks there are; 0, or the exit status.
int make_plan_for_job(const Options& options, Plan* plan) {
    int rank_count = 0;
    MPI_Comm_size(world(), &rank_count);
    const std::string error = check_job_size(options, rank_count);
    if (!error.empty()) {
        return fail_usage(error);
    }
    *plan = make_plan(options, rank_count,
                      {.raw = raw_is_available(),
                       .serial_modes = can_limit_pipeline(),
                       .one_host = is_one_host()});
    if (world_rank() == 0) {
        for (const std::string& note : plan->notes) {
            std::fprintf(stderr, "armci-bench: %s\n", note.c_str());
        }
    }
    return plan->rows.empty() ? fail("these options leave nothing to measure", tools::kExitUsage)
                              : 0;
}

int list_rows(const Options& options) {
    Plan plan;
    const int status = make_plan_for_job(options, &plan);
    if (status == 0 && world_rank() == 0) {
        for (const Row& row : plan.rows) {
            print_row(stdout, row);
        }
    }
    return status;
}

// Collective; ARMCI is up.
int run_benchmark(const Options& options) {
    Plan plan;
    int status = make_plan_for_job(options, &plan);
    if (status != 0) {
        return status;
    }
    const Groups groups = group_rows(plan.rows, options.interleave);
    const MemoryNeeds needs = max_memory(plan, groups, options);
    Arena arena;
    status = kExitFailed;
    if (arena.create(needs.remote_bytes, needs.local_bytes, options.local_malloc)) {
        status = measure_with_network(plan, groups, options, arena);
    } else {
        fail("not enough memory: each rank needs " + std::to_string(needs.remote_bytes) +
                 " bytes of global and " + std::to_string(needs.local_bytes) +
                 " bytes of local memory",
             status);
    }
    arena.destroy();
    return status;
}

// Reads the arguments before MPI is up, which --help and --version do not need. Returns true if
// that is all that there is to do, with the exit status.
bool is_settled(const std::vector<std::string_view>& arguments, Options* options, int* status) {
    const std::string error = parse_options(arguments, options);
    *status = error.empty() ? 0 : tools::kExitUsage;
    if (!tools::is_other_rank()) {
        if (!error.empty()) {
            std::fprintf(stderr, "armci-bench: %s (armci-bench --help tells more)\n",
                         error.c_str());
        } else if (options->help) {
            std::fputs(usage_text().c_str(), stdout);
        } else if (options->version) {
            std::printf("armci-bench with %s\n", library_name().c_str());
        }
    }
    return !error.empty() || options->help || options->version;
}

// With MPI up.
int run(const Options& options) {
    if (options.list) {
        return list_rows(options);
    }
    ARMCI_Init();
    adopt_world();
    const int status = run_benchmark(options);
    ARMCI_Finalize();
    return status;
}

}  // namespace
}  // namespace armci::bench

int main(int argc, char** argv) {
    armci::tools::reserve_standard_output();
    armci::bench::Options options;
    int status = 0;
    if (!armci::bench::is_settled({argv + 1, argv + argc}, &options, &status)) {
        MPI_Init(&argc, &argv);
        status = armci::bench::run(options);
        MPI_Finalize();
    }
    return armci::tools::finish_standard_output("armci-bench", status);
}

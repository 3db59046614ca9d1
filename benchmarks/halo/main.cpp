// SPDX-License-Identifier: BSD-3-Clause
// Times halo exchanges (docs/references.md: Buntinas 2007). README.md says how to run it.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "armci/armci.h"
#include "armci/armcix.h"
#include "exchange.h"
#include "options.h"
#include "report.h"

namespace armci::halo {
namespace {

using Clock = std::chrono::steady_clock;

// The time of the slowest rank, in microseconds.
double sample_us(Exchange& exchange, Algorithm algorithm, int64_t bytes, int64_t steps) {
    ARMCI_Barrier();
    const auto begin = Clock::now();
    exchange.make_steps(algorithm, bytes, steps);
    double us = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
    MPI_Allreduce(MPI_IN_PLACE, &us, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return us;
}

// How many steps take about the time of a sample. All ranks find the same.
int64_t steps_of_sample(Exchange& exchange, Algorithm algorithm, int64_t bytes, int64_t sample_ms) {
    const double wanted_us = 1000.0 * static_cast<double>(sample_ms);
    int64_t steps = 1;
    for (;;) {
        const double us = sample_us(exchange, algorithm, bytes, steps);
        if (us >= wanted_us / 4 || steps >= 1'000'000) {
            return std::max<int64_t>(
                1, static_cast<int64_t>(static_cast<double>(steps) * wanted_us / us));
        }
        steps *= 2;
    }
}

class Progress {
  public:
    explicit Progress(bool is_shown, size_t row_count) : is_shown_(is_shown), count_(row_count) {}
    void show(int64_t bytes) {
        ++done_;
        if (is_shown_) {
            std::fprintf(stderr, "halo: strips of %lld bytes, %zu of %zu sizes\n",
                         static_cast<long long>(bytes), done_, count_);
        }
    }

  private:
    bool is_shown_;
    size_t count_;
    size_t done_ = 0;
};

// Samples of all algorithms are taken in turn, so that what disturbs the machine for a while is in
// all of them.
std::vector<Result> measure(Exchange& exchange, const Options& options, Progress& progress) {
    std::vector<Result> results;
    for (const int64_t bytes : options.sizes) {
        const size_t first = results.size();
        std::vector<std::vector<double>> samples(options.algorithms.size());
        for (const Algorithm algorithm : options.algorithms) {
            exchange.make_checked_step(algorithm, bytes);
            results.push_back({algorithm,
                               bytes,
                               steps_of_sample(exchange, algorithm, bytes, options.sample_ms),
                               {}});
        }
        for (int64_t round = 0; round < options.samples; ++round) {
            for (size_t i = 0; i < samples.size(); ++i) {
                const Result& row = results[first + i];
                samples[i].push_back(sample_us(exchange, row.algorithm, bytes, row.steps) /
                                     static_cast<double>(row.steps));
            }
        }
        for (size_t i = 0; i < samples.size(); ++i) {
            results[first + i].step_us = tools::summarize(std::move(samples[i]));
            exchange.make_checked_step(options.algorithms[i], bytes);
        }
        progress.show(bytes);
    }
    return results;
}

int run(const Options& options) {
    int rank = 0;
    Job job;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job.rank_count);
    const Grid grid(rank, job.rank_count);
    job.columns = grid.columns;
    job.rows = grid.rows;
    job.node_count = ARMCIX_Node_count();
    job.provider = ARMCIX_Provider();
    long errors = 0;
    std::vector<Result> results;
    {
        Exchange exchange(rank, job.rank_count,
                          *std::max_element(options.sizes.begin(), options.sizes.end()));
        Progress progress(rank == 0, options.sizes.size());
        results = measure(exchange, options, progress);
        errors = exchange.error_count();
    }
    MPI_Allreduce(MPI_IN_PLACE, &errors, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    int status = errors == 0 ? 0 : 1;
    if (rank == 0) {
        print_table(job, results);
        if (errors != 0) {
            std::fprintf(stderr, "halo: %ld wrong words have arrived\n", errors);
        }
        for (const auto& [path, is_written] :
             {std::pair{options.csv_path,
                        options.csv_path.empty() || write_csv(options.csv_path, job, results)},
              std::pair{options.json_path, options.json_path.empty() ||
                                               write_json(options.json_path, job, results)}}) {
            if (!is_written) {
                std::fprintf(stderr, "halo: cannot write %s\n", path.c_str());
                status = 1;
            }
        }
    }
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return status;
}

}  // namespace
}  // namespace armci::halo

int main(int argc, char** argv) {
    armci::halo::Options options;
    if (const std::optional<int> status = armci::halo::read_options(argc, argv, &options)) {
        return *status;
    }
    MPI_Init(&argc, &argv);
    ARMCI_Init();
    const int status = armci::halo::run(options);
    ARMCI_Finalize();
    MPI_Finalize();
    return status;
}

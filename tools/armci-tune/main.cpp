// SPDX-License-Identifier: BSD-3-Clause
// armci-tune: measures what transfers cost between two nodes and writes a profile, from which later
// runs choose their routes.
#include <armci/armci.h>
#include <armci/armcix.h>
#include <mpi.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "armci-info/crossovers.h"
#include "armci-tune/fit.h"
#include "armci-tune/measure.h"
#include "armci-tune/quality.h"
#include "armci-tune/report.h"
#include "base/config_value.h"
#include "command_line/command_line.h"
#include "command_line/standard_output.h"
#include "library/library.h"
#include "pipeline/costs/cost_profile.h"

namespace {

using armci::base::OpKind;
using armci::base::Route;
using armci::tools::CommandLine;
using armci::tools::library;
using armci::tune::Cell;
using armci::tune::Meter;
using armci::tune::Sample;

constexpr int64_t kLargestBytes = 4 << 20;

constexpr int kExitFailed = 1;
constexpr int kExitRefused = 3;  // the measurements are not good enough

struct Options {
    std::string output;  // these three are empty if not given
    std::string csv;     // "-": standard output, also for json
    std::string json;
    bool version = false;
    bool quick = false;
    bool force = false;
    int64_t seconds = 0;  // 0: not given
};

void add_options(CommandLine* line, Options* options) {
    const auto path_of = [](std::string* path) {
        return [path](const std::string& text) {
            *path = text;
            return !text.empty();
        };
    };
    line->add_value("--output", "FILE", path_of(&options->output),
                    "writes the profile there, for ARMCI_PROFILE; without it to standard\noutput");
    line->add_value("--csv", "FILE", path_of(&options->csv),
                    "the lines of the table as CSV (\"-\": standard output, instead of all text)");
    line->add_value("--json", "FILE", path_of(&options->json),
                    "the same as JSON, with the profile and why it must not be used");
    line->add_value(
        "--seconds", "N",
        [options](const std::string& text) {
            return armci::base::parse_integer(text, &options->seconds) && options->seconds >= 1 &&
                   options->seconds <= 86400;
        },
        "measures for that long, 1 to 86400 (default 6): more repetitions of\neach transfer");
    line->add_flag("--quick", &options->quick, "few measurements: to try it out");
    line->add_flag("--force", &options->force, "a profile in any case");
    line->add_flag("--version", &options->version, "prints the version, and stops");
    line->add_footer(
        "The table has a line for each transfer and route: the median (us/op), the quartiles\n"
        "(q1, q3) and the 95th and 99th percentile of its samples. A sample is the time of a "
        "burst\n"
        "of up to 64 transfers divided by their number. Quantile p of n samples is at the place\n"
        "p * (n - 1) among them in ascending order, counted from 0, and between two samples on "
        "the\n"
        "straight line through them. p95 needs 20 samples and p99 100; otherwise there is \"-\".\n"
        "On one host, ARMCI_NODE_SIZE=1 makes each rank a node.");
}

std::string machine_name() {
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    std::string processor = "unknown processor";
    if (std::FILE* info = std::fopen("/proc/cpuinfo", "re")) {
        char line[512];
        while (std::fgets(line, sizeof line, info) != nullptr) {
            const char* colon = std::strchr(line, ':');
            if (std::strncmp(line, "model name", 10) == 0 && colon != nullptr) {
                processor = colon + 2;
                processor.erase(processor.find_last_not_of("\r\n \t") + 1);
                break;
            }
        }
        std::fclose(info);
    }
    return std::string(host) + ", " + std::to_string(library().processor_count()) + " x " +
           processor;
}

std::string utc_date() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

void add_cells(OpKind op, const std::vector<int64_t>& totals, const std::vector<int64_t>& blocks,
               bool rma, bool is_check, std::vector<Cell>* cells) {
    for (const int64_t total_bytes : totals) {
        for (const int64_t block_bytes : blocks) {
            if (block_bytes > total_bytes / 2) {
                continue;
            }
            Cell cell;
            cell.op = op;
            cell.shape = {total_bytes, block_bytes};
            cell.is_check = is_check;
            if (rma && op != OpKind::acc &&
                total_bytes / block_bytes <= armci::tune::kMaxRmaBlocks) {
                cell.routes.push_back(Route::rma);
            } else if (is_check) {
                continue;
            }
            cell.routes.push_back(Route::server);
            cells->push_back(cell);
        }
    }
}

std::vector<Cell> cells_to_measure(bool rma, bool quick) {
    constexpr int64_t kKiB = 1024;
    const std::vector<int64_t> blocks(armci::pipeline::kRmaBlockBytes.begin(),
                                      armci::pipeline::kRmaBlockBytes.end());
    std::vector<int64_t> totals = {2 * kKiB, 8 * kKiB, 32 * kKiB, 512 * kKiB, kLargestBytes};
    std::vector<int64_t> check_totals = {12 * kKiB, 192 * kKiB, 3072 * kKiB};
    std::vector<int64_t> check_blocks = {768,       3 * kKiB,  6 * kKiB,  12 * kKiB,
                                         24 * kKiB, 48 * kKiB, 192 * kKiB};
    if (quick) {
        totals = {2 * kKiB, 64 * kKiB};
        check_totals = {12 * kKiB};
    }
    std::vector<Cell> cells;
    for (const OpKind op : {OpKind::put, OpKind::get, OpKind::acc}) {
        add_cells(op, totals, blocks, rma, false, &cells);
        add_cells(op, check_totals, check_blocks, rma, true, &cells);
        // One frame each, sent one directly after the other: the cost of a frame alone.
        Cell stream;
        stream.op = op;
        stream.shape = {4 * kKiB, 512};
        stream.routes = {Route::server};
        stream.non_blocking = true;
        cells.push_back(stream);
    }
    return cells;
}

std::vector<Sample> samples_of(const std::vector<Cell>& cells) {
    std::vector<Sample> samples;
    for (const Cell& cell : cells) {
        for (size_t i = 0; i < cell.routes.size() && !cell.is_check; ++i) {
            samples.push_back({cell.op, cell.routes[i], cell.shape, cell.non_blocking, cell.us[i]});
        }
    }
    return samples;
}

int first_rank_elsewhere(int size) {
    for (int rank = 1; rank < size; ++rank) {
        if (ARMCIX_Node(rank) != ARMCIX_Node(0)) {
            return rank;
        }
    }
    return -1;
}

// Reports it if the profile must not be used.
bool is_refused(const std::vector<std::string>& faults, const Options& options) {
    if (faults.empty()) {
        return false;
    }
    std::fflush(stdout);
    std::fprintf(stderr, "armci-tune: %s\n",
                 options.force ? "a doubtful profile, because of --force:"
                               : "no profile, because these measurements are not good enough:");
    for (const std::string& fault : faults) {
        std::fprintf(stderr, "  %s\n", fault.c_str());
    }
    if (!options.force) {
        std::fprintf(stderr,
                     "armci-tune: measure while nothing else runs on the nodes, between two hosts "
                     "rather than between virtual nodes of one, or for longer (--seconds 60)\n");
    }
    return !options.force;
}

// Whether neither CSV nor JSON goes to standard output.
bool prints_text(const Options& options) {
    return options.csv != "-" && options.json != "-";
}

void print_text(const armci::tune::Outcome& outcome, const armci::pipeline::CostModel& model,
                bool rma) {
    std::printf("provider %s, rank 0 to rank %d\n\n", outcome.profile.provider.c_str(),
                outcome.target);
    armci::tune::print_table(stdout, outcome.cells, model);
    if (rma) {
        armci::info::print_crossovers(stdout, model);
    } else {
        std::printf("direct remote access is not used here: there is nothing to choose\n");
    }
}

// `write` gets the file, or standard output for "-". Reports a failure and returns false then.
template <class Write>
bool write_file(const std::string& path, Write&& write) {
    std::FILE* file = path == "-" ? stdout : std::fopen(path.c_str(), "we");
    bool written = file != nullptr;
    if (written) {
        write(file);
        written = std::ferror(file) == 0 && std::fflush(file) == 0;
        written = (file == stdout || std::fclose(file) == 0) && written;
    }
    if (!written) {
        std::fprintf(stderr, "armci-tune: %s cannot be written: %s\n", path.c_str(),
                     std::strerror(errno));
    }
    return written;
}

bool write_rows(const armci::tune::Outcome& outcome, const armci::pipeline::CostModel& model,
                const Options& options) {
    const bool csv_written = options.csv.empty() || write_file(options.csv, [&](std::FILE* file) {
                                 armci::tune::write_csv(file, outcome.cells, model);
                             });
    const bool json_written =
        options.json.empty() || write_file(options.json, [&](std::FILE* file) {
            armci::tune::write_json(file, outcome, model);
        });
    return csv_written && json_written;
}

bool write_profile(const armci::pipeline::CostProfile& profile, const Options& options) {
    const std::string text = format_profile(profile);
    if (options.output.empty()) {
        if (prints_text(options)) {
            std::printf("\n%s", text.c_str());
        }
        return true;
    }
    if (!write_file(options.output, [&](std::FILE* file) { std::fputs(text.c_str(), file); })) {
        return false;
    }
    if (prints_text(options)) {
        std::printf("\nprofile written; export ARMCI_PROFILE=%s\n", options.output.c_str());
    }
    return true;
}

// On rank 0, while the others wait in ARMCI_Barrier. Returns the exit status.
int tune(const Options& options, void* local, void* remote, int target) {
    const armci::core::Network& network = *library().running()->network;
    armci::tune::Outcome outcome;
    outcome.target = target;
    armci::pipeline::CostProfile& profile = outcome.profile;
    profile.provider = ARMCIX_Provider();
    profile.machine = machine_name();
    profile.date = utc_date();
    profile.constants = network.costs.constants();
    const int64_t budget_us = options.quick ? 10'000 : 300'000;
    if (!library().measure_copies(256 << 10, budget_us, &profile.constants)) {
        std::fprintf(stderr, "armci-tune: no memory\n");
        return kExitFailed;
    }
    Meter meter(local, remote, target, options.quick, options.seconds);
    const bool rma = meter.can_take(Route::rma);
    outcome.cells = cells_to_measure(rma, options.quick);
    meter.measure(&outcome.cells);
    armci::tune::fit_costs(samples_of(outcome.cells), network.costs.limits(), &profile.constants);

    armci::pipeline::CostModel model(profile.constants, network.costs.limits());
    model.choose_by_costs();
    outcome.faults = armci::tune::find_faults(outcome.cells, model);
    if (prints_text(options)) {
        print_text(outcome, model, rma);
    }
    if (!write_rows(outcome, model, options)) {
        return kExitFailed;
    }
    if (is_refused(outcome.faults, options)) {
        return kExitRefused;
    }
    return write_profile(profile, options) ? 0 : kExitFailed;
}

// Checked before anything is measured, so that no time is lost. Leaves existing files, and nothing
// new.
bool can_write(const std::string& path) {
    if (path.empty() || path == "-") {
        return true;
    }
    const bool is_new = access(path.c_str(), F_OK) != 0;
    std::FILE* file = std::fopen(path.c_str(), "ae");
    if (file == nullptr) {
        std::fprintf(stderr, "armci-tune: %s cannot be written: %s\n", path.c_str(),
                     std::strerror(errno));
        return false;
    }
    std::fclose(file);
    if (is_new) {
        std::remove(path.c_str());
    }
    return true;
}

int run(const Options& options, int rank, int size) {
    int good = rank == 0 && !(can_write(options.output) && can_write(options.csv) &&
                              can_write(options.json))
                   ? 0
                   : 1;
    MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (good == 0) {
        return kExitFailed;
    }
    // The profile that a site or user names may be the one that is made here, and not be there yet.
    setenv("ARMCI_PROFILE", "", 1);
    ARMCI_Init();
    const int target = first_rank_elsewhere(size);
    if (target < 0) {
        if (rank == 0) {
            std::fprintf(stderr,
                         "armci-tune: all ranks share a node; start two on different hosts, or set "
                         "ARMCI_NODE_SIZE=1 to measure between virtual nodes\n");
        }
        ARMCI_Finalize();
        return kExitFailed;
    }
    std::vector<void*> memory(static_cast<size_t>(size));
    void* local = ARMCI_Malloc_local(2 * kLargestBytes);
    if (ARMCI_Malloc(memory.data(), 2 * kLargestBytes) != 0 || local == nullptr) {
        ARMCI_Error("armci-tune: no memory", 1);
    }
    std::memset(memory[static_cast<size_t>(rank)], 0, 2 * kLargestBytes);
    std::memset(local, 0, 2 * kLargestBytes);
    ARMCI_Barrier();
    int status = 0;
    if (rank == 0) {
        status = tune(options, local, memory[static_cast<size_t>(target)], target);
    }
    ARMCI_Barrier();
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    ARMCI_Free(memory[static_cast<size_t>(rank)]);
    ARMCI_Free_local(local);
    ARMCI_Finalize();
    return status;
}

// Returns the exit status.
int run_arguments(int argc, char** argv) {
    Options options;
    CommandLine line(
        "mpiexec -n 2 armci-tune [options]",
        "Measures put, get and accumulate on every route between rank 0 and a rank of another\n"
        "node, fits the cost model to that, and prints the times, from which block length on\n"
        "direct remote access is chosen, and how good these choices are. Takes a few seconds. "
        "Where other work\n"
        "on the nodes has spoilt the measurements there is no profile, but the reasons, and the\n"
        "exit status is 3.");
    add_options(&line, &options);
    if (const auto status = armci::tools::read_arguments("armci-tune", argc, argv, &line)) {
        return *status;
    }
    if (options.version) {
        if (!armci::tools::is_other_rank()) {
            std::printf("armci-ofi %s\n", ARMCI_VERSION);
        }
        return 0;
    }
    if (options.csv == "-" && options.json == "-") {
        if (!armci::tools::is_other_rank()) {
            std::fprintf(stderr, "armci-tune: --csv, --json: only one can go to standard output\n");
        }
        return armci::tools::kExitUsage;
    }
    if (options.seconds == 0 && !options.quick) {
        options.seconds = 6;
    }
    MPI_Init(&argc, &argv);
    int rank = 0;
    int size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int status = run(options, rank, size);
    MPI_Finalize();
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    armci::tools::reserve_standard_output();
    return armci::tools::finish_standard_output("armci-tune", run_arguments(argc, argv));
}

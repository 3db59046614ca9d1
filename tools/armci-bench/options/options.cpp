// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/options/options.h"

#include "armci-bench/numbers/quantity.h"
#include "command_line/command_line.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

namespace armci::bench {

namespace {

using tools::CommandLine;

constexpr int64_t kMaxCount = int64_t{1} << 30;

bool parse_number(std::string_view text, double* value) {
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, *value);
    return error == std::errc{} && rest == end;
}

bool parse_in_range(std::string_view text, int64_t lowest, int64_t highest, int64_t* value) {
    const std::optional<int64_t> count = parse_count(text);
    if (!count || *count < lowest || *count > highest) {
        return false;
    }
    *value = *count;
    return true;
}

bool parse_list(std::string_view text, std::vector<int64_t>* list) {
    std::optional<std::vector<int64_t>> parsed = parse_bytes_list(text);
    if (!parsed) {
        return false;
    }
    *list = std::move(*parsed);
    return true;
}

// What reads one kind of value into its place.
using Take = std::function<bool(const std::string&)>;

Take count_of(int64_t* count, int64_t min, int64_t max = kMaxCount) {
    return [=](const std::string& text) { return parse_in_range(text, min, max, count); };
}

Take list_of(std::vector<int64_t>* list) {
    return [=](const std::string& text) { return parse_list(text, list); };
}

Take text_of(std::string* place) {
    return [=](const std::string& text) {
        *place = text;
        return !text.empty();
    };
}

template <typename Choice>
Take choice_of(Choice* choice) {
    return [=](const std::string& text) { return parse_choice(text, choice); };
}

// One of two words; the first one sets the switch, the other one clears it.
Take either(bool* is_first, const char* first, const char* other) {
    return [=](const std::string& text) {
        *is_first = text == first;
        return text == first || text == other;
    };
}

void add_operations(CommandLine* line, Options* options) {
    line->begin_group("What to measure");
    line->add_value(
        "--ops", "LIST",
        [options](const std::string& text) { return parse_ops(text, &options->ops); },
        "operations and groups of them (default contiguous,strided,vector,rmw,sync):\n"
        "  contiguous  put, get, acc\n"
        "  strided     put-strided, get-strided, acc-strided\n"
        "  vector      put-vector, get-vector, acc-vector\n"
        "  rmw         fetch-add, swap, fetch-add-contended (all ranks, one counter)\n"
        "  sync        fence (the fence alone, after a put), barrier, lock (a mutex of\n"
        "              the target locked and unlocked)\n"
        "  fairness    lock-fairness: all ranks lock and unlock one mutex, each as often\n"
        "              as it can (see --hold); \"min/max\" divides how often the rank\n"
        "              that got it least often did so by how often the one did that\n"
        "              got it most often: 1 is fair\n"
        "  barriers    what to compare barrier with: group-barrier of a group of all\n"
        "              ranks, mpi-barrier, and flag-barrier by hand in shared memory\n"
        "  memory      malloc: 1 MiB for each rank allocated and freed; malloc-write:\n"
        "              1 MiB and 64 MiB, which their owner writes before they are freed\n"
        "  mpi-pack    mpi-pack-put, mpi-pack-get: the strided patch packed, sent and\n"
        "              unpacked by hand with MPI, as a yardstick\n"
        "  raw         raw-put, raw-get: writes and reads by libfabric alone, between\n"
        "              the same memory; raw-rmw: 8 bytes sent and answered\n"
        "  overlap     overlap-put, overlap-get, overlap-acc: non-blocking transfers\n"
        "              against computation, in two modes of their own:\n"
        "              origin  the rank that starts a transfer computes for as long\n"
        "                      as it takes, then waits for it, at the target too;\n"
        "                      us/op is the time of both together, and \"hidden\" what\n"
        "                      part of the shorter one cost no time\n"
        "              target  the target computes while transfers stream into it;\n"
        "                      us/op is their time then, \"transfer\" their time while\n"
        "                      it waits in ARMCI_Barrier, x how many times longer\n"
        "              \"computing x\": time of the computation meanwhile / alone\n"
        "  overlap-strided  overlap-put-strided, overlap-get-strided,\n"
        "              overlap-acc-strided: the same for strided transfers\n"
        "  all         everything");
    line->add_value(
        "--modes", "LIST",
        [options](const std::string& text) { return parse_modes(text, &options->modes); },
        "latency  each operation complete at the target before the next starts\n"
        "stream   blocking operations back to back, one fence at the end; a get is\n"
        "         complete when it returns, so that latency already is its stream\n"
        "window   non-blocking, --window of them at a time, one fence at the end\n"
        "latency-serial, stream-serial  the same where the library keeps one\n"
        "         chunk of a transfer under way at a time: no pipeline");
}

void add_shapes(CommandLine* line, Options* options) {
    line->add_value(
        "--sizes", "LIST",
        [options](const std::string& text) {
            if (!parse_list(text, &options->sizes)) {
                return false;
            }
            options->strided_sizes = options->sizes;
            options->overlap_sizes = options->sizes;
            return true;
        },
        "bytes of contiguous and strided transfers (default 8 to 1M, 64K and 1M), and\n"
        "of those against computation (default 4K to 8M);\n"
        "suffixes K, M, G; A:B stands for A, 2A, 4A, ... B");
    line->add_value("--runs", "LIST", list_of(&options->blocks),
                    "bytes of a contiguous block or vector segment (default 8,128,1K)");
    line->add_value(
        "--dims", "LIST",
        [options](const std::string& text) {
            return parse_list(text, &options->dims) &&
                   std::all_of(options->dims.begin(), options->dims.end(),
                               [](int64_t dims) { return dims >= 1 && dims <= 8; });
        },
        "dimensions of strided patches, 1 to 8 (default 2); 1: one block of the whole\n"
        "size, by the strided calls with no stride levels");
    line->add_value("--segments", "LIST", list_of(&options->segments),
                    "segments of vector transfers (default 1000)");
    line->add_value("--segment-order", "HOW", either(&options->mixed_segments, "mixed", "even"),
                    "even (default) or mixed: the same segments of vector transfers, listed in an\n"
                    "order that forms no pattern");
    line->add_value("--stride-factor", "N", count_of(&options->stride_factor, 1),
                    "distance between blocks, in blocks (default 2; 1: dense)");
    line->add_value("--local", "WHICH", either(&options->local_dense, "dense", "strided"),
                    "local side: strided like the remote side (default) or dense");
    line->add_value("--local-memory", "FROM", either(&options->local_malloc, "malloc", "armci"),
                    "local buffers from armci (ARMCI_Malloc_local, default) or malloc");
    line->add_value(
        "--working-set", "BYTES",
        [options](const std::string& text) {
            const std::optional<int64_t> bytes = parse_bytes(text);
            options->working_set_bytes = bytes.value_or(0);
            return bytes.has_value() && *bytes > 0;
        },
        "put, get and acc go on from place to place through so many bytes on each\n"
        "side, round and round; with more than the caches hold, all data is cold\n"
        "(default: one place; in mode window one for each operation under way)");
    line->add_value("--place-order", "HOW", either(&options->mixed_places, "mixed", "even"),
                    "even (default) or mixed: places of --working-set in an order that forms no\n"
                    "pattern");
}

void add_details(CommandLine* line, Options* options) {
    line->add_value(
        "--type", "NAME",
        [options](const std::string& text) { return parse_element(text, &options->type); },
        "elements of acc: int long float double complex dcomplex (default double)");
    line->add_value(
        "--scale", "X",
        [options](const std::string& text) { return parse_number(text, &options->scale); },
        "factor of acc (default 2)");
    line->add_value("--hold", "US", count_of(&options->hold_us, 0, 1'000'000),
                    "in lock-fairness, a rank that has the mutex sleeps so many microseconds\n"
                    "before it unlocks, in which all others come to wait (default 0)");
    line->add_value("--window", "N", count_of(&options->window, 1),
                    "operations under way in mode window (default 64)");
    line->add_value("--handles", "KIND", choice_of(&options->handles),
                    "of non-blocking operations: implicit (default), explicit, aggregate");
    line->add_value("--raw-provider", "NAME", text_of(&options->raw_provider),
                    "libfabric provider of raw operations (default: the one the library uses; if\n"
                    "it uses none, libfabric's first); the interface is chosen as the library\n"
                    "does, ARMCI_INTERFACE included");
    line->add_value("--raw-peer", "HOW", choice_of(&options->raw_peer),
                    "what the target of raw operations does: spin (polls without a pause,\n"
                    "default), wait (sleeps until the provider's file descriptor wakes it)");
}

void add_roles(CommandLine* line, Options* options) {
    line->begin_group("Who takes part");
    line->add_value("--pattern", "NAME", choice_of(&options->pattern),
                    "who acts on whom:\n"
                    "  one   rank 0 acts on --target (default: the last rank)\n"
                    "  half  the lower half of the ranks, all on the last rank, at once: only\n"
                    "        accumulates\n"
                    "  pair  the lower half of the ranks, each on its partner in the upper half,\n"
                    "        at once\n"
                    "  all   every rank on the next one, at once");
    line->add_value("--target", "RANK",
                    count_of(&options->target, 0, std::numeric_limits<int>::max()),
                    "the rank on which --pattern one acts (default: the last rank)");
    line->add_value("--target-wait", "HOW", choice_of(&options->target_wait),
                    "where targets are meanwhile: mpi (in MPI_Barrier, default), armci (in\n"
                    "ARMCI_Barrier), busy (computing, in no library at all), asleep (nor\n"
                    "computing: their processors are free for data servers)");
    line->add_flag("--target-busy", &options->target_busy, "same as --target-wait busy");
    line->add_value(
        "--busy-limit", "S", count_of(&options->busy_limit_s, 1),
        "a busy or sleeping target that sees no progress gives up after S seconds\n"
        "(default 20); the row is then marked \"stalled\" and the exit status is not 0");
}

void add_durations(CommandLine* line, Options* options) {
    line->begin_group("How long");
    line->add_value("--repeat", "N", count_of(&options->repeat, 1),
                    "samples per row, or per series of a row (default 20)");
    line->add_value("--min-time", "MS", count_of(&options->min_time_ms, 0),
                    "milliseconds per sample at least (default 10)");
    line->add_value("--series", "N", count_of(&options->series, 1),
                    "measures every row N times, all rows in turn: N series, each with its data\n"
                    "checked and with the target waiting anew. All figures of a row's time\n"
                    "are then those of the N series' medians, and a line below the row shows\n"
                    "them: a row that has one of two speeds from series to series is seen");
    line->add_value(
        "--quartiles-within", "P",
        [options](const std::string& text) {
            options->noise_fails = true;
            return parse_in_range(text, 1, kMaxCount, &options->quartile_limit_percent);
        },
        "rows whose first or third quartile lies more than P percent from the median\n"
        "are marked \"noisy\" (default 15); given explicitly, it also makes the exit\n"
        "status 3 if there is such a row");
    line->add_flag("--interleave", &options->interleave,
                   "rows that are compared with each other are sampled in turn (A B A B), so\n"
                   "that all of them see the same machine; they are then reported together");
}

void add_output(CommandLine* line, Options* options) {
    line->begin_group("Output");
    line->add_value("--csv", "FILE", text_of(&options->csv_path),
                    "rows as CSV (\"-\": standard output, instead of the table)");
    line->add_value("--json", "FILE", text_of(&options->json_path),
                    "rows as JSON with a description of the machine and the settings");
    line->add_flag("--list", &options->list, "print the rows that would be measured, and stop");
    line->add_flag("--version", &options->version, "print which library this measures, and stop");
}

const char* const kUsage = "mpiexec -n RANKS armci-bench [options]";

const char* const kAbout =
    R"(Measures one-sided operations. Before a row is timed its result is checked; a row whose data is
wrong says so, and the exit status is then not 0.)";

const char* const kFooter =
    R"(Times are per operation: of several ranks at once the slowest; bandwidth and rate are then the sum.
Bandwidth counts moved bytes once (MB/s = 10^6 bytes per second). A sample is the time of a batch of
operations divided by their number; "us/op" is the median of a row's samples, "q1" and "q3" their
quartiles, "p95" and "p99" their 95th and 99th percentile. Quantile p of n samples is at the place
p * (n - 1) among them in ascending order, counted from 0, and between two samples on the straight
line through them. p95 needs 20 samples and p99 100 of them (--repeat 100); otherwise there is "-".
With --min-time 0 --repeat 1000 a sample is one operation (in mode window a window of them), so that
the percentiles are those of single operations. At the end of a row:
  noisy               a quartile lies further from the median than --quartiles-within allows: do not
                      compare this row with others; measure it again on an idle machine
  two speeds          the values gather in two places at least 15 % apart, with 15 % of them at the
                      rarer one, so that the median hides one: how many there are of each, and their
                      medians. At least 10 values are needed. distribution.h describes the test
With --series, the line below the row counts the series' medians in 24 intervals of equal ratio between
the smallest and the largest: "." none, "1" to "9", "+" ten or more. CSV and JSON files have every
value. Rows that can be compared (put with raw-put, a strided put with mpi-pack-put, a mode with
its serial form, ...) are compared at the end, when both were measured.)";

void add_options(CommandLine* line, Options* options) {
    add_operations(line, options);
    add_shapes(line, options);
    add_details(line, options);
    add_roles(line, options);
    add_durations(line, options);
    add_output(line, options);
    line->add_footer(kFooter);
}

void set_list_defaults(Options* options) {
    parse_ops("contiguous,strided,vector,rmw,sync", &options->ops);
    options->modes = {Mode::latency, Mode::stream, Mode::window};
    parse_list("8,64,1K,8K,64K,1M", &options->sizes);
    parse_list("64K,1M", &options->strided_sizes);
    parse_list("4K,64K,1M,8M", &options->overlap_sizes);
    parse_list("8,128,1K", &options->blocks);
    parse_list("1000", &options->segments);
    parse_list("2", &options->dims);
}

// Elements begin as whole numbers below 16, and float has 24 bits: so for a thousand ranks.
bool sums_are_exact(double scale) {
    constexpr double kMost = 1000;
    return std::nearbyint(scale) == scale && std::fabs(scale) <= kMost;
}

std::string check_consistency(const Options& options) {
    if (!scale_fits(options.type, options.scale)) {
        return std::string("--scale: elements of type ") + element_name(options.type) +
               " need a finite factor, whole-number types a whole one that fits int";
    }
    if (options.pattern != Pattern::one && options.target >= 0) {
        return "--target: only with --pattern one, the others choose the targets themselves";
    }
    const auto accumulates = [](Op op) {
        return op == Op::acc || op == Op::acc_strided || op == Op::acc_vector;
    };
    if (options.pattern == Pattern::half &&
        !std::all_of(options.ops.begin(), options.ops.end(), accumulates)) {
        return "--pattern half: only accumulates of several ranks to the same memory have one "
               "result; use --ops acc,acc-strided,acc-vector, or some of them";
    }
    if (options.pattern == Pattern::half && !sums_are_exact(options.scale)) {
        return "--pattern half: accumulates arrive in any order, so that only exact sums can be "
               "checked; --scale needs a whole number from -1000 to 1000";
    }
    if (options.csv_path == "-" && options.json_path == "-") {
        return "--csv, --json: only one of them can go to standard output";
    }
    return "";
}

}  // namespace

std::string parse_options(const std::vector<std::string_view>& arguments, Options* options) {
    *options = Options{};
    set_list_defaults(options);
    CommandLine line(kUsage, kAbout);
    add_options(&line, options);
    const std::string error = line.parse({arguments.begin(), arguments.end()});
    options->help = line.wants_help();
    if (options->target_busy) {
        options->target_wait = TargetWait::busy;
    }
    const bool measures = !options->help && !options->version;
    return error.empty() && measures ? check_consistency(*options) : error;
}

std::string usage_text() {
    Options options;
    CommandLine line(kUsage, kAbout);
    add_options(&line, &options);
    return line.help();
}

int single_target(const Options& options, int rank_count) {
    return options.target < 0 ? rank_count - 1 : static_cast<int>(options.target);
}

bool has_passive_targets(const Options& options, int rank_count) {
    return options.pattern == Pattern::pair || options.pattern == Pattern::half ||
           (options.pattern == Pattern::one && single_target(options, rank_count) != 0);
}

std::string check_job_size(const Options& options, int rank_count) {
    if (options.target >= rank_count) {
        return "--target: there is no rank " + std::to_string(options.target) + " in a job of " +
               std::to_string(rank_count);
    }
    if ((options.pattern == Pattern::pair || options.pattern == Pattern::half) && rank_count < 2) {
        return std::string("--pattern ") + pattern_name(options.pattern) +
               ": needs at least 2 ranks";
    }
    if ((options.target_wait == TargetWait::busy || options.target_wait == TargetWait::asleep) &&
        !has_passive_targets(options, rank_count)) {
        return "--target-busy, --target-wait asleep: every target measures here, so none can do "
               "that meanwhile";
    }
    return "";
}

}  // namespace armci::bench

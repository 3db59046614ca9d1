// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/reporting/table.h"

#include "armci-bench/measuring/comparison.h"
#include "armci-bench/numbers/quantity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

namespace armci::bench {

namespace {

// Four significant digits without an exponent.
std::string format_number(double value) {
    int decimals = 3;
    for (double limit = 10; decimals > 0 && value >= limit; limit *= 10) {
        decimals--;
    }
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
    return text.data();
}

std::string bytes_column(const Row& row) {
    const int64_t bytes = row.shape.total_bytes();
    return bytes > 0 ? format_bytes(bytes) : "-";
}

std::string describe_pattern(const Machine& machine, const Options& options) {
    switch (options.pattern) {
        case Pattern::one:
            return "rank 0 on rank " + std::to_string(single_target(options, machine.rank_count));
        case Pattern::half:
            return "each rank of the lower half on the last rank, at once";
        case Pattern::pair:
            return "each rank of the lower half on its partner in the upper half, at once";
        case Pattern::all:
            return "each rank on the next one, at once";
    }
    return "";
}

std::string describe_wait(const Options& options) {
    switch (options.target_wait) {
        case TargetWait::mpi:
            return "targets wait in MPI_Barrier";
        case TargetWait::armci:
            return "targets wait in ARMCI_Barrier";
        case TargetWait::busy:
            return "targets compute";
        case TargetWait::asleep:
            return "targets sleep outside the library";
    }
    return "";
}

// The columns that print_column_names() names, from "min us" on.
void print_figures(std::FILE* out, const Result& result) {
    const tools::Summary& time = result.microseconds;
    const std::optional<double> bandwidth =
        result.row.moved_bytes() > 0 ? std::optional(result.mbytes_per_s()) : std::nullopt;
    const std::optional<double> figures[] = {
        time.minimum,       time.first_quartile, time.median, time.third_quartile,
        time.percentile_95, time.percentile_99,  bandwidth,   result.ops_per_s() / 1000};
    for (const std::optional<double>& figure : figures) {
        std::fprintf(out, "  %9s", figure ? format_number(*figure).c_str() : "-");
    }
}

// The figures of the row alone, and how much the two slow each other down.
void print_overlap(std::FILE* out, const Overlap& overlap) {
    std::fprintf(out, "  transfer %s us", format_number(overlap.transfer_us).c_str());
    if (overlap.transfer_slowdown) {
        std::fprintf(out, ", x %.2f", *overlap.transfer_slowdown);
    }
    if (overlap.hidden) {
        std::fprintf(out, ", hidden %.0f %%", *overlap.hidden * 100);
    }
    std::fprintf(out, "; computing x %.2f", overlap.compute_slowdown);
}

// Marks of rows whose median is not representative.
void print_marks(std::FILE* out, const Result& result, const Options& options) {
    if (result.is_noisy(quartile_limit(options))) {
        std::fprintf(out, "  noisy");
    }
    if (const auto& speeds = result.two_speeds) {
        std::fprintf(out, "  two speeds: %zu of %s us, %zu of %s us", speeds->fast_count,
                     format_number(speeds->fast_us).c_str(), speeds->slow_count,
                     format_number(speeds->slow_us).c_str());
    }
}

// The medians of a row's series.
void print_series(std::FILE* out, const Result& result) {
    const tools::Summary& summary = result.microseconds;
    const auto percent = [&summary](double value) {
        return summary.median > 0 ? (value / summary.median - 1) * 100 : 0;
    };
    std::fprintf(
        out,
        "    %lld series: quartiles %s us (%+.0f %%) and %s us (%+.0f %%);  %s us [%s] %s us\n",
        static_cast<long long>(result.series_count), format_number(summary.first_quartile).c_str(),
        percent(summary.first_quartile), format_number(summary.third_quartile).c_str(),
        percent(summary.third_quartile), format_number(summary.minimum).c_str(),
        histogram(result.values).c_str(), format_number(summary.maximum).c_str());
}

void print_row_columns(std::FILE* out, const Row& row) {
    std::fprintf(out, "%-19s  %-14s  %9s  %-26s", op_name(row.op), mode_name(row.mode),
                 bytes_column(row).c_str(), row.layout().c_str());
}

// As far as the name of libfabric's provider tells.
bool is_over_tcp(std::string_view provider) {
    return provider.starts_with("tcp") || provider.starts_with("net") || provider == "sockets";
}

}  // namespace

void print_heading(std::FILE* out, const Machine& machine, const Options& options) {
    std::fprintf(out, "# %s, %s\n", machine.library.c_str(), machine.mpi.c_str());
    std::fprintf(out, "# %s, %s%s, %d x %s, %s\n", machine.date.c_str(), machine.hosts[0].c_str(),
                 machine.hosts.size() > 1
                     ? (" and " + std::to_string(machine.hosts.size() - 1) + " more hosts").c_str()
                     : "",
                 machine.cpu_count, machine.cpu.c_str(), machine.kernel.c_str());
    std::fprintf(out, "# %d %s", machine.rank_count, machine.rank_count == 1 ? "rank" : "ranks");
    if (machine.node_count > 0) {
        std::fprintf(out, " on %d %s, provider %s, libfabric %s", machine.node_count,
                     machine.node_count == 1 ? "node" : "nodes", machine.provider.c_str(),
                     machine.libfabric.c_str());
    }
    if (machine.node_count > 1 && is_over_tcp(machine.provider) &&
        !machine.tcp_congestion_control.empty()) {
        std::fprintf(out, ", TCP congestion control %s", machine.tcp_congestion_control.c_str());
    }
    std::fprintf(out, "\n# %s; %s\n", describe_pattern(machine, options).c_str(),
                 describe_wait(options).c_str());
    if (!machine.raw_network.empty()) {
        std::fprintf(out, "# raw operations: %s\n", machine.raw_network.c_str());
    }
    for (const auto& [name, value] : machine.environment) {
        std::fprintf(out, "# %s=%s\n", name.c_str(), value.c_str());
    }
}

void print_column_names(std::FILE* out) {
    std::fprintf(out, "%-19s  %-14s  %9s  %-26s  %-6s", "operation", "mode", "bytes", "layout",
                 "route");
    for (const char* name :
         {"min us", "q1 us", "us/op", "q3 us", "p95 us", "p99 us", "MB/s", "1000 op/s"}) {
        std::fprintf(out, "  %9s", name);
    }
    std::fputc('\n', out);
    std::fflush(out);
}

void print_result(std::FILE* out, const Result& result, const Options& options) {
    print_row_columns(out, result.row);
    switch (result.status) {
        case Status::ok: {
            std::fprintf(out, "  %-6s", result.route.c_str());
            print_figures(out, result);
            if (result.overlap) {
                print_overlap(out, *result.overlap);
            }
            if (result.fairness) {
                std::fprintf(out, "  min/max %.2f", *result.fairness);
            }
            print_marks(out, result, options);
            std::fputc('\n', out);
            if (result.series_count > 1) {
                print_series(out, result);
            }
            break;
        }
        case Status::wrong:
            std::fprintf(out, "  WRONG RESULT: %lld bytes or words differ\n",
                         static_cast<long long>(result.errors));
            break;
        case Status::stalled:
            std::fprintf(out, "  STALLED: no progress while the target computed\n");
            break;
    }
    std::fflush(out);
}

void print_legend(std::FILE* out, const std::vector<Result>& results, const Options& options) {
    const auto any = [&results](auto&& has_mark) {
        return std::any_of(results.begin(), results.end(), [&](const Result& result) {
            return result.status == Status::ok && has_mark(result);
        });
    };
    if (any([&](const Result& result) { return result.is_noisy(quartile_limit(options)); })) {
        std::fprintf(
            out,
            "\n# noisy: a quartile lies more than %lld %% from the median; such a row cannot "
            "be compared with others.\n# Measure it again on an idle machine, with more "
            "--repeat and --min-time or with --series.\n",
            static_cast<long long>(options.quartile_limit_percent));
    }
    if (any([](const Result& result) { return !result.microseconds.percentile_99; })) {
        std::fprintf(out,
                     "\n# \"-\": p95 needs %zu values of a row and p99 needs %zu (--repeat %zu).\n",
                     tools::kMinSamplesOfPercentile95, tools::kMinSamplesOfPercentile99,
                     tools::kMinSamplesOfPercentile99);
    }
    if (any([](const Result& result) { return result.two_speeds.has_value(); })) {
        std::fprintf(out,
                     "\n# two speeds: the values gather in two places, and the median hides one of "
                     "them.\n");
    }
}

void print_comparisons(std::FILE* out, const std::vector<Result>& results) {
    bool first = true;
    for (const Comparison& comparison : comparisons_of(results)) {
        const Result& row = results[comparison.row];
        const Result& base = results[comparison.base];
        if (first) {
            std::fprintf(out, "\n# rates compared (above 1: the first is the faster one)\n");
            first = false;
        }
        const double ratio = rate_ratio(row, base);
        print_row_columns(out, row.row);
        std::fprintf(out, "  %6s x %s (time x %s)\n", format_number(ratio).c_str(),
                     base_name(row.row, base.row).c_str(), format_number(1 / ratio).c_str());
    }
}

void print_row(std::FILE* out, const Row& row) {
    print_row_columns(out, row);
    std::fprintf(out, "\n");
}

}  // namespace armci::bench

// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/reporting/csv.h"

#include <optional>

namespace armci::bench {

namespace {

// Nothing for a figure that the row does not have.
void write_figure(std::FILE* out, std::optional<double> figure) {
    std::fputc(',', out);
    if (figure) {
        std::fprintf(out, "%.6g", *figure);
    }
}

void write_overlap(std::FILE* out, const std::optional<Overlap>& overlap) {
    if (!overlap) {
        std::fputs(",,,,,", out);
        return;
    }
    write_figure(out, overlap->transfer_us);
    write_figure(out, overlap->compute_us);
    write_figure(out, overlap->hidden);
    write_figure(out, overlap->compute_slowdown);
    write_figure(out, overlap->transfer_slowdown);
}

// The last two: how many series, and their medians, or the samples of one series.
void write_distribution(std::FILE* out, const Result& result, const Options& options) {
    if (result.status != Status::ok) {
        std::fputs(",,,,,,,", out);
        return;
    }
    const char* const noisy = result.is_noisy(quartile_limit(options)) ? "noisy" : "";
    const char* const two_speeds = result.two_speeds ? "two-speeds" : "";
    write_figure(out, result.microseconds.first_quartile);
    write_figure(out, result.microseconds.third_quartile);
    write_figure(out, result.microseconds.percentile_95);
    write_figure(out, result.microseconds.percentile_99);
    std::fprintf(out, ",%s%s%s,%lld", noisy, *noisy != '\0' && *two_speeds != '\0' ? " " : "",
                 two_speeds, static_cast<long long>(result.series_count));
    char separator = ',';
    for (const double value : result.values) {
        std::fprintf(out, "%c%.6g", separator, value);
        separator = ' ';
    }
}

}  // namespace

void write_csv_header(std::FILE* out) {
    std::fprintf(out,
                 "operation,mode,bytes,layout,run_bytes,run_count,dims,type,window,actors,route,"
                 "status,samples,iterations,median_us,min_us,max_us,spread,mbytes_per_s,"
                 "ops_per_s,transfer_us,compute_us,hidden,compute_slowdown,transfer_slowdown,"
                 "fairness,quartile_1_us,quartile_3_us,p95_us,p99_us,marks,series,values_us\n");
    std::fflush(out);
}

void write_csv_row(std::FILE* out, const Result& result, const Options& options) {
    const Row& row = result.row;
    const Shape& shape = row.shape;
    std::fprintf(out, "%s,%s,%lld,\"%s\",%lld,%lld,%zu,", op_name(row.op), mode_name(row.mode),
                 static_cast<long long>(shape.total_bytes()), row.layout().c_str(),
                 static_cast<long long>(shape.block_bytes),
                 static_cast<long long>(shape.block_count()), shape.repeats.size() + 1);
    std::fprintf(out, "%s,", verb_of(row.op) == Verb::acc ? element_name(options.type) : "");
    if (row.mode == Mode::window) {
        std::fprintf(out, "%lld", static_cast<long long>(options.window));
    }
    std::fprintf(out, ",%d,%s,%s,", result.actor_count, result.route.c_str(),
                 status_name(result.status));
    if (result.status != Status::ok) {
        std::fprintf(out, ",,,,,,,");
    } else {
        std::fprintf(out, "%lld,%lld,%.6g,%.6g,%.6g,%.4f,%.6g,%.6g",
                     static_cast<long long>(result.sample_count),
                     static_cast<long long>(result.iterations), result.microseconds.median,
                     result.microseconds.minimum, result.microseconds.maximum,
                     result.microseconds.spread, result.mbytes_per_s(), result.ops_per_s());
    }
    write_overlap(out, result.status == Status::ok ? result.overlap : std::nullopt);
    write_figure(out, result.status == Status::ok ? result.fairness : std::nullopt);
    write_distribution(out, result, options);
    std::fputc('\n', out);
    std::fflush(out);
}

}  // namespace armci::bench

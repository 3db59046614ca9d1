// SPDX-License-Identifier: BSD-3-Clause
#include "armci-tune/report.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "armci-tune/quality.h"

namespace armci::tune {
namespace {

// A cell on one of its routes.
struct Line {
    const Cell& cell;
    base::Route route;
    const tools::Summary& time;
    double model_us;
    std::optional<double> loss;  // of the chosen one of two routes
};

std::vector<Line> lines_of(const Cell& cell, const pipeline::CostModel& model) {
    std::vector<Line> lines;
    for (size_t i = 0; i < cell.routes.size(); ++i) {
        const bool is_chosen = cell.routes.size() == 2 &&
                               goes_by_rma(cell, model) == (cell.routes[i] == base::Route::rma);
        lines.push_back({cell, cell.routes[i], cell.times[i],
                         predicted_us(cell, cell.routes[i], model),
                         is_chosen ? std::optional(loss_of(cell, model)) : std::nullopt});
    }
    return lines;
}

const char* mode_of(const Cell& cell) {
    return cell.non_blocking ? "window" : "stream";
}

void print_line(std::FILE* out, const Line& line) {
    const tools::Summary& time = line.time;
    std::fprintf(out, "%-4s %-7s %8lld %7lld  %-6s %7zu", base::name_of(line.cell.op),
                 mode_of(line.cell), static_cast<long long>(line.cell.shape.total_bytes),
                 static_cast<long long>(line.cell.shape.block_bytes), base::name_of(line.route),
                 time.count);
    for (const std::optional<double>& us :
         {std::optional(time.first_quartile), std::optional(time.median),
          std::optional(time.third_quartile), time.percentile_95, time.percentile_99,
          std::optional(line.model_us)}) {
        us ? std::fprintf(out, " %8.1f", *us) : std::fprintf(out, " %8s", "-");
    }
    if (line.loss) {
        std::fprintf(out, "  chosen %+6.1f %%%s", 100 * *line.loss, line.cell.is_check ? " *" : "");
    }
    std::fputc('\n', out);
}

void write_line(std::FILE* out, const Line& line) {
    const tools::Summary& time = line.time;
    std::fprintf(out, "%s,%s,%lld,%lld,%s,%s,%zu", base::name_of(line.cell.op), mode_of(line.cell),
                 static_cast<long long>(line.cell.shape.total_bytes),
                 static_cast<long long>(line.cell.shape.block_bytes), base::name_of(line.route),
                 line.cell.is_check ? "check" : "fit", time.count);
    for (const std::optional<double>& figure :
         {std::optional(time.median), std::optional(time.minimum), std::optional(time.maximum),
          std::optional(time.first_quartile), std::optional(time.third_quartile),
          time.percentile_95, time.percentile_99, std::optional(line.model_us), line.loss}) {
        figure ? std::fprintf(out, ",%.6g", *figure) : std::fputc(',', out);
    }
    std::fputc('\n', out);
}

using Json = nlohmann::ordered_json;

Json or_null(std::optional<double> value) {
    return value ? Json(*value) : Json();
}

Json describe(const Line& line) {
    const tools::Summary& time = line.time;
    Json json = {
        {"operation", base::name_of(line.cell.op)},
        {"mode", mode_of(line.cell)},
        {"bytes", line.cell.shape.total_bytes},
        {"run_bytes", line.cell.shape.block_bytes},
        {"route", base::name_of(line.route)},
        {"use", line.cell.is_check ? "check" : "fit"},
        {"samples", time.count},
        {"median_us", time.median},
        {"min_us", time.minimum},
        {"max_us", time.maximum},
        {"quartile_1_us", time.first_quartile},
        {"quartile_3_us", time.third_quartile},
        {"p95_us", or_null(time.percentile_95)},
        {"p99_us", or_null(time.percentile_99)},
        {"model_us", line.model_us},
    };
    if (line.loss) {
        json["chosen_over_better"] = *line.loss;
    }
    return json;
}

}  // namespace

void print_table(std::FILE* out, const std::vector<Cell>& cells, const pipeline::CostModel& model) {
    std::optional<double> worst;
    bool has_all_percentiles = true;
    std::fprintf(out, "%-4s %-7s %8s %7s  %-6s %7s %8s %8s %8s %8s %8s %8s  %s\n", "op", "mode",
                 "bytes", "block", "route", "samples", "q1 us", "us/op", "q3 us", "p95 us",
                 "p99 us", "model us", "over the better route");
    for (const Cell& cell : cells) {
        for (const Line& line : lines_of(cell, model)) {
            print_line(out, line);
            has_all_percentiles = has_all_percentiles && line.time.percentile_99;
            if (cell.is_check && line.loss) {
                worst = std::max(worst.value_or(0), *line.loss);
            }
        }
    }
    if (!has_all_percentiles) {
        std::fprintf(out, "-: p95 needs %zu samples, and p99 %zu (--seconds N: more samples)\n",
                     tools::kMinSamplesOfPercentile95, tools::kMinSamplesOfPercentile99);
    }
    if (worst) {
        std::fprintf(out,
                     "* not used for the fit: there the chosen route takes at most %.1f %% longer "
                     "than the better one\n",
                     100 * *worst);
    }
    std::fputc('\n', out);
}

void write_csv(std::FILE* out, const std::vector<Cell>& cells, const pipeline::CostModel& model) {
    std::fputs(
        "operation,mode,bytes,run_bytes,route,use,samples,median_us,min_us,max_us,quartile_1_us,"
        "quartile_3_us,p95_us,p99_us,model_us,chosen_over_better\n",
        out);
    for (const Cell& cell : cells) {
        for (const Line& line : lines_of(cell, model)) {
            write_line(out, line);
        }
    }
}

void write_json(std::FILE* out, const Outcome& outcome, const pipeline::CostModel& model) {
    Json rows = Json::array();
    for (const Cell& cell : outcome.cells) {
        for (const Line& line : lines_of(cell, model)) {
            rows.push_back(describe(line));
        }
    }
    const Json document = {
        {"format", 1},
        {"version", ARMCI_VERSION},
        {"provider", outcome.profile.provider},
        {"machine", outcome.profile.machine},
        {"date", outcome.profile.date},
        {"target", outcome.target},
        {"rows", rows},
        {"faults", outcome.faults},
        {"profile", format_profile(outcome.profile)},
    };
    // Of texts from the system, what is not UTF-8 is replaced.
    std::fprintf(out, "%s\n", document.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
}

}  // namespace armci::tune

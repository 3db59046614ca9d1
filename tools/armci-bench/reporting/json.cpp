// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/reporting/json.h"

#include "armci-bench/measuring/comparison.h"

#include <nlohmann/json.hpp>
#include <optional>

namespace armci::bench {

namespace {

using Json = nlohmann::ordered_json;  // members appear in the order in which they are set

Json describe(const Machine& machine) {
    Json environment = Json::object();
    for (const auto& [name, value] : machine.environment) {
        environment[name] = value;
    }
    return {
        {"date", machine.date},
        {"hosts", machine.hosts},
        {"cpu", machine.cpu},
        {"cpu_count", machine.cpu_count},
        {"kernel", machine.kernel},
        {"compiler", machine.compiler},
        {"mpi", machine.mpi},
        {"library", machine.library},
        {"libfabric", machine.libfabric},
        {"provider", machine.provider},
        {"tcp_congestion_control", machine.tcp_congestion_control},
        {"raw_network", machine.raw_network},
        {"rank_count", machine.rank_count},
        {"node_count", machine.node_count},
        {"node_of_rank", machine.node_of_rank},
        {"environment", environment},
    };
}

Json describe(const Options& options) {
    return {
        {"pattern", pattern_name(options.pattern)},
        {"target", options.target},
        {"target_wait", target_wait_name(options.target_wait)},
        {"type", element_name(options.type)},
        {"scale", options.scale},
        {"working_set_bytes", options.working_set_bytes},
        {"place_order", options.mixed_places ? "mixed" : "even"},
        {"hold_us", options.hold_us},
        {"window", options.window},
        {"handles", handles_name(options.handles)},
        {"raw_peer", raw_peer_name(options.raw_peer)},
        {"stride_factor", options.stride_factor},
        {"segment_order", options.mixed_segments ? "mixed" : "even"},
        {"local", options.local_dense ? "dense" : "strided"},
        {"local_memory", options.local_malloc ? "malloc" : "armci"},
        {"repeat", options.repeat},
        {"min_time_ms", options.min_time_ms},
        {"series", options.series},
        {"quartiles_within_percent", options.quartile_limit_percent},
        {"sampling", options.interleave ? "interleaved" : "row by row"},
    };
}

void add_overlap(Json* row, const Overlap& overlap) {
    const auto add_figure = [row](const char* name, std::optional<double> figure) {
        if (figure) {
            (*row)[name] = *figure;
        }
    };
    add_figure("transfer_us", overlap.transfer_us);
    add_figure("compute_us", overlap.compute_us);
    add_figure("hidden", overlap.hidden);
    add_figure("compute_slowdown", overlap.compute_slowdown);
    add_figure("transfer_slowdown", overlap.transfer_slowdown);
}

// null for a figure that the row does not have.
Json figure(std::optional<double> value) {
    return value ? Json(*value) : Json();
}

// "values_us": the samples, or the medians of several series.
void add_distribution(Json* row, const Result& result, const Options& options) {
    (*row)["quartile_1_us"] = result.microseconds.first_quartile;
    (*row)["quartile_3_us"] = result.microseconds.third_quartile;
    (*row)["p95_us"] = figure(result.microseconds.percentile_95);
    (*row)["p99_us"] = figure(result.microseconds.percentile_99);
    (*row)["noisy"] = result.is_noisy(quartile_limit(options));
    if (result.two_speeds) {
        (*row)["two_speeds"] = {
            {"fast_us", result.two_speeds->fast_us},
            {"fast_count", result.two_speeds->fast_count},
            {"slow_us", result.two_speeds->slow_us},
            {"slow_count", result.two_speeds->slow_count},
        };
    }
    (*row)["series"] = result.series_count;
    (*row)["values_us"] = result.values;
}

Json describe(const Result& result, const Options& options) {
    const Shape& shape = result.row.shape;
    Json row = {
        {"operation", op_name(result.row.op)},  {"mode", mode_name(result.row.mode)},
        {"layout", result.row.layout()},        {"bytes", shape.total_bytes()},
        {"run_bytes", shape.block_bytes},       {"run_count", shape.block_count()},
        {"dims", shape.repeats.size() + 1},     {"actors", result.actor_count},
        {"status", status_name(result.status)},
    };
    if (result.status != Status::ok) {
        row["errors"] = result.errors;
        return row;
    }
    row["route"] = result.route;
    row["samples"] = result.sample_count;
    row["iterations"] = result.iterations;
    row["median_us"] = result.microseconds.median;
    row["min_us"] = result.microseconds.minimum;
    row["max_us"] = result.microseconds.maximum;
    row["spread"] = result.microseconds.spread;
    add_distribution(&row, result, options);
    row["mbytes_per_s"] = result.mbytes_per_s();
    row["ops_per_s"] = result.ops_per_s();
    if (result.overlap) {
        add_overlap(&row, *result.overlap);
    }
    if (result.fairness) {
        row["fairness"] = *result.fairness;
    }
    return row;
}

// Both rows as indices into "rows".
Json describe(const Comparison& comparison, const std::vector<Result>& results) {
    const Result& row = results[comparison.row];
    const Result& base = results[comparison.base];
    return {
        {"row", comparison.row},
        {"base", comparison.base},
        {"base_name", base_name(row.row, base.row)},
        {"rate_ratio", rate_ratio(row, base)},
    };
}

}  // namespace

void write_json(std::FILE* out, const Machine& machine, const Options& options,
                const std::vector<Result>& results) {
    Json rows = Json::array();
    for (const Result& result : results) {
        rows.push_back(describe(result, options));
    }
    Json comparisons = Json::array();
    for (const Comparison& comparison : comparisons_of(results)) {
        comparisons.push_back(describe(comparison, results));
    }
    const Json document = {
        {"format", 1},  {"machine", describe(machine)}, {"settings", describe(options)},
        {"rows", rows}, {"comparisons", comparisons},
    };
    // Of texts from the system, what is not UTF-8 is replaced.
    const std::string text = document.dump(2, ' ', false, Json::error_handler_t::replace);
    std::fprintf(out, "%s\n", text.c_str());
}

}  // namespace armci::bench

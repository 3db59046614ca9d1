// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/json.h"

#include "armci-bench/comparison.h"

#include <array>
#include <cmath>
#include <optional>

namespace armci::bench {

namespace {

// Puts commas and line breaks between the members of nested objects and arrays.
class Writer {
  public:
    explicit Writer(std::FILE* out) : out_(out) {}

    void open(const char* name, char bracket) {
        begin_member(name);
        std::fputc(bracket, out_);
        first_ = true;
        depth_++;
    }

    void close(char bracket) {
        depth_--;
        if (!first_) {
            new_line();
        }
        std::fputc(bracket, out_);
        first_ = false;
    }

    // name may be null: an entry of an array.
    void text(const char* name, std::string_view value) {
        begin_member(name);
        std::fputs(json_string(value).c_str(), out_);
    }

    void integer(const char* name, int64_t value) {
        begin_member(name);
        std::fprintf(out_, "%lld", static_cast<long long>(value));
    }

    void boolean(const char* name, bool value) {
        begin_member(name);
        std::fputs(value ? "true" : "false", out_);
    }

    void number(const char* name, double value) {
        begin_member(name);
        if (std::isfinite(value)) {
            std::fprintf(out_, "%.9g", value);
        } else {
            std::fputs("null", out_);
        }
    }

  private:
    void begin_member(const char* name) {
        if (depth_ > 0) {
            if (!first_) {
                std::fputc(',', out_);
            }
            new_line();
        }
        if (name != nullptr) {
            std::fprintf(out_, "%s: ", json_string(name).c_str());
        }
        first_ = false;
    }

    void new_line() { std::fprintf(out_, "\n%*s", depth_ * 2, ""); }

    std::FILE* out_;
    int depth_ = 0;
    bool first_ = true;
};

void write_machine(Writer& writer, const Machine& machine) {
    writer.open("machine", '{');
    writer.text("date", machine.date);
    writer.open("hosts", '[');
    for (const std::string& host : machine.hosts) {
        writer.text(nullptr, host);
    }
    writer.close(']');
    writer.text("cpu", machine.cpu);
    writer.integer("cpu_count", machine.cpu_count);
    writer.text("kernel", machine.kernel);
    writer.text("compiler", machine.compiler);
    writer.text("mpi", machine.mpi);
    writer.text("library", machine.library);
    writer.text("libfabric", machine.libfabric);
    writer.text("provider", machine.provider);
    writer.text("raw_network", machine.raw_network);
    writer.integer("rank_count", machine.rank_count);
    writer.integer("node_count", machine.node_count);
    writer.open("node_of_rank", '[');
    for (int node : machine.node_of_rank) {
        writer.integer(nullptr, node);
    }
    writer.close(']');
    writer.open("environment", '{');
    for (const auto& [name, value] : machine.environment) {
        writer.text(name.c_str(), value);
    }
    writer.close('}');
    writer.close('}');
}

void write_settings(Writer& writer, const Options& options) {
    writer.open("settings", '{');
    writer.text("pattern", pattern_name(options.pattern));
    writer.integer("target", options.target);
    writer.text("target_wait", target_wait_name(options.target_wait));
    writer.text("type", element_name(options.type));
    writer.number("scale", options.scale);
    writer.integer("window", options.window);
    writer.text("handles", handles_name(options.handles));
    writer.text("raw_peer", raw_peer_name(options.raw_peer));
    writer.integer("stride_factor", options.stride_factor);
    writer.text("segment_order", options.mixed_segments ? "mixed" : "even");
    writer.text("local", options.local_dense ? "dense" : "strided");
    writer.text("local_memory", options.local_malloc ? "malloc" : "armci");
    writer.integer("repeat", options.repeat);
    writer.integer("min_time_ms", options.min_time_ms);
    writer.integer("series", options.series);
    writer.integer("quartiles_within_percent", options.quartile_limit_percent);
    writer.text("sampling", options.interleave ? "interleaved" : "row by row");
    writer.close('}');
}

void write_overlap(Writer& writer, const Overlap& overlap) {
    const auto write_figure = [&writer](const char* name, std::optional<double> figure) {
        if (figure) {
            writer.number(name, *figure);
        }
    };
    write_figure("transfer_us", overlap.transfer_us);
    write_figure("compute_us", overlap.compute_us);
    write_figure("hidden", overlap.hidden);
    write_figure("compute_slowdown", overlap.compute_slowdown);
    write_figure("transfer_slowdown", overlap.transfer_slowdown);
}

// "values_us": the samples, or the medians of several series.
void write_distribution(Writer& writer, const Result& result, const Options& options) {
    writer.number("quartile_1_us", result.microseconds.first_quartile);
    writer.number("quartile_3_us", result.microseconds.third_quartile);
    writer.boolean("noisy", result.is_noisy(quartile_limit(options)));
    if (result.two_speeds) {
        writer.open("two_speeds", '{');
        writer.number("fast_us", result.two_speeds->fast_us);
        writer.integer("fast_count", static_cast<int64_t>(result.two_speeds->fast_count));
        writer.number("slow_us", result.two_speeds->slow_us);
        writer.integer("slow_count", static_cast<int64_t>(result.two_speeds->slow_count));
        writer.close('}');
    }
    writer.integer("series", result.series_count);
    writer.open("values_us", '[');
    for (const double value : result.values) {
        writer.number(nullptr, value);
    }
    writer.close(']');
}

void write_result(Writer& writer, const Result& result, const Options& options) {
    const Shape& shape = result.row.shape;
    writer.open(nullptr, '{');
    writer.text("operation", op_name(result.row.op));
    writer.text("mode", mode_name(result.row.mode));
    writer.text("layout", result.row.layout());
    writer.integer("bytes", shape.total_bytes());
    writer.integer("run_bytes", shape.block_bytes);
    writer.integer("run_count", shape.block_count());
    writer.integer("dims", static_cast<int64_t>(shape.repeats.size()) + 1);
    writer.integer("actors", result.actor_count);
    writer.text("status", status_name(result.status));
    if (result.status == Status::ok) {
        writer.text("route", result.route);
        writer.integer("samples", result.sample_count);
        writer.integer("iterations", result.iterations);
        writer.number("median_us", result.microseconds.median);
        writer.number("min_us", result.microseconds.minimum);
        writer.number("max_us", result.microseconds.maximum);
        writer.number("spread", result.microseconds.spread);
        write_distribution(writer, result, options);
        writer.number("mbytes_per_s", result.mbytes_per_s());
        writer.number("ops_per_s", result.ops_per_s());
        if (result.overlap) {
            write_overlap(writer, *result.overlap);
        }
    } else {
        writer.integer("errors", result.errors);
    }
    writer.close('}');
}

// Both rows as indices into "rows".
void write_comparison(Writer& writer, const Comparison& comparison,
                      const std::vector<Result>& results) {
    const Result& row = results[comparison.row];
    const Result& base = results[comparison.base];
    writer.open(nullptr, '{');
    writer.integer("row", static_cast<int64_t>(comparison.row));
    writer.integer("base", static_cast<int64_t>(comparison.base));
    writer.text("base_name", base_name(row.row, base.row));
    writer.number("rate_ratio", rate_ratio(row, base));
    writer.close('}');
}

}  // namespace

std::string json_string(std::string_view text) {
    std::string quoted = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') {
            quoted += '\\';
            quoted += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            std::array<char, 8> escaped{};
            std::snprintf(escaped.data(), escaped.size(), "\\u%04x", static_cast<unsigned>(c));
            quoted += escaped.data();
        } else {
            quoted += c;
        }
    }
    return quoted + '"';
}

void write_json(std::FILE* out, const Machine& machine, const Options& options,
                const std::vector<Result>& results) {
    Writer writer(out);
    writer.open(nullptr, '{');
    writer.integer("format", 1);
    write_machine(writer, machine);
    write_settings(writer, options);
    writer.open("rows", '[');
    for (const Result& result : results) {
        write_result(writer, result, options);
    }
    writer.close(']');
    writer.open("comparisons", '[');
    for (const Comparison& comparison : comparisons_of(results)) {
        write_comparison(writer, comparison, results);
    }
    writer.close(']');
    writer.close('}');
    std::fputc('\n', out);
}

}  // namespace armci::bench

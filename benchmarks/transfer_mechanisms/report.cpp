// SPDX-License-Identifier: BSD-3-Clause
#include "report.h"

#include "armci-bench/numbers/quantity.h"

#include <algorithm>
#include <string>

namespace armci::mechanisms {

namespace {

constexpr int kNameWidth = 16;
constexpr int kColumnWidth = 8;

const char* phase_name(Phase phase) {
    switch (phase) {
        case Phase::set_up:
            return "set-up";
        case Phase::latency:
            return "latency";
        case Phase::stream:
            return "stream";
        case Phase::cache:
            return "cache";
    }
    return "?";
}

// "64K"; the columns are narrow.
std::string short_bytes(int64_t bytes) {
    std::string text = bench::format_bytes(bytes);
    const size_t space = text.find(' ');
    const char unit = text[space + 1];
    return text.substr(0, space) + (unit == 'B' ? "" : std::string(1, unit));
}

// Four digits or so: 0.123, 12.3, 1234.
std::string short_number(double number) {
    char text[32];
    const int digits = number < 10 ? 2 : number < 100 ? 1 : 0;
    std::snprintf(text, sizeof text, "%.*f", digits, number);
    return text;
}

void print_cell(std::FILE* out, const std::string& text) {
    std::fprintf(out, "%*s", kColumnWidth, text.c_str());
}

void print_sizes(std::FILE* out, const std::vector<int64_t>& sizes, int columns_each) {
    for (const int64_t bytes : sizes) {
        std::fprintf(out, "%*s", kColumnWidth * columns_each, short_bytes(bytes).c_str());
    }
}

void print_heading(std::FILE* out, const char* text, size_t columns) {
    const int width = kColumnWidth * static_cast<int>(columns);
    if (width > 0) {
        std::fprintf(out, "  %-*.*s", width - 2, width - 2, text);
    }
}

const Row* find_row(const Results& results, Phase phase, int64_t bytes) {
    const size_t count = results.row_count.load(std::memory_order_acquire);
    for (size_t i = 0; i < count; i++) {
        const Row& row = results.rows[i];
        if (row.phase == phase &&
            (phase == Phase::set_up || row.bytes == static_cast<size_t>(bytes))) {
            return &row;
        }
    }
    return nullptr;
}

double megabytes_per_s(const Kind& kind, const Row& row) {
    return kind.moves_data ? static_cast<double>(row.bytes) / row.microseconds.median : 0;
}

// The text instead of figures; empty if there are figures.
std::string problem_of(const JobResult& job) {
    if (!job.failure.empty()) {
        return "failed: " + job.failure;
    }
    const Results& results = *job.results->get();
    switch (results.availability) {
        case Availability::Kind::usable:
            return "";
        case Availability::Kind::not_permitted:
            return std::string("not permitted: ") + results.remedy.data();
        case Availability::Kind::absent:
            return std::string("not here: ") + results.remedy.data();
    }
    return "?";
}

// Of Phase::latency and Phase::stream.
void print_figures(std::FILE* out, const JobResult& job, Phase phase,
                   const std::vector<int64_t>& sizes) {
    for (const int64_t bytes : sizes) {
        const Row* row = find_row(*job.results->get(), phase, bytes);
        if (row == nullptr) {
            print_cell(out, "?");
        } else if (row->wrong_words > 0) {
            print_cell(out, "WRONG");
        } else if (phase == Phase::latency) {
            print_cell(out, short_number(row->microseconds.median));
        } else {
            print_cell(out,
                       job.kind->moves_data ? short_number(megabytes_per_s(*job.kind, *row)) : "-");
        }
    }
}

void print_set_up(std::FILE* out, const Results& results) {
    const Row* row = find_row(results, Phase::set_up, 0);
    if (row == nullptr) {
        return;
    }
    print_cell(out, short_number(row->microseconds.median));
    print_cell(out, row->wrong_words > 0 ? "WRONG" : short_number(row->first_us));
    print_cell(out, short_number(row->tear_down_us));
}

void print_cache(std::FILE* out, const Results& results, const std::vector<int64_t>& sizes) {
    for (const int64_t bytes : sizes) {
        const Row* row = find_row(results, Phase::cache, bytes);
        for (size_t side = 0; side < 2; side++) {
            if (row == nullptr) {
                print_cell(out, "?");
            } else if (row->wrong_words > 0) {
                print_cell(out, "WRONG");
            } else if (row->cache[side].misses >= 0) {
                print_cell(out, short_number(row->cache[side].misses));
            } else {
                print_cell(out, short_number(row->cache[side].slowdown) + "x");
            }
        }
    }
}

std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char letter : text) {
        result += letter == '"' ? "\"\"" : std::string(1, letter);
    }
    return result + "\"";
}

// The columns from the window on that have no figures; `note` says why.
void write_csv_problem(std::FILE* out, const Kind& kind, const std::string& problem) {
    const std::string status = problem.substr(0, problem.find(':'));
    std::fprintf(out, "%s,set-up,0,contiguous,0,1,1,,,1,,%s,,,,,,,,,,,,,,,,,%s\n", kind.name,
                 status.c_str(), quoted(problem).c_str());
}

void write_csv_row(std::FILE* out, const Kind& kind, const Row& row) {
    // Figures draw rows with bytes that move.
    const size_t bytes = kind.moves_data ? row.bytes : 0;
    std::fprintf(out, "%s,%s,%zu,contiguous,%zu,1,1,,,1,,%s,%zu,%zu,", kind.name,
                 phase_name(row.phase), bytes, bytes, row.wrong_words == 0 ? "ok" : "wrong",
                 row.sample_count, row.iterations);
    const tools::Summary& time = row.microseconds;
    std::fprintf(out, "%.6g,%.6g,%.6g,%.4f,%.6g,%.6g,", time.median, time.minimum, time.maximum,
                 time.spread, row.phase == Phase::stream ? megabytes_per_s(kind, row) : 0,
                 row.phase == Phase::stream ? 1e6 / time.median : 0);
    if (row.phase == Phase::set_up) {
        std::fprintf(out, "%.6g,%.6g,", row.first_us, row.tear_down_us);
    } else {
        std::fprintf(out, ",,");
    }
    for (const CacheImpact& impact : row.cache) {
        if (row.phase == Phase::cache) {
            std::fprintf(out, "%.4g,", impact.slowdown);
        } else {
            std::fprintf(out, ",");
        }
        if (row.phase == Phase::cache && impact.misses >= 0) {
            std::fprintf(out, "%.0f", impact.misses);
        }
        std::fprintf(out, ",");
    }
    std::fprintf(out, "%.6g,%.6g,\n", time.first_quartile, time.third_quartile);
}

}  // namespace

void print_table_header(std::FILE* out, const Options& options) {
    std::fprintf(out, "%-*s", kNameWidth, "");
    print_heading(out, "hand-over, us, of bytes", options.latency_sizes.size());
    print_heading(out, "stream, MB/s, of bytes", options.stream_sizes.size());
    print_heading(out, "set-up, first, end: us", 3);
    const std::string cache = "rereading " + short_bytes(options.working_set_bytes);
    print_heading(out, (cache + ": source, dest.").c_str(), 2 * options.cache_sizes.size());
    std::fprintf(out, "\n%-*s", kNameWidth, "");
    print_sizes(out, options.latency_sizes, 1);
    print_sizes(out, options.stream_sizes, 1);
    std::fprintf(out, "%*s", 3 * kColumnWidth, "");
    print_sizes(out, options.cache_sizes, 2);
    std::fprintf(out, "\n");
    std::fflush(out);
}

void print_table_line(std::FILE* out, const JobResult& job, const Options& options) {
    std::fprintf(out, "%-*s", kNameWidth, job.kind->name);
    const std::string problem = problem_of(job);
    if (!problem.empty()) {
        std::fprintf(out, "  %s\n", problem.c_str());
    } else {
        const Results& results = *job.results->get();
        print_figures(out, job, Phase::latency, options.latency_sizes);
        print_figures(out, job, Phase::stream, options.stream_sizes);
        print_set_up(out, results);
        print_cache(out, results, options.cache_sizes);
        std::fprintf(out, "\n");
    }
    std::fflush(out);
}

void write_csv_header(std::FILE* out) {
    std::fprintf(out,
                 "operation,mode,bytes,layout,run_bytes,run_count,dims,type,window,actors,route,"
                 "status,samples,iterations,median_us,min_us,max_us,spread,mbytes_per_s,ops_per_s,"
                 "first_us,tear_down_us,source_slowdown,source_misses,destination_slowdown,"
                 "destination_misses,quartile_1_us,quartile_3_us,note\n");
}

void write_csv_lines(std::FILE* out, const JobResult& job) {
    const Results& results = *job.results->get();
    const size_t count = results.row_count.load(std::memory_order_acquire);
    for (size_t i = 0; i < count; i++) {
        write_csv_row(out, *job.kind, results.rows[i]);
    }
    const std::string problem = problem_of(job);
    if (!problem.empty()) {
        write_csv_problem(out, *job.kind, problem);
    }
    std::fflush(out);
}

bool has_failed(const JobResult& job) {
    const Results* results = job.results->get();
    if (!job.failure.empty() || results == nullptr) {
        return true;
    }
    const size_t count = results->row_count.load(std::memory_order_acquire);
    return std::any_of(results->rows.begin(), results->rows.begin() + static_cast<long>(count),
                       [](const Row& row) { return row.wrong_words > 0; });
}

}  // namespace armci::mechanisms

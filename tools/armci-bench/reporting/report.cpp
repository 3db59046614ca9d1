// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/reporting/report.h"

#include "armci-bench/reporting/csv.h"
#include "armci-bench/reporting/json.h"
#include "armci-bench/reporting/table.h"

#include <cerrno>
#include <cstring>

namespace armci::bench {

namespace {

std::FILE* open_output(const std::string& path) {
    return path == "-" ? stdout : std::fopen(path.c_str(), "w");
}

// Returns whether everything written so far has reached the file.
bool close_output(std::FILE** file) {
    if (*file == nullptr) {
        return true;
    }
    const bool written = std::ferror(*file) == 0 && std::fflush(*file) == 0;
    const bool closed = *file == stdout || std::fclose(*file) == 0;
    *file = nullptr;
    return written && closed;
}

}  // namespace

Report::~Report() {
    close_output(&csv_);
    close_output(&json_);
}

std::string Report::open() {
    if (options_.csv_path != "-" && options_.json_path != "-") {
        table_ = stdout;
    }
    if (!options_.csv_path.empty()) {
        csv_ = open_output(options_.csv_path);
        if (csv_ == nullptr) {
            return "--csv: cannot write " + options_.csv_path + ": " + std::strerror(errno);
        }
    }
    if (!options_.json_path.empty()) {
        json_ = open_output(options_.json_path);
        if (json_ == nullptr) {
            return "--json: cannot write " + options_.json_path + ": " + std::strerror(errno);
        }
    }
    return "";
}

void Report::begin(const Machine& machine) {
    machine_ = machine;
    if (table_ != nullptr) {
        print_heading(table_, machine, options_);
        print_column_names(table_);
    }
    if (csv_ != nullptr) {
        write_csv_header(csv_);
    }
}

void Report::add(const Result& result) {
    results_.push_back(result);
    if (table_ != nullptr) {
        print_result(table_, result, options_);
    }
    if (csv_ != nullptr) {
        write_csv_row(csv_, result, options_);
    }
}

std::string Report::finish() {
    if (table_ != nullptr) {
        print_legend(table_, results_, options_);
        print_comparisons(table_, results_);
    }
    if (json_ != nullptr) {
        write_json(json_, machine_, options_, results_);
    }
    if (!close_output(&csv_)) {
        return "--csv: could not write all of " + options_.csv_path;
    }
    if (!close_output(&json_)) {
        return "--json: could not write all of " + options_.json_path;
    }
    if (!close_output(&table_)) {
        return "could not write the table to standard output";
    }
    return "";
}

}  // namespace armci::bench

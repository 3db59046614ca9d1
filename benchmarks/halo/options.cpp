// SPDX-License-Identifier: BSD-3-Clause
#include "options.h"

#include <algorithm>

#include "armci-bench/numbers/quantity.h"
#include "command_line/command_line.h"

namespace armci::halo {
namespace {

constexpr int64_t kMaxBytes = int64_t{16} << 20;

// Data is checked in words of 8 bytes.
bool take_sizes(const std::string& text, std::vector<int64_t>* sizes) {
    const std::optional<std::vector<int64_t>> taken = bench::parse_bytes_list(text);
    if (!taken || !std::all_of(taken->begin(), taken->end(), [](int64_t bytes) {
            return bytes % 8 == 0 && bytes <= kMaxBytes;
        })) {
        return false;
    }
    *sizes = *taken;
    return true;
}

bool take_count(const std::string& text, int64_t* count) {
    const std::optional<int64_t> value = bench::parse_count(text);
    if (!value || *value < 1 || *value > 100'000) {
        return false;
    }
    *count = *value;
    return true;
}

bool take_algorithms(const std::string& text, std::vector<Algorithm>* algorithms) {
    algorithms->clear();
    for (const std::string_view name : bench::split_list(text)) {
        Algorithm algorithm{};
        if (!parse_algorithm(std::string(name), &algorithm)) {
            return false;
        }
        algorithms->push_back(algorithm);
    }
    return true;
}

}  // namespace

std::optional<int> read_options(int argc, char** argv, Options* options) {
    take_sizes("8:256K", &options->sizes);
    tools::CommandLine line(
        "mpiexec -n N halo_benchmark [options]",
        "Times a halo exchange: each rank of a periodic grid exchanges a strip with its four\n"
        "neighbours. Prints the time of a step, the median over the samples and its quartiles.");
    line.add_value(
        "--algorithms", "LIST",
        [&](const std::string& text) { return take_algorithms(text, &options->algorithms); },
        "put+notify, put+fence+barrier, get, isend (default: all)");
    line.add_value(
        "--sizes", "LIST",
        [&](const std::string& text) { return take_sizes(text, &options->sizes); },
        "bytes of a strip, multiples of 8; A:B doubles from A to B (default 8:256K)");
    line.add_value(
        "--samples", "N",
        [&](const std::string& text) { return take_count(text, &options->samples); },
        "samples of each algorithm and size, taken in turn (default 11)");
    line.add_value(
        "--sample-ms", "MS",
        [&](const std::string& text) { return take_count(text, &options->sample_ms); },
        "about the time of a sample (default 20)");
    line.add_value(
        "--csv", "FILE",
        [&](const std::string& text) {
            options->csv_path = text;
            return !text.empty();
        },
        "writes the results there as CSV, too");
    line.add_value(
        "--json", "FILE",
        [&](const std::string& text) {
            options->json_path = text;
            return !text.empty();
        },
        "writes the results there as JSON, too");
    return tools::read_arguments("halo_benchmark", argc, argv, &line);
}

}  // namespace armci::halo

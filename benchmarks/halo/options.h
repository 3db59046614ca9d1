// SPDX-License-Identifier: BSD-3-Clause
// What the halo benchmark is asked to do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "exchange.h"

namespace armci::halo {

struct Options {
    std::vector<Algorithm> algorithms = {Algorithm::put_notify, Algorithm::put_barrier,
                                         Algorithm::get, Algorithm::isend};
    std::vector<int64_t> sizes;  // of a strip, in bytes
    int64_t samples = 11;        // of each algorithm and size
    int64_t sample_ms = 20;
    std::string csv_path;
    std::string json_path;
};

// Returns the exit status if the program has nothing else to do.
std::optional<int> read_options(int argc, char** argv, Options* options);

}  // namespace armci::halo

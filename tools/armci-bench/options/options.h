// SPDX-License-Identifier: BSD-3-Clause
// The command line of armci-bench.
#pragma once

#include "armci-bench/options/choices.h"
#include "armci-bench/options/element.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace armci::bench {

struct Options {
    std::vector<Op> ops;
    std::vector<Mode> modes;
    std::vector<int64_t> sizes;          // bytes of contiguous transfers
    std::vector<int64_t> strided_sizes;  // bytes of strided transfers
    std::vector<int64_t> overlap_sizes;  // bytes of transfers against computation
    std::vector<int64_t> blocks;         // bytes of a block or a vector segment
    std::vector<int64_t> segments;       // blocks of a vector transfer
    std::vector<int64_t> dims;
    int64_t stride_factor = 2;
    bool local_dense = false;
    bool local_malloc = false;  // local buffers from malloc, not ARMCI_Malloc_local
    ElementType type = ElementType::float64;
    double scale = 2;
    bool mixed_segments = false;    // of a vector: in no order that forms a pattern
    int64_t working_set_bytes = 0;  // on each side; 0: one place
    bool mixed_places = false;      // of the working set: in no order that forms a pattern
    int64_t hold_us = 0;            // how long a mutex is held in lock-fairness
    int64_t window = 64;
    Handles handles = Handles::implicit;
    std::string raw_provider;  // empty: the one the library uses
    RawPeer raw_peer = RawPeer::spin;

    Pattern pattern = Pattern::one;
    int64_t target = -1;  // -1: the last rank
    TargetWait target_wait = TargetWait::mpi;
    bool target_busy = false;  // another way to choose TargetWait::busy
    int64_t busy_limit_s = 20;

    int64_t repeat = 20;
    int64_t min_time_ms = 10;
    int64_t series = 1;
    int64_t quartile_limit_percent = 15;  // further from the median than this is marked noisy,
    bool noise_fails = false;             // and makes the exit status 3 if this is set
    bool interleave = false;

    std::string csv_path;  // empty: none; "-": standard output
    std::string json_path;
    bool list = false;
    bool help = false;
    bool version = false;
};

// Reads the arguments after the program's name into *options, which holds the defaults of all that
// is not given. Returns an empty string, or what is wrong with which argument.
std::string parse_options(const std::vector<std::string_view>& arguments, Options* options);

// The one target of Pattern::one, also of contended operations.
int single_target(const Options& options, int rank_count);

// The limit of the distance of a quartile from the median, as a part of the median.
inline double quartile_limit(const Options& options) {
    return static_cast<double>(options.quartile_limit_percent) / 100;
}

// Whether ranks that are targets have nothing else to do.
bool has_passive_targets(const Options& options, int rank_count);

// Checks what depends on the size of the job. Returns an empty string or what is wrong.
std::string check_job_size(const Options& options, int rank_count);

std::string usage_text();

}  // namespace armci::bench

// SPDX-License-Identifier: BSD-3-Clause
// The result of a row.
#pragma once

#include "armci-bench/numbers/distribution.h"
#include "armci-bench/workloads/overlap.h"
#include "armci-bench/workloads/row.h"
#include "statistics/statistics.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace armci::bench {

enum class Status {
    ok,
    wrong,    // the data was wrong
    stalled,  // operations made no progress while the target computed
};

struct Result {
    Row row;
    Status status = Status::ok;
    int64_t errors = 0;  // wrong bytes or words, of all ranks
    int actor_count = 0;
    int64_t iterations = 0;    // operations per sample of one rank
    int64_t sample_count = 0;  // of all series
    int64_t series_count = 1;
    // Microseconds per operation of one rank, of several ranks the slowest: the samples in the
    // order in which they were taken, or, of several series, the median of each series.
    std::vector<double> values;
    tools::Summary microseconds;          // of the values
    std::optional<TwoSpeeds> two_speeds;  // of the values
    std::string route;                    // "-" if unknown
    std::optional<Overlap> overlap;       // of Op::overlap_*
    std::optional<double> fairness;       // of Op::lock_fairness: the smallest share / the largest

    // Of all acting ranks together. Only for Status::ok.
    double mbytes_per_s() const {
        return static_cast<double>(row.moved_bytes()) * actor_count / microseconds.median;
    }
    double ops_per_s() const {
        const int together = is_collective(row.op) ? 1 : actor_count;  // one for all ranks
        return 1e6 * together / microseconds.median;
    }
    // Whether a quartile lies further from the median than this part of it.
    bool is_noisy(double limit) const { return microseconds.quartile_distance() > limit; }
};

inline const char* status_name(Status status) {
    switch (status) {
        case Status::ok:
            return "ok";
        case Status::wrong:
            return "wrong";
        case Status::stalled:
            return "stalled";
    }
    return "?";
}

}  // namespace armci::bench

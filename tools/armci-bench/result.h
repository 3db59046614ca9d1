// What came out of a row.
#pragma once

#include "armci-bench/overlap.h"
#include "armci-bench/row.h"
#include "armci-bench/statistics.h"

#include <cstdint>
#include <optional>
#include <string>

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
    int64_t iterations = 0;  // operations per sample of one rank
    int64_t sample_count = 0;
    Summary microseconds;            // per operation of one rank; of several ranks the slowest
    std::string route;               // "-" if unknown
    std::optional<Overlap> overlap;  // of Op::overlap_*

    // Of all acting ranks together. Only for Status::ok.
    double mbytes_per_s() const {
        return static_cast<double>(row.moved_bytes()) * actor_count / microseconds.median;
    }
    double ops_per_s() const {
        const int together = is_collective(row.op) ? 1 : actor_count;  // one for all ranks
        return 1e6 * together / microseconds.median;
    }
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

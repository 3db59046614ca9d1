// A timeline as text: the Chrome trace event format (a JSON array, an event to a line), which
// Perfetto and chrome://tracing read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/trace.h"

namespace armci::base {

// What to add to this process's times for those of the job's clock. The difference of two hosts'
// clocks is not constant, and so has been measured twice, unless the job has failed.
struct TraceClock {
    int64_t zero_ns = 0;  // of the job's clock, where the timeline begins
    int64_t begin_ns = 0;
    int64_t offset_ns = 0;  // then
    int64_t end_ns = 0;     // 0: not measured again
    int64_t end_offset_ns = 0;

    int64_t to_job(int64_t own_ns) const;
};

struct TraceProcess {
    int rank = 0;
    std::string host;
    TraceClock clock;
};

// False, with errno, when it cannot be written to the end.
bool write_trace(int fd, const TraceProcess& process,
                 const std::vector<const TraceThread*>& threads);

}  // namespace armci::base

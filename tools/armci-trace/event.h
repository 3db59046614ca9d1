// SPDX-License-Identifier: BSD-3-Clause
// One event of a timeline, as armci-trace works with it.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace armci::trace {

// What is wrong with a file, for the user.
class TraceError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Times are nanoseconds of the job's clock. Negative numbers mean unknown.
struct Event {
    enum class Kind : uint8_t { span, counter, name };

    Kind kind = Kind::span;
    int rank = -1;  // whose event it is
    int64_t thread = -1;
    int64_t begin_ns = 0;
    int64_t duration_ns = 0;
    std::string category;
    std::string name;
    int64_t bytes = -1;
    int other_rank = -1;  // at the other side
    int64_t value = 0;    // of a counter
    // Of a name: what is named so; how many events the process has lost; and, of a process, how
    // many ranks the job has, and what no other run has. Files of version 0.1.0 have neither.
    std::string text;
    int64_t dropped = 0;
    int64_t job_ranks = 0;
    std::string run;

    bool names_process() const { return kind == Kind::name && name == "process_name"; }
    int64_t end_ns() const { return begin_ns + duration_ns; }
};

}  // namespace armci::trace

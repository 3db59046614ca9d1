// SPDX-License-Identifier: BSD-3-Clause
// A timeline as text in the Chrome trace event format: a JSON array with one event on each line,
// which Perfetto and chrome://tracing read.
// docs/references.md: Trace Event Format
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/trace.h"

namespace armci::base {

// Converts times of this process to the clock of the job. The difference of two hosts' clocks is
// not constant, so it is measured twice, unless the job has failed.
struct TraceClock {
    // The job's time at which the timeline begins. All ranks have the same, and no other run has.
    int64_t zero_ns = 0;
    int64_t begin_ns = 0;
    int64_t offset_ns = 0;  // offset at begin_ns
    int64_t end_ns = 0;     // 0: not measured again
    int64_t end_offset_ns = 0;

    int64_t to_job(int64_t own_ns) const;
};

struct TraceProcess {
    int rank = 0;
    int ranks = 0;  // of the job
    std::string host;
    TraceClock clock;
};

// A TraceFile writes the file of a process. The file is complete JSON after every write, because
// each write closes the array and the next one overwrites that end. So it can be read even after a
// process was killed.
class TraceFile {
  public:
    // Writes the name of the process and takes ownership of the descriptor. After a failed write
    // nothing more is written.
    TraceFile(int fd, const TraceProcess& process);
    ~TraceFile();
    TraceFile(const TraceFile&) = delete;
    TraceFile& operator=(const TraceFile&) = delete;

    // Writes what the threads have recorded since the last call. The first call writes what the
    // rings hold, and how many events they have lost. The threads may record meanwhile.
    void append(const std::vector<const TraceThread*>& threads);

    // Returns errno of the write that failed, or 0.
    int error() const { return error_; }
    uint64_t events() const { return events_; }
    // Returns how many events have been lost since the file was made.
    uint64_t missing() const { return missing_; }

  private:
    void add_process();
    void add_thread(const TraceThread& thread);
    void add_events(const TraceThread& thread, uint64_t* next);
    void add_event(int thread, const TraceEvent& event);
    void add_counter(const TraceEvent& event);
    void add_place(int thread, const char* what, int place);
    void add_dropped(uint64_t count);
    void add_time(const char* key, int64_t ns);
    void add_argument(const char* key, int64_t value);
    void add_names(const TraceEvent& event);
    void add_arrow(const TraceEvent& event);
    void add_arguments(const TraceEvent& event);
    __attribute__((format(printf, 2, 3))) void add(const char* format, ...);
    void begin_line(const char* phase, int thread);
    void flush();

    int fd_;
    TraceProcess process_;
    std::string text_;            // not yet in the file
    uint64_t end_ = 0;            // length of the file without the array's end
    std::vector<uint64_t> next_;  // of each thread, the event to write next
    uint64_t events_ = 0;
    uint64_t missing_ = 0;
    unsigned last_id_ = 0;
    bool has_begun_ = false;  // append() has been called
    bool is_first_ = true;
    int error_ = 0;
};

}  // namespace armci::base

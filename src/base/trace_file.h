// SPDX-License-Identifier: BSD-3-Clause
// A timeline as text: the Chrome trace event format (a JSON array, an event to a line), which
// Perfetto and chrome://tracing read.
// docs/references.md: Trace Event Format
#pragma once

#include <cstddef>
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

// The file of a process, which is complete between any two writes: the array is closed behind each,
// and the next one begins in the place of its end. So it can be read when a process is killed.
class TraceFile {
  public:
    // With nothing but the process; takes the descriptor. After a write that fails nothing is
    // written any more.
    TraceFile(int fd, const TraceProcess& process);
    ~TraceFile();
    TraceFile(const TraceFile&) = delete;
    TraceFile& operator=(const TraceFile&) = delete;

    // What the threads have recorded since the last time; the first time, what they have, and how
    // much they have no more. They may go on recording meanwhile.
    void append(const std::vector<const TraceThread*>& threads);

    // errno of the write that failed, or 0.
    int error() const { return error_; }
    uint64_t events() const { return events_; }
    // Of those that were recorded since the file was made.
    uint64_t missing() const { return missing_; }

  private:
    void add_process();
    void add_thread(const TraceThread& thread);
    void add_events(const TraceThread& thread, uint64_t* next);
    void add_event(int thread, const TraceEvent& event);
    void add_name(int thread, const char* what, const std::string& name);
    void add_place(int thread, const char* what, int place);
    void add_dropped(uint64_t count);
    void add_time(const char* key, int64_t ns);
    void add_argument(const char* key, int64_t value);
    void add_names(const TraceEvent& event);
    void add_arguments(const TraceEvent& event);
    __attribute__((format(printf, 2, 3))) void add(const char* format, ...);
    void begin_line(const char* phase, int thread);
    void flush();

    int fd_;
    TraceProcess process_;
    std::string text_;            // not yet in the file
    uint64_t end_ = 0;            // of what is in the file, without the array's end
    std::vector<uint64_t> next_;  // to write, of each thread
    uint64_t events_ = 0;
    uint64_t missing_ = 0;
    unsigned last_id_ = 0;
    bool has_begun_ = false;  // to append
    bool is_first_ = true;
    int error_ = 0;
};

}  // namespace armci::base

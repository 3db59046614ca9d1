// SPDX-License-Identifier: BSD-3-Clause
#include "base/trace_file.h"

#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <utility>

#include "base/json_text.h"

namespace armci::base {
namespace {

// Processes and threads have numbers of their own in the viewer. 100 for each rank makes them
// readable: 302 belongs to rank 2.
constexpr int kNumbersOfRank = 100;

constexpr const char kArrayEnd[] = "\n]\n";

}  // namespace

int64_t TraceClock::to_job(int64_t own_ns) const {
    int64_t offset = offset_ns;
    if (end_ns > begin_ns) {
        offset += static_cast<int64_t>(static_cast<double>(end_offset_ns - offset_ns) *
                                       static_cast<double>(own_ns - begin_ns) /
                                       static_cast<double>(end_ns - begin_ns));
    }
    return own_ns + offset - zero_ns;
}

TraceFile::TraceFile(int fd, const TraceProcess& process) : fd_(fd), process_(process) {
    add_process();
    flush();
}

TraceFile::~TraceFile() {
    ::close(fd_);
}

void TraceFile::append(const std::vector<const TraceThread*>& threads) {
    uint64_t dropped = 0;
    for (const TraceThread* thread : threads) {
        if (static_cast<size_t>(thread->number) == next_.size()) {
            const uint64_t oldest = thread->ring.dropped();
            next_.push_back(oldest);
            add_thread(*thread);
            if (has_begun_ && thread->ring.keeps_any()) {
                missing_ += oldest;
            } else {
                dropped += oldest;
            }
        }
        if (thread->ring.keeps_any()) {
            add_events(*thread, &next_[static_cast<size_t>(thread->number)]);
        }
    }
    if (!has_begun_) {
        has_begun_ = true;
        // Events may have been overwritten while the rings were read for the first time.
        dropped += std::exchange(missing_, 0);
        if (dropped > 0) {
            add_dropped(dropped);
        }
    }
    flush();
}

// The number of ranks and the run tell armci-trace which files belong together. Viewers ignore
// them. The run is text, because a number of JavaScript does not hold 64 bits.
void TraceFile::add_process() {
    begin_line("M", 0);
    add(",\"name\":\"process_name\",\"args\":{\"name\":\"rank %d on %s\",\"ranks\":%d,"
        "\"run\":\"0x%" PRIx64 "\"}}",
        process_.rank, json_escaped(process_.host).c_str(), process_.ranks,
        static_cast<uint64_t>(process_.clock.zero_ns));
    add_place(0, "process_sort_index", process_.rank);
}

void TraceFile::add_thread(const TraceThread& thread) {
    begin_line("M", thread.number);
    add(",\"name\":\"thread_name\",\"args\":{\"name\":\"%s\"}}", json_escaped(thread.name).c_str());
    add_place(thread.number, "thread_sort_index", thread.number);
}

// Writes the events up to the present count; later ones wait for the next call.
void TraceFile::add_events(const TraceThread& thread, uint64_t* next) {
    const uint64_t count = thread.ring.count();
    for (; *next < count; ++*next) {
        TraceEvent event;
        if (thread.ring.read(*next, &event)) {
            add_event(thread.number, event);
            ++events_;
        } else {
            ++missing_;
        }
    }
}

// Writes the position of a process or thread in the viewer.
void TraceFile::add_place(int thread, const char* what, int place) {
    begin_line("M", thread);
    add(",\"name\":\"%s\",\"args\":{\"sort_index\":%d}}", what, place);
}

void TraceFile::add_dropped(uint64_t count) {
    begin_line("M", 0);
    add(",\"name\":\"process_labels\",\"args\":{\"labels\":\"%" PRIu64
        " earlier events dropped\",\"dropped\":%" PRIu64 "}}",
        count, count);
}

void TraceFile::add(const char* format, ...) {
    char part[512];
    va_list arguments;
    va_start(arguments, format);
    const int length = std::vsnprintf(part, sizeof part, format, arguments);
    va_end(arguments);
    if (length < static_cast<int>(sizeof part)) {
        text_ += part;
        return;
    }
    std::string whole(static_cast<size_t>(length) + 1, '\0');
    va_start(arguments, format);
    std::vsnprintf(whole.data(), whole.size(), format, arguments);
    va_end(arguments);
    whole.pop_back();
    text_ += whole;
}

void TraceFile::begin_line(const char* phase, int thread) {
    constexpr size_t kFull = 64 << 10;
    if (text_.size() > kFull) {
        flush();
    }
    text_ += is_first_ ? "[\n" : ",\n";
    is_first_ = false;
    // Perfetto takes a thread for a member of the process with its number, and 0 is the kernel's.
    // So all processes and threads of the job have different numbers, except that the program's
    // thread has the number of its process, as on Linux.
    static_assert(kMaxTraceThreads < kNumbersOfRank);
    const int64_t process = int64_t{kNumbersOfRank} * (process_.rank + 1);
    add("{\"ph\":\"%s\",\"pid\":%" PRId64 ",\"tid\":%" PRId64, phase, process, process + thread);
}

// Writes a time in microseconds.
void TraceFile::add_time(const char* key, int64_t ns) {
    add(",\"%s\":%s%" PRId64 ".%03d", key, ns < 0 ? "-" : "", (ns < 0 ? -ns : ns) / 1000,
        static_cast<int>((ns < 0 ? -ns : ns) % 1000));
}

void TraceFile::add_argument(const char* key, int64_t value) {
    if (value >= 0) {
        add("%s\"%s\":%" PRId64, text_.back() == '{' ? "" : ",", key, value);
    }
}

void TraceFile::add_names(const TraceEvent& event) {
    add(",\"cat\":\"%s\",\"name\":\"%s\"", event.kind->category,
        json_escaped(std::string(event.kind->name) + event.name).c_str());
}

// Writes which arrow begins or ends at the event. Viewers draw it between the events of both ends.
void TraceFile::add_arrow(const TraceEvent& event) {
    if (event.arrow != 0 && event.kind->arrow != TraceArrow::none) {
        add(",\"bind_id\":\"0x%" PRIx64 "\",\"%s\":true", event.arrow,
            event.kind->arrow == TraceArrow::begin ? "flow_out" : "flow_in");
    }
}

void TraceFile::add_arguments(const TraceEvent& event) {
    text_ += ",\"args\":{";
    add_argument("bytes", event.bytes);
    add_argument("rank", event.rank);
    add_argument("node", event.node);
    add_argument(event.kind->number, event.number);
    text_ += "}}";
}

// Counters are of the process, whichever thread has changed them.
void TraceFile::add_counter(const TraceEvent& event) {
    begin_line("C", 0);
    add_time("ts", process_.clock.to_job(event.begin_ns));
    add(",\"name\":\"%s\",\"args\":{\"%s\":%" PRId64 "}}", event.kind->name, event.kind->number,
        event.number);
}

// An event that may overlap others is written as two lines, its begin and its end. The viewer joins
// them by a number that is unique within the process.
void TraceFile::add_event(int thread, const TraceEvent& event) {
    const int64_t begin_ns = process_.clock.to_job(event.begin_ns);
    const int64_t end_ns = process_.clock.to_job(event.end_ns);
    if (event.kind->is_counter) {
        add_counter(event);
        return;
    }
    if (!event.kind->overlaps) {
        begin_line("X", thread);
        add_time("ts", begin_ns);
        add_time("dur", end_ns - begin_ns);
        add_names(event);
        add_arrow(event);
        add_arguments(event);
        return;
    }
    ++last_id_;
    for (const bool begins : {true, false}) {
        begin_line(begins ? "b" : "e", thread);
        add_time("ts", begins ? begin_ns : end_ns);
        add(",\"id2\":{\"local\":\"0x%x\"}", last_id_);
        add_names(event);
        if (begins) {
            add_arrow(event);
            add_arguments(event);
        } else {
            text_ += '}';
        }
    }
}

// Writes the lines and, behind them, the array's end, which the next ones replace.
void TraceFile::flush() {
    if (text_.empty()) {
        return;
    }
    const size_t lines = text_.size();
    text_ += kArrayEnd;
    size_t done = 0;
    while (done < text_.size() && error_ == 0) {
        const ssize_t written = ::pwrite(fd_, text_.data() + done, text_.size() - done,
                                         static_cast<off_t>(end_ + done));
        if (written > 0) {
            done += static_cast<size_t>(written);
        } else if (written == 0 || errno != EINTR) {
            error_ = written == 0 ? EIO : errno;
        }
    }
    end_ += lines;
    text_.clear();
}

}  // namespace armci::base

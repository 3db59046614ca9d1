#include "base/trace_file.h"

#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>

namespace armci::base {
namespace {

// Of processes and threads in the viewer. 100 makes them easy to read: 302 is of rank 2.
constexpr int kNumbersOfRank = 100;

std::string escaped(const std::string& text) {
    std::string result;
    for (const char letter : text) {
        if (letter == '"' || letter == '\\') {
            result += '\\';
            result += letter;
        } else if (static_cast<unsigned char>(letter) < ' ') {
            char code[8];
            std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(letter));
            result += code;
        } else {
            result += letter;
        }
    }
    return result;
}

class Writer {
  public:
    Writer(int fd, const TraceProcess& process) : fd_(fd), process_(process) {}

    void write_process() {
        const std::string name = "rank " + std::to_string(process_.rank) + " on " + process_.host;
        write_name(0, "process_name", name);
        write_place(0, "process_sort_index", process_.rank);
    }

    void write(const TraceThread& thread) {
        write_name(thread.number, "thread_name", thread.name);
        write_place(thread.number, "thread_sort_index", thread.number);
        for (uint64_t i = 0; i < thread.ring.kept(); ++i) {
            write_event(thread.number, thread.ring.at(i));
        }
    }

    // About the process or one of its threads.
    void write_name(int thread, const char* what, const std::string& name) {
        begin_line("M", thread);
        add(",\"name\":\"%s\",\"args\":{\"name\":\"%s\"}}", what, escaped(name).c_str());
    }

    // Where it is among the others.
    void write_place(int thread, const char* what, int place) {
        begin_line("M", thread);
        add(",\"name\":\"%s\",\"args\":{\"sort_index\":%d}}", what, place);
    }

    void write_dropped(uint64_t count) {
        begin_line("M", 0);
        add(",\"name\":\"process_labels\",\"args\":{\"labels\":\"%" PRIu64
            " earlier events dropped\",\"dropped\":%" PRIu64 "}}",
            count, count);
    }

    bool finish() {
        text_ += is_first_ ? "[]\n" : "\n]\n";
        flush();
        return is_written_;
    }

  private:
    __attribute__((format(printf, 2, 3))) void add(const char* format, ...) {
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

    void begin_line(const char* phase, int thread) {
        constexpr size_t kFull = 64 << 10;
        if (text_.size() > kFull) {
            flush();
        }
        text_ += is_first_ ? "[\n" : ",\n";
        is_first_ = false;
        // To Perfetto a thread belongs to the process of its number, and 0 is the kernel's. So all
        // processes and threads of the job have numbers of their own; the program's thread has its
        // process's, as on Linux.
        static_assert(kMostTraceThreads < kNumbersOfRank);
        const int64_t process = int64_t{kNumbersOfRank} * (process_.rank + 1);
        add("{\"ph\":\"%s\",\"pid\":%" PRId64 ",\"tid\":%" PRId64, phase, process,
            process + thread);
    }

    // In microseconds.
    void add_time(const char* key, int64_t ns) {
        add(",\"%s\":%s%" PRId64 ".%03d", key, ns < 0 ? "-" : "", (ns < 0 ? -ns : ns) / 1000,
            static_cast<int>((ns < 0 ? -ns : ns) % 1000));
    }

    void add_argument(const char* key, int64_t value) {
        if (value >= 0) {
            add("%s\"%s\":%" PRId64, text_.back() == '{' ? "" : ",", key, value);
        }
    }

    void add_names(const TraceEvent& event) {
        add(",\"cat\":\"%s\",\"name\":\"%s\"", event.kind->category,
            escaped(std::string(event.kind->name) + event.name).c_str());
    }

    void add_arguments(const TraceEvent& event) {
        text_ += ",\"args\":{";
        add_argument("bytes", event.bytes);
        add_argument("rank", event.rank);
        add_argument("node", event.node);
        add_argument(event.kind->number, event.number);
        text_ += "}}";
    }

    // Those that overlap are two lines which the viewer puts together by a number within the
    // process.
    void write_event(int thread, const TraceEvent& event) {
        const int64_t begin_ns = process_.clock.to_job(event.begin_ns);
        const int64_t end_ns = process_.clock.to_job(event.end_ns);
        if (!event.kind->overlaps) {
            begin_line("X", thread);
            add_time("ts", begin_ns);
            add_time("dur", end_ns - begin_ns);
            add_names(event);
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
                add_arguments(event);
            } else {
                text_ += '}';
            }
        }
    }

    void flush() {
        const char* next = text_.data();
        size_t left = text_.size();
        while (left > 0 && is_written_) {
            const ssize_t written = ::write(fd_, next, left);
            if (written > 0) {
                next += written;
                left -= static_cast<size_t>(written);
            } else {
                is_written_ = written < 0 && errno == EINTR;
            }
        }
        text_.clear();
    }

    int fd_;
    const TraceProcess& process_;
    std::string text_;
    unsigned last_id_ = 0;
    bool is_first_ = true;
    bool is_written_ = true;
};

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

bool write_trace(int fd, const TraceProcess& process,
                 const std::vector<const TraceThread*>& threads) {
    Writer writer(fd, process);
    writer.write_process();
    uint64_t dropped = 0;
    for (const TraceThread* thread : threads) {
        writer.write(*thread);
        dropped += thread->ring.dropped();
    }
    if (dropped > 0) {
        writer.write_dropped(dropped);
    }
    return writer.finish();
}

}  // namespace armci::base

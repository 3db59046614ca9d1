// The timeline of this process (ARMCI_TRACE): what its threads have done when, kept in memory until
// the job ends.
//
// While it is off, this is a flag that is looked at where something could be recorded. While it is
// on, each thread records into a ring of its own: no lock, no allocation but that of the ring with
// a thread's first event, and no more memory for more events. The newest ones stay.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"

namespace armci::base {

// What happens, as the viewer shows it.
struct TraceKind {
    const char* category;
    const char* name;  // that of the event follows
    // Several may be under way in a thread at a time, so each is on a line of its own.
    bool overlaps = false;
    const char* number = "chunk";  // what TraceEvent::number is called
};

inline constexpr TraceKind kTraceCall{"call", ""};
inline constexpr TraceKind kTraceWait{"wait", "wait for "};
inline constexpr TraceKind kTraceAsleep{"wait", "asleep"};
inline constexpr TraceKind kTraceStall{"stall", "stall: ", true};
// Chunks of puts and accumulates; numbered as frames from that rank to that server.
inline constexpr TraceKind kTracePack{"pack", "pack"};
inline constexpr TraceKind kTraceTransmit{"transmit", "transmit", true};
inline constexpr TraceKind kTraceExecute{"execute", ""};  // by a server: unpack, accumulate, …
inline constexpr TraceKind kTraceOffloaded{"execute", "unpack by the copy engine", true};
// Chunks of gets, which have no numbers: where in the transfer they are.
inline constexpr TraceKind kTracePackAt{"pack", "pack", false, "offset"};
inline constexpr TraceKind kTraceTransmitAt{"transmit", "transmit", true, "offset"};
inline constexpr TraceKind kTraceUnpackAt{"execute", "unpack", false, "offset"};
inline constexpr TraceKind kTraceRma{"transmit", "rma ", true};
inline constexpr TraceKind kTraceTurn{"server", "turn of the data server"};

// Negative numbers are not known.
struct TraceEvent {
    const TraceKind* kind = nullptr;
    const char* name = "";  // static
    int64_t begin_ns = 0;
    int64_t end_ns = 0;
    int64_t bytes = -1;
    int64_t number = -1;
    int32_t rank = -1;  // the other side
    int32_t node = -1;  // the same, where that is a data server
};

// Written by one thread. Others may read it while that writes at most one more event: the place
// that would take it is not among those that they are shown.
class TraceRing {
  public:
    // A power of two; or 0, and where there is no memory for it: all events are dropped, of however
    // many threads.
    explicit TraceRing(size_t capacity);
    ~TraceRing();
    TraceRing(const TraceRing&) = delete;
    TraceRing& operator=(const TraceRing&) = delete;

    void push(const TraceEvent& event) {
        const uint64_t count = count_.load(std::memory_order_relaxed);
        if (events_ != nullptr) {
            events_[count & mask_] = event;
        }
        count_.fetch_add(1, std::memory_order_release);
    }

    uint64_t kept() const {
        const uint64_t count = count_.load(std::memory_order_acquire);
        return events_ == nullptr ? 0 : std::min(count, mask_);
    }
    uint64_t dropped() const { return count_.load(std::memory_order_acquire) - kept(); }
    // Of those kept, from the oldest.
    const TraceEvent& at(uint64_t index) const { return events_[(dropped() + index) & mask_]; }

  private:
    uint64_t mask_;
    TraceEvent* events_;
    std::atomic<uint64_t> count_{0};  // of all that were pushed
};

// As the viewer numbers and calls it.
struct TraceThread {
    explicit TraceThread(size_t capacity) : ring(capacity) {}
    TraceRing ring;
    int number = 0;
    std::string name;
};

// Of each thread; its pages are touched when they are written. What more threads than these record
// is dropped.
inline constexpr size_t kTraceCapacity = size_t{1} << 17;
inline constexpr size_t kMostTraceThreads = 64;

inline std::atomic<bool> g_is_tracing{false};
inline bool is_tracing() {
    return g_is_tracing.load(std::memory_order_relaxed);
}
// The time, or 0 while tracing is off.
inline int64_t trace_ns() {
    return is_tracing() ? now_ns() : 0;
}

// Begins, with no events. The calling thread is the first.
void start_trace();
// From here on nothing is recorded, but for what a thread is just writing.
void stop_trace();
void forget_trace();
// What the calling thread is called, unless it has recorded something already.
void name_trace_thread(const char* name);
// While tracing is on.
void record(const TraceEvent& event);
// Those that have recorded something. Valid until forget_trace() or start_trace().
std::vector<const TraceThread*> trace_threads();

// From here to the end of the block.
class TraceSpan {
  public:
    explicit TraceSpan(const TraceKind& kind, const char* name = "", int rank = -1)
        : kind_(kind), name_(name), rank_(rank), begin_ns_(trace_ns()) {}
    ~TraceSpan() {
        if (begin_ns_ != 0) [[unlikely]] {
            finish();
        }
    }
    TraceSpan(const TraceSpan&) = delete;
    TraceSpan& operator=(const TraceSpan&) = delete;

  private:
    void finish() const;

    const TraceKind& kind_;
    const char* name_;
    int rank_;
    int64_t begin_ns_;
};

}  // namespace armci::base

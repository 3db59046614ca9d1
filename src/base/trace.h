// SPDX-License-Identifier: BSD-3-Clause
// The timeline of this process (ARMCI_TRACE): what its threads do and when. It is kept in memory
// and written to a file while the job runs (trace_file.h).
//
// While tracing is off, it costs a look at a flag wherever something could be recorded. While it is
// on, each thread records into a ring of its own, without a lock. A thread allocates its ring with
// its first event; further events need no more memory, and the newest ones stay.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"

namespace armci::base {

// At which end of an arrow events of a kind are.
enum class TraceArrow : uint8_t { none, begin, end };

// A TraceKind describes a kind of event as the viewer shows it.
struct TraceKind {
    const char* category;
    const char* name;  // the name of the event follows it
    // Several events of this kind may overlap in a thread, so the viewer shows each on a line of
    // its own.
    bool overlaps = false;
    const char* number = "chunk";  // what TraceEvent::number is called; ends the name of a counter
    TraceArrow arrow = TraceArrow::none;
    // An event says that TraceEvent::number is the value from its beginning on.
    bool is_counter = false;
};

inline constexpr TraceKind kTraceCall{"call", ""};
inline constexpr TraceKind kTraceWait{"wait", "wait for "};
inline constexpr TraceKind kTraceAsleep{"wait", "asleep"};
inline constexpr TraceKind kTraceStall{"stall", "stall: ", true};
// The state that an operation of the origin was in; numbered in the order of submission.
inline constexpr TraceKind kTraceTask{"task", "task ", true, "task"};
// Chunks of puts and accumulates. Their number is that of the frame from the origin to the data
// server.
inline constexpr TraceKind kTracePack{
    .category = "pack", .name = "pack", .arrow = TraceArrow::begin};
inline constexpr TraceKind kTraceTransmit{"transmit", "transmit", true};
// By a server: unpack, accumulate, …
inline constexpr TraceKind kTraceExecute{
    .category = "execute", .name = "", .arrow = TraceArrow::end};
inline constexpr TraceKind kTraceOffloaded{.category = "execute",
                                           .name = "unpack by the copy engine",
                                           .overlaps = true,
                                           .arrow = TraceArrow::end};
// Chunks of gets. They have no number, so their offset in the transfer is recorded.
inline constexpr TraceKind kTracePackAt{
    .category = "pack", .name = "pack", .number = "offset", .arrow = TraceArrow::begin};
inline constexpr TraceKind kTraceTransmitAt{"transmit", "transmit", true, "offset"};
inline constexpr TraceKind kTraceUnpackAt{
    .category = "execute", .name = "unpack", .number = "offset", .arrow = TraceArrow::end};
inline constexpr TraceKind kTraceRma{"transmit", "rma ", true};
inline constexpr TraceKind kTraceTurn{"server", "turn of the data server"};
// Inside a node, by the calling thread or by a copy engine.
inline constexpr TraceKind kTraceCopy{"copy", ""};
inline constexpr TraceKind kTraceEngineCopy{"copy", "by the copy engine: ", true};
// What an origin has under way, and what it may still use.
inline constexpr TraceKind kTraceUnderWay{
    .category = "counter", .name = "bytes", .number = "under way", .is_counter = true};
inline constexpr TraceKind kTraceFreeBuffers{
    .category = "counter", .name = "buffer bytes", .number = "free", .is_counter = true};
inline constexpr TraceKind kTraceGranted{
    .category = "counter", .name = "receive buffers", .number = "granted", .is_counter = true};
// Of a data server.
inline constexpr TraceKind kTraceFreeRecvBuffers{
    .category = "counter", .name = "server receive buffers", .number = "free", .is_counter = true};

// A TraceEvent is one event of the timeline. Negative numbers mean unknown.
struct TraceEvent {
    const TraceKind* kind = nullptr;
    const char* name = "";  // a string with static lifetime
    int64_t begin_ns = 0;
    int64_t end_ns = 0;
    int64_t bytes = -1;
    int64_t number = -1;
    int32_t rank = -1;   // rank at the other side
    int32_t node = -1;   // node at the other side, if that is a data server
    uint64_t arrow = 0;  // the number of its arrow; 0: it has none
};

// Returns the number of the arrow from where a chunk was packed to where it was unpacked. Both
// sides calculate it: from the sequence number of the frame, or for a get from the request and the
// offset in its answer. The origin is a rank, and the server a number among those of the job.
uint64_t arrow_of_frame(int origin, int server, uint64_t sequence);
uint64_t arrow_of_answer(int origin, int server, uint64_t request_id, uint64_t offset);

// A TraceRing keeps events. One thread writes it, and others may read it meanwhile.
class TraceRing {
  public:
    // Makes a ring of `capacity` events, a power of two. A ring of capacity 0, or without memory,
    // drops all events and may be used by several threads.
    explicit TraceRing(size_t capacity);
    ~TraceRing();
    TraceRing(const TraceRing&) = delete;
    TraceRing& operator=(const TraceRing&) = delete;

    void push(const TraceEvent& event) {
        const uint64_t count = count_.load(std::memory_order_relaxed);
        if (slots_ != nullptr) {
            slots_[count & mask_].store(event);
        }
        count_.fetch_add(1, std::memory_order_release);
    }

    // Returns how many events were pushed since the start.
    uint64_t count() const { return count_.load(std::memory_order_acquire); }
    // Returns how many events can be read: all except the slot that the next event overwrites.
    uint64_t kept() const { return slots_ == nullptr ? 0 : std::min(count(), mask_); }
    // Returns how many events are lost. It loads the count once, because others may change it.
    uint64_t dropped() const {
        const uint64_t all = count();
        return slots_ == nullptr ? all : all - std::min(all, mask_);
    }
    bool keeps_any() const { return slots_ != nullptr; }
    // Reads event `number`, counted from 0. Returns false if its slot has been overwritten
    // meanwhile.
    bool read(uint64_t number, TraceEvent* event) const {
        slots_[number & mask_].load(event);
        return count() - number <= mask_;
    }
    // Returns the event with that index among those kept; the oldest is 0. No thread may push
    // meanwhile.
    TraceEvent at(uint64_t index) const {
        TraceEvent event;
        slots_[(dropped() + index) & mask_].load(&event);
        return event;
    }

  private:
    // The words of an event are released and acquired one by one. So a reader that sees a word also
    // sees the count of the ring when that word was written. This costs nothing on x86
    // (docs/references.md: Boehm 2012).
    struct Slot {
        static constexpr size_t kWords = sizeof(TraceEvent) / sizeof(uint64_t);
        static_assert(kWords * sizeof(uint64_t) == sizeof(TraceEvent));
        using Words = std::array<uint64_t, kWords>;

        void store(const TraceEvent& event) {
            const auto from = std::bit_cast<Words>(event);
            for (size_t i = 0; i < kWords; ++i) {
                words[i].store(from[i], std::memory_order_release);
            }
        }
        void load(TraceEvent* event) const {
            Words to;
            for (size_t i = 0; i < kWords; ++i) {
                to[i] = words[i].load(std::memory_order_acquire);
            }
            *event = std::bit_cast<TraceEvent>(to);
        }

        std::atomic<uint64_t> words[kWords];
    };

    uint64_t mask_;
    Slot* slots_;
    std::atomic<uint64_t> count_{0};
};

// A TraceThread is a thread with the number and the name that the viewer shows.
struct TraceThread {
    explicit TraceThread(size_t capacity) : ring(capacity) {}
    TraceRing ring;
    int number = 0;
    std::string name;
};

// The events of each thread, whose pages are touched when they are written. Events of threads
// beyond the maximum are dropped.
inline constexpr size_t kTraceCapacity = size_t{1} << 17;
inline constexpr size_t kMaxTraceThreads = 64;

inline std::atomic<bool> g_is_tracing{false};
inline bool is_tracing() {
    return g_is_tracing.load(std::memory_order_relaxed);
}
// Returns the time, or 0 while tracing is off.
inline int64_t trace_ns() {
    return is_tracing() ? now_ns() : 0;
}

// Starts tracing without earlier events. The calling thread becomes the first thread.
void start_trace();
// Stops recording. A thread that is inside record() may still finish its event.
void stop_trace();
void forget_trace();
// Names the calling thread, unless it has recorded an event already.
void name_trace_thread(const char* name);
// Adds an event to the calling thread's ring; tracing must be on.
void record(const TraceEvent& event);
void record_counter(const TraceKind& kind, int64_t value);
// Returns the threads that have recorded something. They are valid until the next forget_trace() or
// start_trace().
std::vector<const TraceThread*> trace_threads();

// Records one event that lasts from its construction to the end of its block.
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

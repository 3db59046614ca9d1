// SPDX-License-Identifier: BSD-3-Clause
// The timeline of this process (ARMCI_TRACE): what its threads have done when, kept in memory and
// written to a file as the block goes (trace_file.h).
//
// While it is off, this is a flag that is looked at where something could be recorded. While it is
// on, each thread records into a ring of its own: no lock, no allocation but that of the ring with
// a thread's first event, and no more memory for more events. The newest ones stay.
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

// Written by one thread; others may read it meanwhile.
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
        if (slots_ != nullptr) {
            slots_[count & mask_].store(event);
        }
        count_.fetch_add(1, std::memory_order_release);
    }

    // Of all that were pushed.
    uint64_t count() const { return count_.load(std::memory_order_acquire); }
    // The place that would be written next is not among those kept.
    uint64_t kept() const { return slots_ == nullptr ? 0 : std::min(count(), mask_); }
    // From one look at the count, which others may change.
    uint64_t dropped() const {
        const uint64_t all = count();
        return slots_ == nullptr ? all : all - std::min(all, mask_);
    }
    bool keeps_any() const { return slots_ != nullptr; }
    // The event of that number, from 0. False where its place has been written again meanwhile.
    bool read(uint64_t number, TraceEvent* event) const {
        slots_[number & mask_].load(event);
        return count() - number <= mask_;
    }
    // The event with that index among those kept; the oldest is 0. No thread may push meanwhile.
    TraceEvent at(uint64_t index) const {
        TraceEvent event;
        slots_[(dropped() + index) & mask_].load(&event);
        return event;
    }

  private:
    // A reader that sees a word of an event sees how far the ring was when that was written: the
    // words are released and acquired one by one, which costs nothing on x86
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
inline constexpr size_t kMaxTraceThreads = 64;

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

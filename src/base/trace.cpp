// SPDX-License-Identifier: BSD-3-Clause
#include "base/trace.h"

#include <cstdlib>
#include <memory>
#include <utility>

#include "base/mutex.h"

namespace armci::base {
namespace {

Mutex g_mutex;  // taken once by each thread
// The list is never destroyed: threads may still record when the process exits without
// ARMCI_Finalize.
auto& g_threads ARMCI_GUARDED_BY(g_mutex) = *new std::vector<std::unique_ptr<TraceThread>>;
// The generation of the list. A thread that remembers an earlier one must add itself again.
std::atomic<uint64_t> g_generation{0};
thread_local TraceThread* t_thread = nullptr;
thread_local uint64_t t_generation = 0;

TraceThread* add_thread(const char* name) {
    const MutexLock lock(g_mutex);
    const size_t count = g_threads.size();
    if (count <= kMaxTraceThreads) {
        const bool is_shared = count == kMaxTraceThreads;
        auto thread = std::make_unique<TraceThread>(is_shared ? 0 : kTraceCapacity);
        thread->number = static_cast<int>(count);
        thread->name = is_shared         ? "further threads"
                       : name != nullptr ? name
                                         : "thread " + std::to_string(count);
        g_threads.push_back(std::move(thread));
    }
    t_thread = g_threads.back().get();
    t_generation = g_generation.load(std::memory_order_relaxed);
    return t_thread;
}

// docs/references.md: Steele 2014
uint64_t mixed(uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
}

TraceThread* this_thread(const char* name) {
    return t_generation == g_generation.load(std::memory_order_relaxed) && t_thread != nullptr
               ? t_thread
               : add_thread(name);
}

}  // namespace

// calloc() gives whole pages, which the system makes when they are first written.
TraceRing::TraceRing(size_t capacity)
    : mask_(capacity - 1),
      slots_(capacity > 0 ? static_cast<Slot*>(std::calloc(capacity, sizeof(Slot))) : nullptr) {}

TraceRing::~TraceRing() {
    std::free(slots_);
}

void start_trace() {
    forget_trace();
    add_thread("program");
    g_is_tracing.store(true);
}

void stop_trace() {
    g_is_tracing.store(false);
}

void forget_trace() {
    stop_trace();
    const MutexLock lock(g_mutex);
    ++g_generation;
    g_threads.clear();
}

void name_trace_thread(const char* name) {
    if (is_tracing()) {
        this_thread(name);
    }
}

void record(const TraceEvent& event) {
    this_thread(nullptr)->ring.push(event);
}

void record_counter(const TraceKind& kind, int64_t value) {
    const int64_t time_ns = now_ns();
    record({.kind = &kind, .begin_ns = time_ns, .end_ns = time_ns, .number = value});
}

uint64_t arrow_of_answer(int origin, int server, uint64_t request_id, uint64_t offset) {
    const uint64_t ends = static_cast<uint64_t>(origin) << 32 | static_cast<uint32_t>(server);
    return std::max<uint64_t>(1, mixed(mixed(mixed(ends + 1) + request_id) + offset));
}

// No request has number 0.
uint64_t arrow_of_frame(int origin, int server, uint64_t sequence) {
    return arrow_of_answer(origin, server, 0, sequence);
}

std::vector<const TraceThread*> trace_threads() {
    const MutexLock lock(g_mutex);
    std::vector<const TraceThread*> threads;
    threads.reserve(g_threads.size());
    for (const auto& thread : g_threads) {
        threads.push_back(thread.get());
    }
    return threads;
}

void TraceSpan::finish() const {
    record(
        {.kind = &kind_, .name = name_, .begin_ns = begin_ns_, .end_ns = now_ns(), .rank = rank_});
}

}  // namespace armci::base

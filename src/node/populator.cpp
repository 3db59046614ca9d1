// SPDX-License-Identifier: BSD-3-Clause
#include "node/populator.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <ctime>

#include "base/clock.h"
#include "base/futex.h"
#include "base/log.h"
#include "node/heap.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace armci::node {
namespace {

// While the kernel populates a chunk, some 0.2 ms, mmap() and its relatives wait in other threads.
constexpr uint64_t kChunkBytes = 256 << 10;
constexpr uint64_t kLookBytes = 8 << 20;
// If a chunk had to wait longer than this for a processor, none is idle, and the thread rests. With
// such rests it takes some two percent of a processor.
constexpr int64_t kPatienceNs = 200'000;
constexpr int64_t kRestUs = 10'000;

int64_t processor_time_ns() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

void Populator::lock_soon() {
    callers_.fetch_add(1);
    mutex_.lock();
    callers_.fetch_sub(1);
}

void Populator::call_thread() {
    calls_.fetch_add(1);
    base::futex_wake(&calls_, 1);
}

void Populator::populate(uint64_t begin, uint64_t bytes) {
    if (!thread_.is_started() && !thread_.start<&Populator::run>(kThreadName, *this)) {
        return;
    }
    lock_soon();
    begin_ = (begin + kPageBytes - 1) / kPageBytes * kPageBytes;
    end_ = std::max(begin_, (begin + bytes) / kPageBytes * kPageBytes);
    is_new_ = true;
    mutex_.unlock();
    call_thread();
}

void Populator::leave(uint64_t begin, uint64_t bytes) {
    lock_soon();
    if (begin < end_ && begin_ < begin + bytes) {
        begin_ = end_;
    }
    mutex_.unlock();
}

uint64_t Populator::bytes_left() {
    lock_soon();
    const uint64_t bytes = end_ - begin_;
    mutex_.unlock();
    return bytes;
}

void Populator::stop() {
    stopping_.store(true);
    call_thread();
    thread_.join();
}

void Populator::run() {
    constexpr int64_t kLongUs = int64_t{3600} * 1'000'000;  // it is woken earlier
    // A SCHED_BATCH thread waits until a processor is free, and does not interrupt another thread.
    const sched_param none{};
    if (const int error = pthread_setschedparam(pthread_self(), SCHED_BATCH, &none); error != 0) {
        ARMCI_LOG_DEBUG("new memory is populated at normal priority (error %d)", error);
    }
    while (!stopping_.load()) {
        const uint32_t calls = calls_.load();
        Next next = populate_chunk();
        if (next == Next::go_on && !lets_others_run()) {
            next = Next::rest;
        }
        while (callers_.load() > 0) {  // this thread would take the lock again before them
            sched_yield();
        }
        if (next != Next::go_on && !stopping_.load()) {
            base::futex_wait(&calls_, calls, next == Next::rest ? kRestUs : kLongUs);
        }
    }
}

// A rank that waits yields its processor, and would get it back after a time slice of milliseconds
// only. Returns false if the processor did not come back soon, because another thread needs it.
bool Populator::lets_others_run() {
    const int64_t began_ns = base::now_ns();
    sched_yield();
    return base::now_ns() - began_ns <= kPatienceNs;
}

// Other ranks populate at the same time, and other programs need memory, too.
void Populator::look_at_memory() {
    const int64_t spare_bytes = spare_memory(files_);
    if (is_new_) {
        must_stay_spare_ = spare_bytes / 2;
        is_new_ = false;
    }
    if (spare_bytes <= must_stay_spare_) {
        begin_ = end_;
    }
    next_look_ = end_ - std::min(end_, kLookBytes);
}

Populator::Next Populator::populate_chunk() {
    const base::MutexLock lock(mutex_);
    if (begin_ < end_ && (is_new_ || end_ <= next_look_)) {
        look_at_memory();
    }
    if (begin_ == end_) {
        return Next::sleep;
    }
    const uint64_t bytes = std::min(kChunkBytes, end_ - begin_);
    const int64_t began_ns = base::now_ns() - processor_time_ns();
    end_ -= bytes;
    if (madvise(reinterpret_cast<void*>(end_), bytes, MADV_POPULATE_WRITE) != 0) {
        begin_ = end_;  // not before Linux 5.14
    }
    const int64_t waited_ns = base::now_ns() - processor_time_ns() - began_ns;
    return waited_ns > kPatienceNs ? Next::rest : Next::go_on;
}

}  // namespace armci::node

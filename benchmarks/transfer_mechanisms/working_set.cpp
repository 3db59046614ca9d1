// SPDX-License-Identifier: BSD-3-Clause
#include "working_set.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <numeric>
#include <random>
#include <utility>

// Found by this name in what cachegrind writes (count_misses.py).
extern "C" [[gnu::noinline]] const void* transfer_mechanisms_read_again(const void* first,
                                                                        size_t count) {
    const void* line = first;
    for (size_t i = 0; i < count; i++) {
        line = *static_cast<const void* const*>(line);
    }
    return line;
}

namespace armci::mechanisms {

namespace {

// Makes the compiler assume that the value is used.
void use(const void* value) {
    asm volatile("" : : "r"(value) : "memory");
}

}  // namespace

WorkingSet::WorkingSet(size_t bytes) : lines_(bytes / sizeof(Line)) {
    // One cycle through all lines (Sattolo's shuffle), the same in every run.
    std::vector<size_t> order(lines_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::mt19937_64 random(1);
    for (size_t i = order.size() - 1; i > 0; i--) {
        std::swap(order[i], order[random() % i]);
    }
    for (size_t i = 0; i < order.size(); i++) {
        lines_[i].next = &lines_[order[i]];
    }
}

void WorkingSet::warm() const {
    // Not by the function above, whose misses are counted.
    for (int turn = 0; turn < 3; turn++) {
        for (const Line& line : lines_) {
            use(line.next);
        }
    }
}

void WorkingSet::read_again() const {
    use(transfer_mechanisms_read_again(lines_.data(), lines_.size()));
}

double WorkingSet::timed_reading_us() const {
    const auto begin = std::chrono::steady_clock::now();
    read_again();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
        .count();
}

MissCounter::MissCounter() {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_HARDWARE;
    // The kernel's choice of the level: the last one on most processors, the second on some.
    attributes.config = PERF_COUNT_HW_CACHE_MISSES;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    file_ = static_cast<int>(
        syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

MissCounter::~MissCounter() {
    if (file_ >= 0) {
        close(file_);
    }
}

long long MissCounter::value() const {
    long long count = 0;
    return file_ >= 0 && read(file_, &count, sizeof count) == sizeof count ? count : 0;
}

}  // namespace armci::mechanisms

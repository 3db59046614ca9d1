// SPDX-License-Identifier: BSD-3-Clause
#include "simulation.h"

#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "timeline.h"

namespace armci::sim {
namespace {

struct RunState {
    uint64_t seed = 0;
    bool print = false;
    Random dice;
    Random system_numbers;
    uint64_t hash = 0;
    int64_t step = 0;
    int64_t last_progress = 0;
    int64_t now_ns = 0;
    int64_t step_ns = 0;
    std::string twin;
    char hint[96] = "";
};
RunState g_run;

void mix(uint64_t value) {
    g_run.hash = (g_run.hash ^ value) * 0x9e3779b97f4a7c15;
    g_run.hash ^= g_run.hash >> 32;
}

void note(const char* what, int64_t a, int64_t b, int64_t c) {
    for (const char* letter = what; *letter != '\0'; ++letter) {
        mix(static_cast<unsigned char>(*letter));
    }
    mix(static_cast<uint64_t>(a));
    mix(static_cast<uint64_t>(b));
    mix(static_cast<uint64_t>(c));
    if (g_run.print) {
        std::printf("%8lld  %-28s %8lld %8lld %8lld\n", static_cast<long long>(g_run.step), what,
                    static_cast<long long>(a), static_cast<long long>(b),
                    static_cast<long long>(c));
    }
}

// So that each twin meets other schedules. Zero for an empty text.
uint64_t mark_of(const std::string& text) {
    uint64_t mark = 0;
    for (const char letter : text) {
        mark = (mark + static_cast<unsigned char>(letter)) * 0x9e3779b97f4a7c15;
    }
    return mark;
}

}  // namespace

void begin_run(uint64_t seed, bool print, const std::string& twin) {
    g_run = RunState{};
    g_run.seed = seed;
    g_run.print = print;
    g_run.dice.seed(seed ^ mark_of(twin));
    g_run.system_numbers.seed(~seed);
    g_run.twin = twin;
    std::snprintf(g_run.hint, sizeof g_run.hint, "armci_sim %s%s%s--seed %llu --trace",
                  twin.empty() ? "" : "--twin ", twin.c_str(), twin.empty() ? "" : " ",
                  static_cast<unsigned long long>(seed));
}

uint64_t seed() {
    return g_run.seed;
}

Random& dice() {
    return g_run.dice;
}

Random& system_numbers() {
    return g_run.system_numbers;
}

void record(const char* what, int64_t a, int64_t b, int64_t c) {
    g_run.last_progress = g_run.step;
    note(what, a, b, c);
}

void remark(const char* what, int64_t a, int64_t b, int64_t c) {
    note(what, a, b, c);
}

uint64_t event_hash() {
    return g_run.hash;
}

void count_step() {
    ++g_run.step;
    g_run.now_ns += g_run.step_ns;
}

int64_t step() {
    return g_run.step;
}

int64_t last_progress() {
    return g_run.last_progress;
}

void set_step_ns(int64_t ns) {
    g_run.step_ns = ns;
}

int64_t simulated_ns() {
    constexpr int64_t kStart = 1'000'000'000;
    constexpr int64_t kLookNs = 20;
    if (is_timed()) {
        spend(kLookNs);
        return kStart + timed_ns();
    }
    return kStart + (g_run.now_ns += kLookNs);
}

const char* replay_hint() {
    return g_run.hint;
}

void violation(const char* format, ...) {
    std::fflush(stdout);
    std::fprintf(stderr, "armci_sim: %s%sseed %llu, step %lld: ", g_run.twin.c_str(),
                 g_run.twin.empty() ? "" : ", ", static_cast<unsigned long long>(g_run.seed),
                 static_cast<long long>(g_run.step));
    va_list arguments;
    va_start(arguments, format);
    std::vfprintf(stderr, format, arguments);
    va_end(arguments);
    std::fprintf(stderr, "\n  replay with: %s\n", g_run.hint);
    std::fflush(stderr);
    _exit(kViolationStatus);
}

}  // namespace armci::sim

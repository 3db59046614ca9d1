// SPDX-License-Identifier: BSD-3-Clause
#include "core/job/observed_calls.h"

#include "base/clock.h"
#include "core/job/call_times.h"

namespace armci::core {
namespace {

constexpr int64_t kShortestCallNs = 10'000;  // in the timeline, for calls inside the node

struct Call {
    int64_t begin_ns = 0;
    int64_t bytes = -1;
    int target = -1;
    base::Route route = base::Route::local;
};
thread_local Call t_call;

void record(const Call& call, const char* function, int64_t end_ns) {
    if (call.bytes >= 0 || end_ns - call.begin_ns >= kShortestCallNs) {
        base::record({.kind = &base::kTraceCall,
                      .name = function,
                      .begin_ns = call.begin_ns,
                      .end_ns = end_ns,
                      .bytes = call.bytes,
                      .rank = call.target});
    }
}

}  // namespace

void time_calls(bool on) {
    if (on) {
        reset_call_times();
    }
    g_times_calls.store(on);
}

void record_call(const char* function, int64_t begin_ns) {
    if (base::is_tracing()) {
        record({.begin_ns = begin_ns}, function, base::now_ns());
    }
}

void begin_observed_call() {
    t_call = {};
    t_call.begin_ns = base::now_ns();
}

void note_transfer(int target, int64_t bytes, base::Route route) {
    t_call.target = target;
    t_call.bytes = t_call.bytes < 0 ? bytes : t_call.bytes + bytes;
    t_call.route = route;
}

void end_observed_call(const char* function) {
    const int64_t end_ns = base::now_ns();
    if (t_call.begin_ns == 0) {
        return;  // it began before calls were observed
    }
    if (base::is_tracing()) {
        record(t_call, function, end_ns);
    }
    if (times_calls()) {
        count_call(function, t_call.route, end_ns - t_call.begin_ns);
    }
    t_call.begin_ns = 0;
}

}  // namespace armci::core

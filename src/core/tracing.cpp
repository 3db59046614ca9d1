#include "core/tracing.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/trace_file.h"
#include "core/runtime.h"

namespace armci::core {
namespace {

using base::now_ns;

constexpr int64_t kShortestCallNs = 10'000;  // of those inside the node

// There is one timeline in a process.
struct Output {
    std::string path;
    int fd = -1;
    base::TraceProcess process;
};
Output g_output;

struct Call {
    int64_t begin_ns = 0;
    int64_t bytes = -1;
    int target = -1;
};
thread_local Call t_call;

// --- A clock for all ---

constexpr int kClockTag = 2;
constexpr int kRounds = 16;

void tell_time(int node, MPI_Comm leaders) {
    for (int round = 0; round < kRounds; ++round) {
        MPI_Recv(nullptr, 0, MPI_BYTE, node, kClockTag, leaders, MPI_STATUS_IGNORE);
        const int64_t time_ns = now_ns();
        MPI_Send(&time_ns, 1, MPI_INT64_T, node, kClockTag, leaders);
    }
}

// What to add to this node's clock for that of node 0: what it showed in the middle of the shortest
// round trip. Less than half of that is none, so that one clock is found to be one.
int64_t ask_time(MPI_Comm leaders) {
    int64_t shortest_ns = INT64_MAX;
    int64_t offset_ns = 0;
    for (int round = 0; round < kRounds; ++round) {
        const int64_t begin_ns = now_ns();
        int64_t time_ns = 0;
        MPI_Send(nullptr, 0, MPI_BYTE, 0, kClockTag, leaders);
        MPI_Recv(&time_ns, 1, MPI_INT64_T, 0, kClockTag, leaders, MPI_STATUS_IGNORE);
        const int64_t trip_ns = now_ns() - begin_ns;
        if (trip_ns < shortest_ns) {
            shortest_ns = trip_ns;
            offset_ns = time_ns - (begin_ns + trip_ns / 2);
        }
    }
    return std::abs(offset_ns) > shortest_ns / 2 + 1 ? offset_ns : 0;
}

int64_t measure_offset(const World& world) {
    int64_t offset_ns = 0;
    if (world.is_leader() && world.node > 0) {
        offset_ns = ask_time(world.leaders_comm);
    } else if (world.is_leader()) {
        for (int node = 1; node < world.node_count; ++node) {
            tell_time(node, world.leaders_comm);
        }
    }
    MPI_Bcast(&offset_ns, 1, MPI_INT64_T, 0, world.node_comm);
    return offset_ns;
}

// --- Files ---

void open_file(const char* function, const std::string& given) {
    Output& output = g_output;
    output.path = given + "." + std::to_string(output.process.rank) + ".json";
    output.fd = ::open(output.path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (output.fd < 0) {
        base::fatal(function,
                    "ARMCI_TRACE=\"%s\": %s cannot be written (%s); name a path in a directory "
                    "that exists on every node and may be written to, or unset it",
                    given.c_str(), output.path.c_str(), std::strerror(errno));
    }
}

void write_file() {
    Output& output = g_output;
    if (!base::write_trace(output.fd, output.process, base::trace_threads())) {
        ARMCI_LOG_WARN("ARMCI_TRACE: %s is not complete (%s); give it a place with more room",
                       output.path.c_str(), std::strerror(errno));
    }
    ::close(output.fd);
    output.fd = -1;
}

// Once for all ranks.
void warn_of_dropped(const World& world) {
    uint64_t counts[2] = {0, 0};  // recorded, dropped
    for (const base::TraceThread* thread : base::trace_threads()) {
        counts[0] += thread->ring.kept() + thread->ring.dropped();
        counts[1] += thread->ring.dropped();
    }
    uint64_t sums[2] = {0, 0};
    MPI_Reduce(counts, sums, 2, MPI_UINT64_T, MPI_SUM, 0, world.comm);
    if (sums[1] > 0) {
        ARMCI_LOG_WARN("ARMCI_TRACE: %" PRIu64 " of %" PRIu64
                       " events are not in the files, which have the newest %zu of each thread; "
                       "trace a shorter run to see all",
                       sums[1], sums[0], base::kTraceCapacity - 1);
    }
}

}  // namespace

void start_tracing(const Runtime& runtime, const char* function) {
    const World& world = runtime.world;
    const std::string& given = runtime.config().trace;
    if (given.empty()) {
        return;
    }
    g_output.process = {};
    g_output.process.rank = world.rank;
    g_output.process.host = host_name();
    // One rank's message is enough when none can write there.
    if (world.rank == 0) {
        open_file(function, given);
    }
    MPI_Barrier(world.comm);
    if (world.rank != 0) {
        open_file(function, given);
    }
    base::TraceClock& clock = g_output.process.clock;
    clock.offset_ns = measure_offset(world);
    clock.begin_ns = now_ns();
    clock.zero_ns = clock.begin_ns;
    MPI_Bcast(&clock.zero_ns, 1, MPI_INT64_T, 0, world.comm);
    base::start_trace();
}

void stop_tracing(const Runtime& runtime) {
    if (!base::is_tracing()) {
        return;
    }
    base::stop_trace();
    base::TraceClock& clock = g_output.process.clock;
    clock.end_offset_ns = measure_offset(runtime.world);
    clock.end_ns = now_ns();
    warn_of_dropped(runtime.world);
    write_file();
    base::forget_trace();
}

void write_trace_of_failed_job() {
    if (base::is_tracing()) {
        base::stop_trace();
        write_file();
    }
}

void begin_traced_call() {
    t_call = {now_ns(), -1, -1};
}

void add_to_traced_call(int target, int64_t bytes) {
    t_call.target = target;
    t_call.bytes = t_call.bytes < 0 ? bytes : t_call.bytes + bytes;
}

void end_traced_call(const char* function) {
    const int64_t end_ns = now_ns();
    // A call that begins before the trace does ends after it has begun.
    if (t_call.begin_ns != 0 &&
        (t_call.bytes >= 0 || end_ns - t_call.begin_ns >= kShortestCallNs)) {
        base::record({.kind = &base::kTraceCall,
                      .name = function,
                      .begin_ns = t_call.begin_ns,
                      .end_ns = end_ns,
                      .bytes = t_call.bytes,
                      .rank = t_call.target});
    }
    t_call.begin_ns = 0;
}

}  // namespace armci::core

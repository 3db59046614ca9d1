// SPDX-License-Identifier: BSD-3-Clause
#include "core/job/tracing.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/absolute_path.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/trace_file.h"
#include "core/job/mpi_collectives.h"
#include "core/job/world.h"

namespace armci::core {
namespace {

using base::now_ns;

// The most events in a file, for each thread that has any. A file with more is replaced by one with
// the events that threads keep.
constexpr uint64_t kMaxEvents = 2 * base::kTraceCapacity;
constexpr auto kLongestWait = std::chrono::seconds(1);

// There is one timeline in a process.
struct Output {
    std::string path;
    base::TraceProcess process;
    pid_t pid = 0;
    std::timed_mutex mutex;  // guards what follows
    std::unique_ptr<base::TraceFile> file;
    int error = 0;  // errno of what could not be written
};
// Never destroyed: a thread may write when the process exits without ARMCI_Finalize.
Output& g_output = *new Output;

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

// Returns what to add to this node's clock to get node 0's, as read in the middle of the shortest
// round trip. A difference below half a round trip counts as none, so that a common clock is
// recognised.
// docs/references.md: Cristian 1989
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
    mpi::bcast(&offset_ns, 1, MPI_INT64_T, 0, world.node_comm);
    return offset_ns;
}

// --- Files ---

void open_file(const char* function, const std::string& given) {
    Output& output = g_output;
    output.path = base::absolute_path(given + "." + std::to_string(output.process.rank) + ".json");
    const int fd = ::open(output.path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        base::fatal(function,
                    "ARMCI_TRACE=\"%s\": %s cannot be written (%s); name a path in a directory "
                    "that exists on every node and may be written to, or unset it",
                    given.c_str(), output.path.c_str(), std::strerror(errno));
    }
    output.file = std::make_unique<base::TraceFile>(fd, output.process);
}

// Writes what threads keep to a new file, which replaces the other when it is complete.
void write_anew(Output& output) {
    const std::string path = output.path + ".part";
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        output.error = errno;
        return;
    }
    auto file = std::make_unique<base::TraceFile>(fd, output.process);
    file->append(base::trace_threads());
    output.error = file->error();
    if (output.error == 0 && ::rename(path.c_str(), output.path.c_str()) != 0) {
        output.error = errno;
    }
    if (output.error == 0) {
        output.file = std::move(file);
    } else {
        ::unlink(path.c_str());
    }
}

// Writes both measurements of the clock, with the newest events only.
void complete_file() {
    Output& output = g_output;
    const std::lock_guard<std::timed_mutex> lock(output.mutex);
    bool is_anew = output.process.clock.offset_ns != output.process.clock.end_offset_ns;
    for (const base::TraceThread* thread : base::trace_threads()) {
        is_anew |= thread->ring.dropped() > 0;
    }
    if (is_anew) {
        write_anew(output);
    } else {
        output.file->append(base::trace_threads());
        output.error = output.file->error();
    }
    if (output.error != 0) {
        ARMCI_LOG_WARN("ARMCI_TRACE: %s is not complete (%s); give it a place with more room",
                       output.path.c_str(), std::strerror(output.error));
    }
    output.file.reset();
}

// One warning is for all ranks.
void warn_of_dropped(const World& world) {
    uint64_t counts[2] = {0, 0};  // recorded, dropped
    for (const base::TraceThread* thread : base::trace_threads()) {
        counts[0] += thread->ring.kept() + thread->ring.dropped();
        counts[1] += thread->ring.dropped();
    }
    mpi::reduce(counts, 2, MPI_UINT64_T, MPI_SUM, 0, world.comm);
    if (world.rank == 0 && counts[1] > 0) {
        ARMCI_LOG_WARN("ARMCI_TRACE: %" PRIu64 " of %" PRIu64
                       " events are not in the files, which have the newest %zu of each thread; "
                       "trace a shorter job to see all",
                       counts[1], counts[0], base::kTraceCapacity - 1);
    }
}

}  // namespace

void start_tracing(const World& world, const base::Config& config, const char* function) {
    const std::string& given = config.trace;
    if (given.empty()) {
        return;
    }
    g_output.process = {};
    g_output.process.rank = world.rank;
    g_output.process.ranks = world.size;
    g_output.process.host = host_name();
    g_output.pid = getpid();
    g_output.error = 0;
    base::TraceClock& clock = g_output.process.clock;
    clock.offset_ns = measure_offset(world);
    clock.begin_ns = now_ns();
    clock.zero_ns = clock.begin_ns;
    mpi::bcast(&clock.zero_ns, 1, MPI_INT64_T, 0, world.comm);
    // One rank's message is enough when none can write there.
    if (world.rank == 0) {
        open_file(function, given);
    }
    mpi::barrier(world.comm);
    if (world.rank != 0) {
        open_file(function, given);
    }
    base::start_trace();
    base::set_output_hook(update_trace);
}

void stop_tracing(const World& world) {
    if (!base::is_tracing()) {
        return;
    }
    base::stop_trace();
    base::set_output_hook(nullptr);
    base::TraceClock& clock = g_output.process.clock;
    clock.end_offset_ns = measure_offset(world);
    clock.end_ns = now_ns();
    warn_of_dropped(world);
    complete_file();
    base::forget_trace();
}

// The lock may be held by the very thread that a signal handler has interrupted.
void update_trace() {
    Output& output = g_output;
    if (getpid() != output.pid || !output.mutex.try_lock_for(kLongestWait)) {
        return;
    }
    const std::lock_guard<std::timed_mutex> lock(output.mutex, std::adopt_lock);
    if (output.file == nullptr || output.error != 0) {
        return;
    }
    const std::vector<const base::TraceThread*> threads = base::trace_threads();
    output.file->append(threads);
    output.error = output.file->error();
    if (output.error == 0 &&
        (output.file->missing() > 0 || output.file->events() > kMaxEvents * threads.size())) {
        write_anew(output);
    }
}

}  // namespace armci::core

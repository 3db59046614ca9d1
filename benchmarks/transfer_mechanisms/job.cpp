// SPDX-License-Identifier: BSD-3-Clause
#include "job.h"

#include "measure.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <thread>

namespace armci::mechanisms {

namespace {

// Each side stays on a processor of its own if there are two, so that each has its own caches.
void keep_to_one_processor(Side side) {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2) {
        return;
    }
    size_t skip = index_of(side);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &allowed) && skip-- == 0) {
            cpu_set_t one;
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            sched_setaffinity(0, sizeof one, &one);
            return;
        }
    }
}

[[noreturn]] void be_side(Side side, const Kind& kind, const Options& options, Shared* shared,
                          int socket, Results* results) {
    // A side would wait without end for one that has ended.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    keep_to_one_processor(side);
    Pair pair(shared, side, socket);
    measure(kind, options, pair, results);
    std::fflush(nullptr);
    _exit(0);
}

std::string describe_end(int status) {
    if (WIFSIGNALED(status)) {
        return "a process ended by signal " + std::to_string(WTERMSIG(status));
    }
    return "a process ended with status " + std::to_string(WEXITSTATUS(status));
}

// Describes how the first process that failed ended; empty if none failed.
std::string wait_for(std::array<pid_t, 2> processes, int64_t timeout_s) {
    using Clock = std::chrono::steady_clock;
    const auto limit = Clock::now() + std::chrono::seconds(timeout_s);
    std::string failure;
    size_t running = processes.size();
    while (running > 0) {
        int status = 0;
        size_t ended = 0;
        while (ended < processes.size() &&
               (processes[ended] == 0 || waitpid(processes[ended], &status, WNOHANG) == 0)) {
            ended++;
        }
        if (ended < processes.size()) {
            processes[ended] = 0;
            running--;
            if (status == 0 || !failure.empty()) {
                continue;
            }
            failure = describe_end(status);
        } else if (Clock::now() > limit && failure.empty()) {
            failure = "did not end in " + std::to_string(timeout_s) + " s (--timeout)";
        } else {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            continue;
        }
        // The other process would wait without end.
        for (const pid_t process : processes) {
            if (process != 0) {
                kill(process, SIGKILL);
            }
        }
    }
    return failure;
}

}  // namespace

JobResult run_job(const Kind& kind, const Options& options) {
    JobResult job;
    job.kind = &kind;
    job.results = std::make_unique<Inherited<Results>>();
    const Inherited<Shared> shared;
    std::array<int, 2> sockets{};
    if (job.results->get() == nullptr || shared.get() == nullptr ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) {
        job.failure = std::string("cannot prepare the processes: ") + std::strerror(errno);
        return job;
    }
    std::fflush(nullptr);
    std::array<pid_t, 2> processes{};
    for (const Side side : {Side::source, Side::destination}) {
        const size_t index = index_of(side);
        processes[index] = fork();
        if (processes[index] == 0) {
            be_side(side, kind, options, shared.get(), sockets[index], job.results->get());
        }
        if (processes[index] < 0) {
            job.failure = std::string("fork: ") + std::strerror(errno);
            processes[index] = 0;
            break;
        }
    }
    if (options.count > 0) {
        std::printf("%s source %d destination %d\n", kind.name, processes[0], processes[1]);
    }
    if (!job.failure.empty()) {
        if (processes[0] != 0) {
            kill(processes[0], SIGKILL);
            waitpid(processes[0], nullptr, 0);
        }
    } else {
        job.failure = wait_for(processes, options.timeout_s);
    }
    for (const int socket : sockets) {
        close(socket);
    }
    if (shared.get()->failed.load(std::memory_order_acquire)) {
        job.failure = shared.get()->failure.data();
    }
    return job;
}

}  // namespace armci::mechanisms

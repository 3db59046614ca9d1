// SPDX-License-Identifier: BSD-3-Clause
#include "libc.h"

#include <linux/futex.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdarg>
#include <ctime>
#include <map>

#include "fiber.h"
#include "simulation.h"

namespace armci::sim {
namespace {

struct WaitFd {
    bool (*is_ready)(const void* context) = nullptr;
    const void* context = nullptr;
};
std::map<int, WaitFd> g_wait_fds;

}  // namespace

void remember_wait_fd(int fd, bool (*is_ready)(const void* context), const void* context) {
    g_wait_fds[fd] = {is_ready, context};
}

void forget_wait_fd(int fd) {
    g_wait_fds.erase(fd);
}

}  // namespace armci::sim

extern "C" {

int __real_ppoll(pollfd* fds, nfds_t count, const timespec* longest, const sigset_t* mask);
long __real_syscall(long number, ...);

int __wrap_clock_gettime(clockid_t, timespec* time) {
    const int64_t ns = armci::sim::simulated_ns();
    time->tv_sec = ns / 1'000'000'000;
    time->tv_nsec = ns % 1'000'000'000;
    return 0;
}

int __wrap_sched_yield() {
    armci::sim::Fiber::yield();
    return 0;
}

int __wrap_nanosleep(const timespec*, timespec*) {
    armci::sim::Fiber::yield();
    return 0;
}

// A thread that sleeps wakes when there is something, or after some steps, as at its time limit.
int __wrap_ppoll(pollfd* fds, nfds_t count, const timespec* longest, const sigset_t* mask) {
    const auto found =
        count == 1 ? armci::sim::g_wait_fds.find(fds->fd) : armci::sim::g_wait_fds.end();
    if (found == armci::sim::g_wait_fds.end()) {
        return __real_ppoll(fds, count, longest, mask);
    }
    constexpr int64_t kLongestTurns = 16;
    const armci::sim::WaitFd wait = found->second;
    for (int64_t left = armci::sim::draw(1, kLongestTurns); left > 0; --left) {
        armci::sim::Fiber::yield();
        if (wait.is_ready(wait.context)) {
            fds->revents = POLLIN;
            return 1;
        }
    }
    return 0;
}

ssize_t __wrap_getrandom(void* data, size_t bytes, unsigned int) {
    for (size_t i = 0; i < bytes; ++i) {
        static_cast<unsigned char*>(data)[i] =
            static_cast<unsigned char>(armci::sim::system_numbers()());
    }
    return static_cast<ssize_t>(bytes);
}

// Only calls of the futex are simulated. Other calls get their arguments unchanged.
long __wrap_syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    long arguments[6];
    for (long& argument : arguments) {
        argument = va_arg(list, long);
    }
    va_end(list);
    if (number == SYS_futex) {
        if (arguments[1] == FUTEX_WAIT) {
            armci::sim::Fiber::yield();
        }
        return 0;
    }
    return __real_syscall(number, arguments[0], arguments[1], arguments[2], arguments[3],
                          arguments[4], arguments[5]);
}

}  // extern "C"

// SPDX-License-Identifier: BSD-3-Clause
#include "libc.h"

#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <ctime>

#include "base/log.h"
#include "descriptors.h"
#include "fiber.h"
#include "simulation.h"
#include "threads.h"
#include "timeline.h"

namespace armci::sim {
namespace libc {
namespace {

constexpr int64_t kLongestTurns = 16;

int g_processors = 1;
bool g_in_earnest = false;
bool g_owes_turn = false;
int g_failing = -1;

int64_t in_ns(const timespec& time) {
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

// Does nothing, or lasts until an event or that long, and a wake-up by the kernel.
template <class IsAwake>
void sleep_in_time(int64_t longest_ns, IsAwake&& is_awake) {
    const int64_t end_ns = timed_ns() + longest_ns;
    bool has_slept = false;
    while (!is_awake() && timed_ns() < end_ns) {
        wait_for_event(end_ns - timed_ns());
        has_slept = true;
    }
    spend(has_slept ? machine().wake_ns : 0);
}

// A thread that sleeps wakes when is_awake(), or after some turns, or at its time limit. nullptr:
// there is none.
template <class IsAwake>
void sleep_until(const int64_t* longest_ns, IsAwake&& is_awake) {
    if (is_timed()) {
        sleep_in_time(longest_ns != nullptr ? *longest_ns : kForever, is_awake);
        return;
    }
    const bool in_earnest = g_in_earnest || longest_ns == nullptr;
    const int64_t end_ns = longest_ns != nullptr ? simulated_ns() + *longest_ns : INT64_MAX;
    for (int64_t left = in_earnest ? INT64_MAX : draw(1, kLongestTurns); left > 0; --left) {
        Fiber::yield();
        if (is_awake() || (in_earnest && simulated_ns() >= end_ns)) {
            return;
        }
    }
}

}  // namespace
}  // namespace libc

void set_processors(int count) {
    libc::g_processors = count;
}

void sleep_in_earnest(bool in_earnest) {
    libc::g_in_earnest = in_earnest;
    libc::g_owes_turn = false;
    libc::g_failing = -1;
}

void owe_turn() {
    libc::g_owes_turn = true;
}

void make_fail(int process) {
    libc::g_failing = process;
}

}  // namespace armci::sim

namespace sim = armci::sim;
namespace libc = armci::sim::libc;

extern "C" {

int __real_close(int fd);
ssize_t __real_read(int fd, void* data, size_t bytes);
ssize_t __real_write(int fd, const void* data, size_t bytes);
int __real_ppoll(pollfd* fds, nfds_t count, const timespec* longest, const sigset_t* mask);
long __real_syscall(long number, ...);
[[noreturn]] void __real__Exit(int code);

// --- Time ----------------------------------------------------------------------------------------

int __wrap_clock_gettime(clockid_t, timespec* time) {
    if (libc::g_owes_turn) {
        libc::g_owes_turn = false;
        sim::Fiber::yield();
    }
    const int64_t ns = sim::simulated_ns();
    time->tv_sec = ns / 1'000'000'000;
    time->tv_nsec = ns % 1'000'000'000;
    return 0;
}

int __wrap_sched_yield() {
    sim::Fiber::yield();
    if (libc::g_failing >= 0 && libc::g_failing == sim::acting_process() &&
        sim::Fiber::is_inside()) {
        libc::g_failing = -1;
        armci::base::fatal("ARMCI_Put", "an error of the program");
    }
    return 0;
}

int __wrap_nanosleep(const timespec* time, timespec*) {
    if (sim::is_timed()) {
        sim::pause_for(libc::in_ns(*time) + sim::machine().wake_ns);
        return 0;
    }
    if (libc::g_in_earnest) {
        const int64_t longest_ns = libc::in_ns(*time);
        libc::sleep_until(&longest_ns, [] { return false; });
    } else {
        sim::Fiber::yield();
    }
    return 0;
}

// --- Descriptors ---------------------------------------------------------------------------------

int __wrap_eventfd(unsigned int, int) {
    return sim::open_event();
}

int __wrap_close(int fd) {
    if (!sim::is_simulated(fd)) {
        return __real_close(fd);
    }
    sim::close_simulated(fd);
    return 0;
}

ssize_t __wrap_read(int fd, void* data, size_t bytes) {
    return sim::is_simulated(fd) ? sim::read_event(fd, data, bytes) : __real_read(fd, data, bytes);
}

ssize_t __wrap_write(int fd, const void* data, size_t bytes) {
    if (!sim::is_simulated(fd)) {
        return __real_write(fd, data, bytes);
    }
    const ssize_t written = sim::write_event(fd, data, bytes);
    if (sim::is_timed()) {  // the threads of this process wait for it
        sim::wake({sim::acting_process(), false}, sim::timed_ns());
        sim::wake({sim::acting_process(), true}, sim::timed_ns());
    }
    return written;
}

ssize_t __wrap_send(int fd, const void* data, size_t bytes, int) {
    return sim::send_to_stream(fd, data, bytes);
}

ssize_t __wrap_recv(int fd, void* data, size_t bytes, int) {
    return sim::receive_from_stream(fd, data, bytes);
}

int __wrap_ppoll(pollfd* fds, nfds_t count, const timespec* longest, const sigset_t* mask) {
    if (!sim::is_simulated(fds->fd)) {
        return __real_ppoll(fds, count, longest, mask);
    }
    int ready = 0;
    const int64_t longest_ns = longest != nullptr ? libc::in_ns(*longest) : 0;
    libc::sleep_until(longest != nullptr ? &longest_ns : nullptr, [&] {
        for (nfds_t i = 0; i < count; ++i) {
            fds[i].revents = sim::is_readable(fds[i].fd) ? POLLIN : 0;
            ready += fds[i].revents != 0 ? 1 : 0;
        }
        return ready > 0;
    });
    return ready;
}

int __wrap_epoll_create1(int) {
    return sim::open_epoll();
}

int __wrap_epoll_ctl(int epoll, int, int fd, epoll_event* event) {
    sim::watch_in_epoll(epoll, fd, *event);
    return 0;
}

int __wrap_epoll_wait(int epoll, epoll_event* events, int count, int longest_ms) {
    int ready = 0;
    const int64_t longest_ns = int64_t{longest_ms} * 1'000'000;
    libc::sleep_until(&longest_ns, [&] {
        ready = sim::ready_in_epoll(epoll, events, count);
        return ready > 0;
    });
    return ready;
}

// Nobody has to read the output of a simulated process.
int __wrap_ioctl(int, unsigned long, ...) {
    errno = ENOTTY;
    return -1;
}

// --- Processes -----------------------------------------------------------------------------------

int __wrap_sched_getaffinity(pid_t, size_t bytes, cpu_set_t* set) {
    CPU_ZERO_S(bytes, set);
    for (int cpu = 0; cpu < libc::g_processors; ++cpu) {
        CPU_SET_S(static_cast<size_t>(cpu), bytes, set);
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

[[noreturn]] void __wrap__Exit(int code) {
    if (!sim::Fiber::is_inside()) {
        __real__Exit(code);
    }
    sim::exit_process(code);
}

// The last resort of a process that ends. It is to end before.
int __wrap_timer_create(clockid_t, sigevent*, timer_t*) {
    return 0;
}

int __wrap_timer_settime(timer_t, int, const itimerspec*, itimerspec*) {
    return 0;
}

// Only calls of the futex are simulated, and wishes about threads are refused. Other calls get
// their arguments unchanged.
long __wrap_syscall(long number, ...) {
    if (number == SYS_sched_getattr) {
        errno = EPERM;
        return -1;
    }
    va_list list;
    va_start(list, number);
    long arguments[6];
    for (long& argument : arguments) {
        argument = va_arg(list, long);
    }
    va_end(list);
    if (number == SYS_futex) {
        if (arguments[1] == FUTEX_WAIT) {
            sim::Fiber::yield();
        }
        return 0;
    }
    return __real_syscall(number, arguments[0], arguments[1], arguments[2], arguments[3],
                          arguments[4], arguments[5]);
}

}  // extern "C"

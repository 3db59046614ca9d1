// SPDX-License-Identifier: BSD-3-Clause
#include "datasrv/server_thread.h"

#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/clock.h"
#include "base/log.h"
#include "base/scheduling.h"
#include "base/topology.h"
#include "base/trace.h"
#include "datasrv/service.h"

namespace armci::datasrv {
namespace {

constexpr int kBacklogSleepMs = 1;
constexpr int64_t kInlineNs =
    100'000;  // how long the thread leaves the work to an inline caller after its last turn
constexpr int64_t kShortInlineNs = 50'000;  // inline progress of at most this length lets a
                                            // sleeping thread sleep
constexpr int kShortestAsideUs = 50;
constexpr int kLongestAsideUs = 12'800;
// The limit where an inline caller may lose its processor to another rank in the middle.
constexpr int kLongestOversubscribedAsideUs = 400;
constexpr int kFirstNapUs = 20;
constexpr int kLongestNapUs = 2000;

void sleep_us(int64_t us) {
    const base::TraceSpan span(base::kTraceAsleep);
    const timespec time{us / 1'000'000, (us % 1'000'000) * 1000};
    nanosleep(&time, nullptr);
}

}  // namespace

bool ServerThread::open(std::string* error) {
    if (!wake_up_.open()) {
        *error = std::string("eventfd for the data server: ") + std::strerror(errno);
        return false;
    }
    return true;
}

bool ServerThread::watch_network(const ServerOptions& options, bool wakes_surely,
                                 std::string* error) {
    options_ = options;
    wakes_surely_ = wakes_surely;
    if (service_.wait_mode() != fabric::WaitMode::fd) {
        return true;
    }
    epoll_ = base::Descriptor(epoll_create1(EPOLL_CLOEXEC));
    epoll_event queue_event{};
    queue_event.events = EPOLLIN;
    queue_event.data.fd = service_.wait_fd();
    epoll_event wake_event{};
    wake_event.events = EPOLLIN;
    wake_event.data.fd = wake_up_.fd();
    if (!epoll_.valid() ||
        epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, service_.wait_fd(), &queue_event) != 0 ||
        epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_up_.fd(), &wake_event) != 0) {
        *error = std::string("epoll for the data server: ") + std::strerror(errno);
        return false;
    }
    return true;
}

bool ServerThread::start() {
    stopping_.store(false);
    return thread_.start<&ServerThread::run>(kName, *this);
}

void ServerThread::stop() {
    if (thread_.is_started()) {
        stopping_.store(true);
        wake();
        thread_.join();
    }
}

void ServerThread::close() {
    epoll_.reset();
    wake_up_.close();
}

void ServerThread::run() {
    base::name_trace_thread("data server");
    base::ask_for_short_slices();  // ranks that spin must not keep requests waiting
    if (options_.processor >= 0 && !base::bind_this_thread(options_.processor)) {
        ARMCI_LOG_INFO("the data server cannot be bound to processor %d", options_.processor);
    }
    const bool sleeps_long = wakes_surely_ && options_.poll_sleep_us == 0;
    idling_ = Idling({options_.poll, options_.spin_us * 1000, sleeps_long}, base::now_ns());
    int aside_us = kShortestAsideUs;
    while (!stopping_.load(std::memory_order_relaxed)) {
        turn(&aside_us);
    }
}

// Polls once, and then yields or sleeps if there is a reason to. Or it leaves the turn to an inline
// caller, longer each time.
void ServerThread::turn(int* aside_us) {
    const int64_t begin_ns = base::now_ns();
    if (options_.poll != base::ServerPoll::spin &&
        begin_ns - last_inline_ns_.load(std::memory_order_relaxed) < kInlineNs) {
        yield_to_caller(*aside_us);
        idling_.was_away();
        *aside_us =
            std::min(2 * *aside_us,
                     options_.is_oversubscribed ? kLongestOversubscribedAsideUs : kLongestAsideUs);
        return;
    }
    *aside_us = kShortestAsideUs;
    idling_.see_rank(is_rank_asleep_.load(std::memory_order_relaxed));
    const bool moved = poll_once();
    const int64_t end_ns = base::now_ns();
    const bool polls_again = idling_.polls_again(moved, end_ns - begin_ns, end_ns);
    if (moved) {
        nap_us_ = kFirstNapUs;
        if (base::is_tracing()) [[unlikely]] {
            base::record({.kind = &base::kTraceTurn, .begin_ns = begin_ns, .end_ns = end_ns});
        }
    } else if (options_.poll_sleep_us > 0) {
        sleep_us(options_.poll_sleep_us);
        idling_.was_away();
    } else if (polls_again || service_.is_copying()) {
        sched_yield();
    } else if (!sleep_until_event()) {
        idling_.was_away();
    }
}

bool ServerThread::is_woken_by_network() const {
    return options_.poll_sleep_us == 0 && service_.wait_mode() != fabric::WaitMode::nap;
}

bool ServerThread::progress_inline() {
    if (!service_.mutex.try_lock()) {
        return false;
    }
    const int64_t now_ns = base::now_ns();
    last_inline_ns_.store(now_ns, std::memory_order_relaxed);
    send_aside(now_ns);
    const bool moved = service_.progress();
    if (moved && base::is_tracing()) [[unlikely]] {
        base::record({.kind = &base::kTraceTurn, .begin_ns = now_ns, .end_ns = base::now_ns()});
    }
    left_backlog_.store(service_.has_backlog(), std::memory_order_relaxed);
    service_.mutex.unlock();
    return moved;
}

bool ServerThread::poll_once() {
    if (options_.poll != base::ServerPoll::spin) {
        service_.mutex.lock();
    } else if (!service_.mutex.try_lock()) {
        return false;  // an inline caller is serving, and waiting for it would be a sleep
    }
    const bool moved = service_.progress();
    service_.mutex.unlock();
    return moved;
}

// A thread that is asleep is woken for every message, and sleeps again inside the kernel when an
// inline caller was quicker. It never learns of that caller, so it has to be notified. This is not
// done at once, because it costs as much as a short wait. It is not done either where the caller
// may lose its processor, because waking the thread is then of use.
void ServerThread::send_aside(int64_t now_ns) {
    if (options_.is_oversubscribed) {
        return;
    }
    const int64_t first_ns = first_inline_ns_.load(std::memory_order_relaxed);
    if (first_ns == 0) {
        first_inline_ns_.store(now_ns, std::memory_order_relaxed);
    } else if (now_ns - first_ns > kShortInlineNs && is_asleep_.load(std::memory_order_relaxed) &&
               is_asleep_.exchange(false)) {
        wake();
    }
}

// Leaves the work to an inline caller until its progress ends; the time is longer the longer that
// continues.
void ServerThread::yield_to_caller(int64_t us) {
    is_aside_.store(true);
    if (last_inline_ns_.load() == 0) {  // the caller has stopped before it could see that
        is_aside_.store(false);
        return;
    }
    pollfd event{wake_up_.fd(), POLLIN, 0};
    const timespec longest{0, us * 1000};
    const base::TraceSpan span(base::kTraceAsleep);
    if (ppoll(&event, 1, &longest, nullptr) > 0) {
        take_event();
    }
    is_aside_.store(false);
}

void ServerThread::end_inline_progress() {
    first_inline_ns_.store(0, std::memory_order_relaxed);
    last_inline_ns_.store(0);
    // The thread may be asleep, and not know of work that an inline caller could not finish.
    if (is_aside_.exchange(false) || left_backlog_.exchange(false)) {
        wake();
    }
}

void ServerThread::wake() {
    if (!wake_up_.set()) {
        ARMCI_LOG_DEBUG("waking the data server: %s", std::strerror(errno));
    }
}

void ServerThread::take_event() {
    if (!wake_up_.take()) {
        ARMCI_LOG_DEBUG("the data server's event was taken by another thread");
    }
}

// Returns true when the network has ended the sleep, or prevented it.
bool ServerThread::sleep_until_event() {
    switch (service_.wait_mode()) {
        case fabric::WaitMode::fd:
            return sleep_on_descriptors();
        case fabric::WaitMode::sread:
            return sleep_in_provider();
        case fabric::WaitMode::nap:
            nap();
            return false;
    }
    return false;
}

bool ServerThread::sleep_on_descriptors() {
    bool backlog = false;
    {
        const base::MutexLock lock(service_.mutex);
        if (!service_.may_sleep()) {
            return true;
        }
        backlog = service_.has_backlog();
    }
    epoll_event events[2];
    is_asleep_.store(true, std::memory_order_relaxed);
    const int longest_ms = backlog ? kBacklogSleepMs : idling_.sleep_ms();
    int count = 0;
    {
        const base::TraceSpan span(base::kTraceAsleep);
        count = epoll_wait(epoll_.get(), events, 2, longest_ms);
    }
    is_asleep_.store(false, std::memory_order_relaxed);
    idling_.woke(count == 0 && !backlog);
    bool by_network = false;
    for (int i = 0; i < count; ++i) {
        if (events[i].data.fd == wake_up_.fd()) {
            take_event();
        } else {
            by_network = true;
        }
    }
    return by_network;
}

// An inline caller finds the mutex taken meanwhile, and this thread awake if there is something to
// do. Only the network wakes it, so it never sleeps long.
bool ServerThread::sleep_in_provider() {
    const base::MutexLock lock(service_.mutex);
    const base::TraceSpan span(base::kTraceAsleep);
    return service_.endpoint().poll_blocking(service_.has_backlog() ? kBacklogSleepMs
                                                                    : Idling::kShortestSleepMs) > 0;
}

// Naps grow while nothing happens, so that an idle server costs next to nothing; They have a limit,
// because a request that comes meanwhile waits for their end.
void ServerThread::nap() {
    nap_us_ = std::clamp(nap_us_, kFirstNapUs, kLongestNapUs);
    sleep_us(nap_us_);
    nap_us_ = std::min(2 * nap_us_, kLongestNapUs);
}

}  // namespace armci::datasrv

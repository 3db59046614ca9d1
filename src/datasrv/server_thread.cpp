// SPDX-License-Identifier: BSD-3-Clause
// The data server's thread: when it polls, when it sleeps, and when it steps aside.
//
// It polls while there is work and for a moment after (idling.h), then sleeps in the kernel until
// the provider's descriptor or its own event wakes it. While the rank that hosts it waits inside
// the library that rank serves requests itself (help()), without a wake-up; the thread then keeps
// out of its way with short naps, because on a busy machine it would only take a core from a rank
// that computes. A thread that shall always poll has a core of its own and does not step aside: it
// would have to be woken.
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/clock.h"
#include "base/log.h"
#include "base/scheduling.h"
#include "base/topology.h"
#include "base/trace.h"
#include "datasrv/server.h"

namespace armci::datasrv {
namespace {

constexpr int kBacklogSleepMs = 1;
constexpr int64_t kInlineNs = 100'000;  // how long after help() the thread leaves the work to it
constexpr int64_t kShortInlineNs = 50'000;  // for which a sleeping thread is let sleep
constexpr int kShortestAsideUs = 50;
constexpr int kLongestAsideUs = 12'800;
// Where a helper may lose its processor to another rank in the middle.
constexpr int kLongestOversubscribedAsideUs = 400;
constexpr int kFirstNapUs = 20;
constexpr int kLongestNapUs = 2000;

void sleep_us(int64_t us) {
    const base::TraceSpan span(base::kTraceAsleep);
    const timespec time{us / 1'000'000, (us % 1'000'000) * 1000};
    nanosleep(&time, nullptr);
}

}  // namespace

bool Server::start_thread() {
    stopping_.store(false);
    return thread_.start(
        kThreadName, [](void* server) { static_cast<Server*>(server)->run(); }, this);
}

void Server::run() {
    base::name_trace_thread("data server");
    base::ask_for_short_slices();  // ranks that spin must not keep requests waiting
    if (options_.processor >= 0 && !base::bind_this_thread(options_.processor)) {
        ARMCI_LOG_INFO("the data server cannot be bound to processor %d", options_.processor);
    }
    const bool always_polls = options_.poll == base::ServerPoll::spin;
    const bool sleeps_long = domain_->row().wakes_surely && options_.poll_sleep_us == 0;
    idling_ = Idling({options_.poll, options_.spin_us * 1000, sleeps_long}, base::now_ns());
    const int longest_aside_us =
        options_.is_oversubscribed ? kLongestOversubscribedAsideUs : kLongestAsideUs;
    int aside_us = kShortestAsideUs;
    while (!stopping_.load(std::memory_order_relaxed)) {
        const int64_t begin_ns = base::now_ns();
        if (!always_polls &&
            begin_ns - last_inline_ns_.load(std::memory_order_relaxed) < kInlineNs) {
            yield_to_caller(aside_us);
            idling_.was_away();
            aside_us = std::min(2 * aside_us, longest_aside_us);
            continue;
        }
        aside_us = kShortestAsideUs;
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
        } else if (polls_again || is_copying_.load(std::memory_order_relaxed)) {
            sched_yield();
        } else if (!sleep_until_event()) {
            idling_.was_away();
        }
    }
}

bool Server::poll_once() {
    std::unique_lock<std::mutex> lock(mutex_, std::defer_lock);
    if (options_.poll != base::ServerPoll::spin) {
        lock.lock();
    } else if (!lock.try_lock()) {
        return false;  // a helper is at it, and waiting for it would be a sleep
    }
    return progress();
}

// A thread that is asleep is woken for every message, and lets itself be put to sleep again inside
// the kernel when it finds that the helper was quicker, so it never learns of the helper; it has
// to be told. Not at once, because that costs as much as a short wait; and not where the helper may
// lose its processor, for then being woken is not without success.
void Server::send_aside(int64_t now_ns) {
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

// Out of the way of a helper, longer while the help goes on, until it calls.
void Server::yield_to_caller(int64_t us) {
    is_aside_.store(true);
    if (last_inline_ns_.load() == 0) {  // the helper has gone before it could see that
        is_aside_.store(false);
        return;
    }
    pollfd event{wake_up_.get(), POLLIN, 0};
    const timespec longest{0, us * 1000};
    const base::TraceSpan span(base::kTraceAsleep);
    if (ppoll(&event, 1, &longest, nullptr) > 0) {
        take_event();
    }
    is_aside_.store(false);
}

void Server::end_inline_progress() {
    first_inline_ns_.store(0, std::memory_order_relaxed);
    last_inline_ns_.store(0);
    // The thread may be asleep, and not know of what a helper could not finish.
    if (is_aside_.exchange(false) || left_backlog_.exchange(false)) {
        wake();
    }
}

void Server::wake() {
    const uint64_t one = 1;
    if (::write(wake_up_.get(), &one, sizeof one) != sizeof one) {
        ARMCI_LOG_DEBUG("waking the data server: %s", std::strerror(errno));
    }
}

void Server::take_event() {
    uint64_t value = 0;
    if (::read(wake_up_.get(), &value, sizeof value) != sizeof value) {
        ARMCI_LOG_DEBUG("the data server's event was taken by another thread");
    }
}

// True when the network has ended the sleep, or prevented it.
bool Server::sleep_until_event() {
    switch (endpoint_.wait_mode()) {
        case fabric::WaitMode::fd: {
            bool backlog = false;
            {
                const std::lock_guard<std::mutex> lock(mutex_);
                if (!endpoint_.may_sleep()) {
                    return true;
                }
                backlog = has_backlog();
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
                if (events[i].data.fd == wake_up_.get()) {
                    take_event();
                } else {
                    by_network = true;
                }
            }
            return by_network;
        }
        case fabric::WaitMode::sread: {
            // Whoever wants to help meanwhile finds the mutex taken, and this thread awake if
            // there is something to do. Nothing but the network wakes it, so it never sleeps long.
            const std::lock_guard<std::mutex> lock(mutex_);
            const base::TraceSpan span(base::kTraceAsleep);
            return endpoint_.poll_blocking(has_backlog() ? kBacklogSleepMs
                                                         : Idling::kShortestSleepMs) > 0;
        }
        case fabric::WaitMode::nap:
            nap();
            return false;
    }
    return false;
}

// Naps grow while nothing happens, so that an idle server costs next to nothing; no further,
// because a request that comes meanwhile waits for their end.
void Server::nap() {
    nap_us_ = std::clamp(nap_us_, kFirstNapUs, kLongestNapUs);
    sleep_us(nap_us_);
    nap_us_ = std::min(2 * nap_us_, kLongestNapUs);
}

}  // namespace armci::datasrv

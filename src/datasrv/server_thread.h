// SPDX-License-Identifier: BSD-3-Clause
// The thread of a data server: when it polls, when it sleeps, and when it yields to a rank that
// serves requests itself.
//
// It polls while there is work and for a moment after (idling.h), then sleeps in the kernel until
// the provider's descriptor or its own event wakes it. While the rank that hosts it waits inside
// the library, that rank serves requests itself (progress_inline()), without a wake-up. The thread
// then yields to it with short naps, because on a busy machine it would only take a core from a
// rank that computes. A thread that is set to poll always has a core of its own. It does not yield,
// because it would have to be woken.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/descriptor.h"
#include "base/thread.h"
#include "base/wake_up.h"
#include "datasrv/idling.h"
#include "datasrv/server_options.h"

namespace armci::datasrv {

class Service;

// Any thread may call these functions, except open(), start(), stop() and close(), which one thread
// calls.
class ServerThread {
  public:
    // The name that the system shows (ps -L, top -H).
    static constexpr const char* kName = "armci-server";

    // The thread and inline callers take turns at the service.
    explicit ServerThread(Service& service) : service_(service) {}

    // Opens its own event, which wake() needs.
    bool open(std::string* error);
    // Sets what the thread sleeps on. The service must be open. `wakes_surely` says that the
    // provider's wake-ups can be trusted.
    bool watch_network(const ServerOptions& options, bool wakes_surely, std::string* error);
    // Returns false when the system refuses a thread.
    bool start();
    // Waits for the thread's end. The thread need not have been started.
    void stop();
    // Is called after stop().
    void close();

    // Serves what has come on the calling thread, unless another thread is serving. Returns true
    // when something was done.
    bool progress_inline();
    // Is called when the caller stops serving. The thread takes over at once.
    void end_inline_progress();
    // Returns whether a request ends the thread's sleep at once. If not, the thread naps, and a
    // rank that calls progress_inline() serves requests sooner.
    bool is_woken_by_network() const;
    // Is called when the rank that hosts the server goes to sleep in the library, and when it wakes
    // up.
    void set_rank_asleep(bool is_asleep) {
        is_rank_asleep_.store(is_asleep, std::memory_order_relaxed);
    }
    // Ends a sleep.
    void wake();

  private:
    void run();
    void turn(int* aside_us);
    bool poll_once();
    bool sleep_until_event();
    bool sleep_on_descriptors();
    bool sleep_in_provider();
    void send_aside(int64_t now_ns);
    void yield_to_caller(int64_t us);
    void take_event();
    void nap();

    Service& service_;
    ServerOptions options_;
    bool wakes_surely_ = false;
    base::WakeUp wake_up_;
    base::Descriptor epoll_;  // for that event and the provider's
    base::Thread thread_;
    std::atomic<bool> stopping_{false};
    std::atomic<int64_t> first_inline_ns_{0};  // since the last inline caller stopped, if not 0
    std::atomic<int64_t> last_inline_ns_{0};
    std::atomic<bool> is_rank_asleep_{false};
    std::atomic<bool> is_asleep_{false};     // the thread waits for the network
    std::atomic<bool> is_aside_{false};      // the thread leaves the work to an inline caller
    std::atomic<bool> left_backlog_{false};  // the last inline caller did so
    Idling idling_;                          // only the thread uses it, and the next
    int nap_us_ = 0;
};

}  // namespace armci::datasrv

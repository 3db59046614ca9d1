// SPDX-License-Identifier: BSD-3-Clause
// The thread of a data server: when it polls, when it sleeps, and when it yields to a rank that
// serves requests itself.
//
// It polls while there is work and for a moment after (idling.h), then sleeps in the kernel until
// the provider's descriptor or its own event wakes it. While the rank that hosts it waits inside
// the library that rank serves requests itself (progress_inline()), without a wake-up; the thread
// then keeps out of its way with short naps, because on a busy machine it would only take a core
// from a rank that computes. A thread that shall always poll has a core of its own and does not
// yield: it would have to be woken.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/thread.h"
#include "datasrv/idling.h"
#include "datasrv/server_options.h"
#include "node/descriptor.h"

namespace armci::datasrv {

class Service;

// Functions are for any thread, but for open(), start(), stop() and close(), which are for one.
class ServerThread {
  public:
    // As the system shows it (ps -L, top -H).
    static constexpr const char* kName = "armci-server";

    // The thread and inline callers take turns at the service.
    explicit ServerThread(Service& service) : service_(service) {}

    // Its own event, which wake() needs.
    bool open(std::string* error);
    // What it sleeps on, once the service is open. `wakes_surely`: the provider's wake-ups can be
    // trusted.
    bool watch_network(const ServerOptions& options, bool wakes_surely, std::string* error);
    // False when the system refuses a thread.
    bool start();
    // Waits for its end. The thread need not have been started.
    void stop();
    // After stop().
    void close();

    // Serves what has come on the calling thread, unless another thread is serving. True when
    // something was done.
    bool progress_inline();
    // The caller goes away: the thread takes over at once.
    void end_inline_progress();
    // Whether a request ends its sleep at once; otherwise it naps, and whoever can serves requests
    // sooner.
    bool is_woken_by_network() const;
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
    node::Descriptor wake_up_;  // event for the thread
    node::Descriptor epoll_;    // for that and the provider's
    base::Thread thread_;
    std::atomic<bool> stopping_{false};
    std::atomic<int64_t> first_inline_ns_{0};  // since the last inline caller went away, if not 0
    std::atomic<int64_t> last_inline_ns_{0};
    std::atomic<bool> is_asleep_{false};     // the thread waits for the network
    std::atomic<bool> is_aside_{false};      // the thread leaves the work to an inline caller
    std::atomic<bool> left_backlog_{false};  // the last inline caller did
    Idling idling_;                          // of the thread alone, as is the next
    int nap_us_ = 0;
};

}  // namespace armci::datasrv

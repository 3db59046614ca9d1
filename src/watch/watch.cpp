// SPDX-License-Identifier: BSD-3-Clause
#include "watch/watch.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/clock.h"
#include "base/log.h"

namespace armci::watch {
namespace {

constexpr int64_t kMs = 1'000'000;
// A thread waits so long for the watch until others know.
constexpr int kTellingMs = 500;
constexpr int kLastResortS = 7;
constexpr int64_t kReportsNs = 2'000 * kMs;
constexpr int kChecks = 4;  // for signs of life, in the time that may pass without one

void nap_ms(int ms) {
    const timespec time{ms / 1000, ms % 1000 * 1'000'000};
    nanosleep(&time, nullptr);
}

// Ends this process later, even if it hangs in locks that failed processes hold, or in unread
// output.
void be_killed_soon() {
    sigevent kill{};
    kill.sigev_notify = SIGEV_SIGNAL;
    kill.sigev_signo = SIGKILL;
    timer_t timer{};
    itimerspec when{};
    when.it_value.tv_sec = kLastResortS;
    if (timer_create(CLOCK_MONOTONIC, &kill, &timer) != 0 ||
        timer_settime(timer, 0, &when, nullptr) != 0) {
        ARMCI_LOG_DEBUG("no timer to end this process by: %s", std::strerror(errno));
    }
}

// The watch whose connections a child of this process has to close.
std::atomic<Watch*> g_running{nullptr};

void close_connections_in_child() {
    if (Watch* watch = g_running.load(); watch != nullptr) {
        watch->close_connections();
    }
}

std::string name_of(const Identity& who) {
    return "rank " + std::to_string(who.rank) + " (process " + std::to_string(who.pid) + " on " +
           std::string(who.host, strnlen(who.host, sizeof who.host)) + ")";
}

}  // namespace

bool Watch::start(std::vector<Connection> connections, const WatchOptions& options,
                  std::string* error) {
    options_ = options;
    connections_ = std::move(connections);
    pid_ = getpid();
    if (options.silence_s > 0) {
        check_ns_ = base::now_ns();
    }
    if (!wake_up_.open()) {
        *error = std::string("eventfd: ") + std::strerror(errno);
        take_leave();
        return false;
    }
    if (!thread_.start<&Watch::run>(kThreadName, *this)) {
        *error = "the system refuses a thread";
        take_leave();
        return false;
    }
    static const int has_handler = pthread_atfork(nullptr, nullptr, close_connections_in_child);
    if (has_handler != 0) {
        ARMCI_LOG_DEBUG("children will have the connections: %s", std::strerror(has_handler));
    }
    g_running.store(this);
    return true;
}

void Watch::close_connections() {
    for (Connection& connection : connections_) {
        connection.close();
    }
}

void Watch::stop() {
    if (!thread_.is_started()) {
        return;
    }
    stopping_.store(true);
    wake();
    thread_.join();
    g_running.store(nullptr);
    take_leave();
}

void Watch::take_leave() {
    const Note farewell{Note::Kind::farewell, options_.rank, Reason::ended, 0};
    tell_others(farewell, nullptr, Answer::none);
    connections_.clear();
}

void Watch::wake() {
    if (!wake_up_.set()) {
        ARMCI_LOG_DEBUG("waking the watch: %s", std::strerror(errno));
    }
}

// --- For other threads ---------------------------------------------------------------------------

bool Watch::is_of_this_process() const {
    return thread_.is_started() && getpid() == pid_;
}

void Watch::tell_failure() {
    if (!is_of_this_process()) {
        return;
    }
    has_failed_.store(true);
    wake();
    for (int ms = 0; ms < kTellingMs && !all_know_.load(); ++ms) {
        nap_ms(1);
    }
}

void Watch::await_verdict() {
    if (!is_of_this_process()) {
        return;
    }
    for (int ms = 0; ms < kVerdictMs || is_ending_.load(); ++ms) {
        if (ends_job()) {
            base::end_quietly();
        }
        nap_ms(1);
    }
}

void Watch::call_for_reports() {
    if (is_of_this_process()) {
        is_report_wanted_.store(true);
        wake();
    }
}

// --- The thread ----------------------------------------------------------------------------------

// Once the ending of the job has begun, it continues until the process ends, even if the rank calls
// stop().
void Watch::run() {
    while (!stopping_.load() || is_ending_.load()) {
        sleep();
        take_requests();
        for (Connection& connection : connections_) {
            hear(connection);
        }
        check_signs_of_life();
        finish_spreading();
        finish_reports();
        if (base::now_ns() >= end_ns_) {
            base::end_quietly();
        }
    }
}

void Watch::sleep() {
    std::vector<pollfd> waiting{{wake_up_.fd(), POLLIN, 0}};
    for (const Connection& connection : connections_) {
        if (connection.is_open()) {
            waiting.push_back({connection.socket(), POLLIN, 0});
        }
    }
    const int64_t until_ns = std::min({check_ns_, answers_ns_, end_ns_, reports_ns_});
    const int64_t left_ns = std::max<int64_t>(0, until_ns - base::now_ns());
    const timespec left{left_ns / 1'000'000'000, left_ns % 1'000'000'000};
    ppoll(waiting.data(), waiting.size(), until_ns == kNever ? nullptr : &left, nullptr);
    if ((waiting[0].revents & POLLIN) != 0 && !wake_up_.take()) {
        ARMCI_LOG_DEBUG("the watch's event: %s", std::strerror(errno));
    }
}

void Watch::take_requests() {
    if (has_failed_.exchange(false)) {
        begin_ending({Note::Kind::error_reported, options_.rank, Reason::ended, 0}, nullptr,
                     nullptr);
    }
    if (is_report_wanted_.exchange(false)) {
        begin_reports(nullptr);
    }
}

void Watch::hear(Connection& connection) {
    while (connection.is_open()) {
        Note note;
        Reason reason{};
        switch (connection.hear(&note, &reason)) {
            case Connection::Heard::nothing:
                return;
            case Connection::Heard::note:
                connection.silent_checks = 0;
                take_note(connection, note);
                break;
            case Connection::Heard::end:
                connection_ended(connection, reason);
                break;
        }
    }
}

void Watch::take_note(Connection& connection, const Note& note) {
    switch (note.kind) {
        case Note::Kind::alive:
            break;
        case Note::Kind::farewell:
            connection.has_taken_leave = true;
            break;
        case Note::Kind::process_failed:
        case Note::Kind::error_reported:
            if (is_ending_.load()) {
                connection.say({Note::Kind::spread, options_.rank, Reason::ended, 0});
            } else {
                begin_ending(note, &connection, nullptr);
            }
            break;
        case Note::Kind::spread:
            connection.is_answer_due = false;
            break;
        case Note::Kind::report:
            begin_reports(&connection);
            break;
    }
}

void Watch::connection_ended(Connection& connection, Reason reason) {
    connection.close();
    connection.is_answer_due = false;
    if (!connection.has_taken_leave) {
        begin_ending({Note::Kind::process_failed, connection.peer().rank, reason, 0}, nullptr,
                     &connection);
    }
}

// Counts checks instead of seconds, so that after a stop of the whole job no rank fails at once.
void Watch::check_signs_of_life() {
    const int64_t now = base::now_ns();
    if (now < check_ns_ || is_ending_.load()) {
        return;
    }
    check_ns_ = now + options_.silence_s * 1000 * kMs / kChecks;
    for (Connection& connection : connections_) {
        if (!connection.is_open() || connection.has_taken_leave) {
            continue;
        }
        connection.say({Note::Kind::alive, options_.rank, Reason::ended, 0});
        if (++connection.silent_checks > kChecks + 1) {
            begin_ending({Note::Kind::process_failed, connection.peer().rank, Reason::silent, 0},
                         nullptr, &connection);
            return;
        }
    }
}

// --- The end of the job --------------------------------------------------------------------------

void Watch::report_failed_process(const Note& note, const Connection& connection) {
    if (options_.reported != nullptr && options_.reported->exchange(1) != 0) {
        return;
    }
    const std::string who = name_of(connection.peer());
    const std::string at = connection.place().empty() ? "" : " at " + connection.place();
    switch (note.reason) {
        case Reason::ended:
            base::log(base::LogLevel::error,
                      "%s has failed: its process has ended without ARMCI_Finalize. It was killed, "
                      "has crashed or has left by exit(); see its own messages and the "
                      "launcher's. The job ends",
                      who.c_str());
            return;
        case Reason::silent:
            base::log(base::LogLevel::error,
                      "%s has failed: it has given no sign of life for %lld s "
                      "(ARMCI_LOST_RANK_SECONDS). It is stopped, or its node hangs. The job ends",
                      who.c_str(), static_cast<long long>(options_.silence_s));
            return;
        case Reason::unreachable:
            base::log(base::LogLevel::error,
                      "%s has failed: its node has not answered%s for %lld s "
                      "(ARMCI_LOST_LINK_SECONDS). It is down, or the network to it is broken. The "
                      "job ends",
                      who.c_str(), at.c_str(), static_cast<long long>(options_.link_s));
            return;
        case Reason::reset:
            base::log(base::LogLevel::error,
                      "%s has failed: the connection to it%s was reset. Its process has ended "
                      "without ARMCI_Finalize, its node was started again, or a firewall between "
                      "the nodes resets connections. The job ends",
                      who.c_str(), at.c_str());
            return;
    }
}

// Messages on standard error come last: if nothing reads them, this thread hangs.
void Watch::begin_ending(const Note& note, Connection* source, const Connection* failed) {
    if (is_ending_.exchange(true)) {
        return;
    }
    be_killed_soon();
    source_ = source;
    is_first_hand_ = failed != nullptr;
    check_ns_ = kNever;
    tell_others(note, source, Answer::expected);
    // Write the output before this rank answers. The rank that sent the note ends after the answer,
    // and a launcher may then kill this process at once. The time for the others' answers begins
    // afterwards.
    base::write_output();
    answers_ns_ = base::now_ns() + options_.answers_ms * kMs;
    if (failed != nullptr) {
        report_failed_process(note, *failed);
    }
    if (source != nullptr) {
        ARMCI_LOG_INFO(
            "this process ends because rank %d %s", note.rank,
            note.kind == Note::Kind::process_failed ? "has failed" : "ends the job with an error");
    }
    if (note.kind == Note::Kind::process_failed && note.rank == options_.rank) {
        base::log(
            base::LogLevel::error,
            "the other ranks count this one as failed, because they heard nothing from it for "
            "too long; it ends");
    }
}

void Watch::tell_others(const Note& note, const Connection* but, Answer answer) {
    for (Connection& connection : connections_) {
        if (&connection == but || connection.has_taken_leave || !connection.say(note)) {
            continue;
        }
        // A stopped rank reads the note when it goes on.
        if (answer == Answer::expected && connection.peer().rank != note.rank) {
            connection.is_answer_due = true;
        }
    }
}

void Watch::finish_spreading() {
    if (answers_ns_ == kNever) {
        return;
    }
    const int64_t now = base::now_ns();
    const bool is_known =
        std::none_of(connections_.begin(), connections_.end(),
                     [](const Connection& connection) { return connection.is_answer_due; });
    if (!is_known && now < answers_ns_) {
        return;
    }
    answers_ns_ = kNever;
    if (source_ != nullptr) {
        source_->say({Note::Kind::spread, options_.rank, Reason::ended, 0});
    }
    all_know_.store(true);
    ends_job_.store(is_first_hand_);
    end_ns_ = now + (is_first_hand_ ? 1 : 2) * options_.abort_ms * kMs;
}

// --- Reports -------------------------------------------------------------------------------------

void Watch::begin_reports(const Connection* source) {
    if (reports_ns_ != kNever) {
        return;  // several ranks have asked at about the same time
    }
    tell_others({Note::Kind::report, options_.rank, Reason::ended, 0}, source, Answer::none);
    is_report_due_.store(true);
    reports_ns_ = base::now_ns() + kReportsNs;
}

void Watch::finish_reports() {
    if (base::now_ns() < reports_ns_) {
        return;
    }
    reports_ns_ = kNever;
    if (is_report_due_.exchange(false)) {
        base::log(base::LogLevel::warn,
                  "this rank does not wait in the library: it computes, or waits elsewhere");
    }
}

}  // namespace armci::watch

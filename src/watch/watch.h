// SPDX-License-Identifier: BSD-3-Clause
// The watch is a thread of each rank. It sleeps on the rank's liveness connections until one shows
// that a process has failed, and then ends this process, whatever that is doing. Without events it
// does nothing at all.
//
// The connections of a job form a tree: each rank has one to the first rank of its node, and these
// have some among themselves. A process reports what it finds on all its connections, and each
// receiver passes it on. Answers come back when all processes behind a connection know. Only then
// may a process end, because its own end would look like another failure to processes that do not
// know yet. The process that has found a failure itself says so on standard error, one rank of each
// node; the others end without a message.
//
// The thread cannot call MPI. If a rank of the program waits in the library, the thread asks that
// rank to end the job by MPI_Abort (ends_job()). If this has not happened after a moment, the
// thread ends the process itself, and a timer of the kernel ends it if even that hangs.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "base/thread.h"
#include "base/wake_up.h"
#include "watch/connection.h"

namespace armci::watch {

struct WatchOptions {
    int rank = 0;
    // A rank without a sign of life for this time has failed. 0: only ranks whose process ends
    // have.
    int64_t silence_s = 0;
    int64_t link_s = 0;  // what limit_silence_of_system() got, for messages
    // The time in which a rank must end the job by MPI_Abort after it was asked to. A rank that
    // waits for the MPI_Abort of another waits twice as long.
    int64_t abort_ms = 1'000;
    // The time to wait for the answers of other processes to a note.
    int64_t answers_ms = 400;
    // A word in memory of the node, zero at first; the process that finds it zero reports the
    // failure. nullptr: every rank reports.
    std::atomic<uint32_t>* reported = nullptr;
};

class Watch {
  public:
    // The name of the thread in ps -L and top -H.
    static constexpr const char* kThreadName = "armci-watch";
    // How long await_verdict() waits.
    static constexpr int kVerdictMs = 1'000;

    Watch() = default;
    ~Watch() { stop(); }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    // Starts the watch. Returns false with a sentence in *error if the system refuses something;
    // then no watch runs, and the peers have got a farewell.
    bool start(std::vector<Connection> connections, const WatchOptions& options,
               std::string* error);
    bool is_running() const { return thread_.is_started(); }
    // Sends a farewell to the peers, so that the end of this process means nothing to them. If a
    // failure already ends the job, this process ends here.
    void stop();

    // Closes the connections in a child of this process after fork, so that they do not outlive
    // this process there. Calls only what a child of a process with threads may call.
    void close_connections();

    // --- for any thread of this process, but not for its children ---

    // Says whether a process has failed and the caller must end the job. The message has been
    // printed.
    bool ends_job() const { return ends_job_.load(std::memory_order_relaxed); }
    // This process ends the job with an error: sends that to the others, and returns when they
    // know, or after half a second.
    void tell_failure();
    // Call this after a connection has failed, because a failed process may be the cause. If so, it
    // ends this process; otherwise it returns after a second.
    void await_verdict();
    // Asks all ranks of the job to report what they wait for. A rank that waits in the library does
    // so when is_report_due(). For every other rank the watch says that it does not wait there.
    void call_for_reports();
    bool is_report_due() const { return is_report_due_.load(std::memory_order_relaxed); }
    void report_given() { is_report_due_.store(false, std::memory_order_relaxed); }

  private:
    static constexpr int64_t kNever = INT64_MAX;

    bool is_of_this_process() const;
    void take_leave();
    void run();
    void sleep();
    void wake();
    void take_requests();
    void hear(Connection& connection);
    void take_note(Connection& connection, const Note& note);
    void connection_ended(Connection& connection, Reason reason);
    void check_signs_of_life();
    // `source` is the connection that brought the note, `failed` the one whose failure was found
    // here. Either may be nullptr.
    void begin_ending(const Note& note, Connection* source, const Connection* failed);
    void report_failed_process(const Note& note, const Connection& connection);
    enum class Answer : bool { none = false, expected = true };
    void tell_others(const Note& note, const Connection* but, Answer answer);
    void finish_spreading();
    void begin_reports(const Connection* source);
    void finish_reports();

    WatchOptions options_;
    std::vector<Connection> connections_;
    base::WakeUp wake_up_;
    base::Thread thread_;
    int pid_ = 0;  // the process that started the watch

    std::atomic<bool> stopping_{false};
    std::atomic<bool> has_failed_{false};
    std::atomic<bool> is_report_wanted_{false};
    std::atomic<bool> is_ending_{false};
    std::atomic<bool> all_know_{false};
    std::atomic<bool> ends_job_{false};
    std::atomic<bool> is_report_due_{false};

    // Only the thread uses these.
    Connection* source_ =
        nullptr;  // brought the note that ends the job; nullptr: this process found it
    bool is_first_hand_ = false;
    int64_t check_ns_ = kNever;    // when to check for signs of life
    int64_t answers_ns_ = kNever;  // until when to wait for answers
    int64_t end_ns_ = kNever;      // when this process ends at the latest
    int64_t reports_ns_ = kNever;  // until when this rank may answer a call for reports
};

}  // namespace armci::watch

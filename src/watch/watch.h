// SPDX-License-Identifier: BSD-3-Clause
// The watch: a thread of each rank that sleeps on the rank's lines until one says that a rank is
// lost, and then ends this process, whatever it is doing. Without events it does nothing at all.
//
// The lines of a job form a tree: each rank has one to the first rank of its node, these have some
// among themselves. What one process finds out it tells on all its lines, and who hears of it tells
// it on; answers come back when all processes behind a line know. Only then may a process end,
// because its own end would look like another loss to those who do not know yet. Who has found out
// by himself says so on standard error, one rank of each node; who has been told ends in silence.
//
// The thread cannot call MPI. Where a rank of the program waits in the library, it asks that rank
// to end the job by MPI_Abort (ends_job()); what has not ended after a moment it ends itself, and a
// timer of the kernel's ends what hangs even in that.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "base/thread.h"
#include "watch/line.h"

namespace armci::watch {

struct WatchOptions {
    int rank = 0;
    // A rank without a sign of life for so long is lost; 0: only those whose process ends.
    int64_t silence_s = 0;
    int64_t link_s = 0;  // as limit_silence_of_system() was given, for messages
    // How long a rank that is asked to end the job by MPI_Abort has for it; who waits for others'
    // MPI_Abort waits twice as long.
    int64_t abort_ms = 1'000;
    // How long the answers of those who have been told are waited for.
    int64_t answers_ms = 400;
    // In memory of the node, zero at first: who finds it so reports. nullptr: every rank does.
    std::atomic<uint32_t>* reported = nullptr;
};

class Watch {
  public:
    // As the system shows it (ps -L, top -H).
    static constexpr const char* kThreadName = "armci-watch";

    Watch() = default;
    ~Watch() { stop(); }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    // False, with a sentence in *error, when the system refuses what is needed; there is no watch
    // then, and leave is taken of the peers.
    bool start(std::vector<Line> lines, const WatchOptions& options, std::string* error);
    bool is_running() const { return thread_.is_started(); }
    // Takes leave of the peers: from now on the end of this process is in order. Where a loss ends
    // the job already, this process ends here.
    void stop();

    // In a child of this process, after fork: the lines shall not outlive this process there. Does
    // nothing that a child of a process with threads may not.
    void close_lines();

    // --- for any thread of this process, but not for its children ---

    // Whether a rank is lost, and the caller shall end the job; the message is out.
    bool ends_job() const { return ends_job_.load(std::memory_order_relaxed); }
    // This process ends the job with an error: returns when the others know, or after half a
    // second.
    void tell_failure();
    // A connection has failed, which the end of another process may have done. Ends the process if
    // that is so; returns after a second if not.
    void await_verdict();
    // All ranks of the job shall soon say what they wait for. One that waits in the library does
    // when it finds a report due; of another the watch says that it does not wait there.
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
    void hear(Line& line);
    void take_note(Line& line, const Note& note);
    void line_ended(Line& line, Reason reason);
    void check_signs_of_life();
    // source: who has told; lost: whose loss was found here. Either may be nullptr.
    void begin_ending(const Note& note, Line* source, const Line* lost);
    void report_loss(const Note& note, const Line& line);
    enum class Answer : bool { none = false, expected = true };
    void tell_others(const Note& note, const Line* but, Answer answer);
    void finish_spreading();
    void begin_reports(const Line* source);
    void finish_reports();

    WatchOptions options_;
    std::vector<Line> lines_;
    node::Descriptor wake_up_;
    base::Thread thread_;
    int pid_ = 0;  // of the process that started it

    std::atomic<bool> stopping_{false};
    std::atomic<bool> has_failed_{false};
    std::atomic<bool> is_report_wanted_{false};
    std::atomic<bool> is_ending_{false};
    std::atomic<bool> all_know_{false};
    std::atomic<bool> ends_job_{false};
    std::atomic<bool> is_report_due_{false};

    // Of the thread alone.
    Line* source_ = nullptr;  // of the news that end the job; nullptr: this process
    bool is_first_hand_ = false;
    int64_t check_ns_ = kNever;    // when to look for signs of life
    int64_t answers_ns_ = kNever;  // until when answers are waited for
    int64_t end_ns_ = kNever;      // when this process ends at the latest
    int64_t reports_ns_ = kNever;  // until when this rank may answer a call for reports
};

}  // namespace armci::watch

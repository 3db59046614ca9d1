// SPDX-License-Identifier: BSD-3-Clause
// A line: a stream connection between two processes of a job on which nothing is said while all is
// well. When a process ends, however that happens, the system closes its lines, and who holds the
// other ends is woken. So a line costs nothing until it is needed.
//
// What is said on lines are notes of one length.
#pragma once

#include <cstdint>
#include <vector>

#include "node/descriptor.h"

namespace armci::watch {

// Who is at an end of a line.
struct Identity {
    int32_t rank = -1;
    int32_t pid = 0;
    char host[56] = "";
};

enum class Reason : int32_t {
    ended = 0,        // its process has, without a farewell
    silent = 1,       // no sign of life within the time allowed
    unreachable = 2,  // the system at the other end does not answer
};

struct Note {
    enum class Kind : int32_t {
        alive,     // a sign of life
        farewell,  // the sender stops in good order: its end means nothing
        lost,      // `rank` is lost
        failed,    // `rank` ends the job with an error that it has reported
        spread,    // the answer to these two: all processes behind the sender know
        report,    // everybody shall say what he waits for
    };
    Kind kind = Kind::alive;
    int32_t rank = -1;
    Reason reason = Reason::ended;
    int32_t padding = 0;
};
static_assert(sizeof(Note) == 16);

class Line {
  public:
    Line() = default;
    Line(node::Descriptor socket, const Identity& peer)
        : socket_(static_cast<node::Descriptor&&>(socket)), peer_(peer) {}

    int socket() const { return socket_.get(); }
    bool is_open() const { return socket_.valid(); }
    const Identity& peer() const { return peer_; }
    void close() { socket_.reset(); }

    // Never waits. False when the note cannot be delivered.
    bool say(const Note& note);

    enum class Heard : uint8_t { nothing, note, end };
    // Never waits. end: *reason says why there will be nothing more.
    Heard hear(Note* note, Reason* reason);

    bool has_taken_leave = false;  // the peer has
    bool is_answer_due = false;    // the peer has not said yet that all behind it know
    int silent_checks = 0;         // in sequence, without a sign of life in between

  private:
    node::Descriptor socket_;
    Identity peer_;
    char partial_[sizeof(Note)] = {};  // what has come of the next note
    size_t partial_bytes_ = 0;
};

// A line whose other end is on another host: within `timeout_s` the system finds out, by itself,
// when nobody answers there any more.
void limit_silence_of_system(int socket, int64_t timeout_s);

}  // namespace armci::watch

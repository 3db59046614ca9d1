// SPDX-License-Identifier: BSD-3-Clause
// A Connection is a liveness connection: a stream connection between two processes of a job that
// carries nothing while all is well. However a process ends, the system then closes its connections
// and wakes the processes at their other ends. So a connection costs nothing until it is needed.
//
// Connections carry notes, which all have the same length.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/descriptor.h"

namespace armci::watch {

// An Identity describes the process at one end of a connection.
struct Identity {
    int32_t rank = -1;
    int32_t pid = 0;
    char host[56] = "";
};

enum class Reason : int32_t {
    ended = 0,        // the process at the other end, without a farewell
    silent = 1,       // no sign of life within the time allowed
    unreachable = 2,  // the system at the other end does not answer
    reset = 3,        // it has reset the connection between two hosts, or a firewall has
};

struct Note {
    enum class Kind : int32_t {
        alive,           // a sign of life
        farewell,        // the sender stops in good order, so its end means nothing
        process_failed,  // `rank` has failed
        error_reported,  // `rank` ends the job with an error that it has reported
        spread,          // answer to these two: all processes behind the sender know
        report,          // a request to every rank to report what it waits for
    };
    Kind kind = Kind::alive;
    int32_t rank = -1;
    Reason reason = Reason::ended;
    int32_t padding = 0;
};
static_assert(sizeof(Note) == 16);

class Connection {
  public:
    Connection() = default;
    Connection(base::Descriptor socket, const Identity& peer);

    int socket() const { return socket_.get(); }
    bool is_open() const { return socket_.valid(); }
    const Identity& peer() const { return peer_; }
    // Returns "192.0.2.1:4711", where the peer's end is, or an empty text inside a host.
    const std::string& place() const { return place_; }
    void close() { socket_.reset(); }

    // Sends a note without waiting. Returns false if the note cannot be delivered.
    bool say(const Note& note);

    enum class Heard : uint8_t { nothing, note, end };
    // Receives a note without waiting. `end` means that nothing more will come, for the reason in
    // *reason.
    Heard hear(Note* note, Reason* reason);

    bool has_taken_leave = false;  // the peer has sent its farewell
    bool is_answer_due = false;    // some process behind the peer may not know yet
    int silent_checks = 0;         // in sequence, without a sign of life in between

  private:
    Reason reason_of(int error) const;

    base::Descriptor socket_;
    Identity peer_;
    std::string place_;
    char partial_[sizeof(Note)] = {};  // the part of the next note that has arrived
    size_t partial_bytes_ = 0;
};

// Makes the system detect within `timeout_s` seconds when the other host does not answer any more.
// It is meant for connections to other hosts.
void limit_silence_of_system(int socket, int64_t timeout_s);

}  // namespace armci::watch

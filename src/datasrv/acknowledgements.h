// SPDX-License-Identifier: BSD-3-Clause
// Tells clients how many of their frames are executed when no answer does: those that ask, and
// those whose window has little room left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "datasrv/answers.h"
#include "datasrv/client.h"
#include "wire/frame.h"

namespace armci::datasrv {

// Only one thread may use it at a time.
class Acknowledgements {
  public:
    explicit Acknowledgements(Answers& answers) : answers_(answers) {}
    void open(int64_t client_window_bytes) {
        unacknowledged_limit_ = static_cast<uint64_t>(client_window_bytes) / 4;
    }

    // Is called after each frame that was executed.
    void note_executed(Client& client, const wire::FrameHeader& header);
    // Sends what is due and can leave. Returns true when something has left.
    bool flush();
    // Drops what is due, and lets nothing become due until clear().
    void fall_silent();
    void clear();

    size_t due_count() const { return due_.size(); }

  private:
    Answers& answers_;
    uint64_t unacknowledged_limit_ = 0;  // of the bytes of a client's messages
    std::vector<Client*> due_;
    bool is_silent_ = false;
};

}  // namespace armci::datasrv

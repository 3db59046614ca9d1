// SPDX-License-Identifier: BSD-3-Clause
// What streamed gets may have under way: receive memory for those whose data comes in messages, and
// the credits that report to a server how much of a stream has been taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pipeline/origin/frame_sender.h"
#include "wire/frame.h"

namespace armci::pipeline {

class StreamCredits {
  public:
    explicit StreamCredits(FrameSender& frames) : frames_(frames) {}

    void open(const OriginOptions& options);

    // Reserves receive memory for a streamed get, in bytes. Returns false when too much is promised
    // already.
    bool reserve(int64_t bytes);
    void unreserve(int64_t bytes) { reserved_bytes_ -= bytes; }
    int64_t reserved_bytes() const { return reserved_bytes_; }
    // Returns the most that one get asks for, in bytes.
    int64_t window_bytes() const { return window_bytes_; }

    // Sends a server the credit for what has been taken of a get. What cannot be sent now is
    // repeated later.
    void send(Channel& channel, uint64_t request_id, const wire::CreditBody& taken);
    void send_due();
    size_t due_count() const { return credits_due_.size(); }

  private:
    struct Credit {
        Channel* channel;
        uint64_t request_id;
        wire::CreditBody taken;
    };
    bool try_credit(const Credit& credit);

    FrameSender& frames_;
    std::vector<Credit> credits_due_;
    int64_t budget_bytes_ = 0;
    int64_t reserved_bytes_ = 0;
    int64_t window_bytes_ = 0;
};

}  // namespace armci::pipeline

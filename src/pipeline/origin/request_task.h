// SPDX-License-Identifier: BSD-3-Clause
// A request of one small frame, such as rmw, lock or a flag store, with or without an answer.
#pragma once

#include <cstring>
#include <memory>

#include "pipeline/origin/task.h"

namespace armci::pipeline {

class RequestTask : public Task {
  public:
    enum class Answer : bool { none = false, expected = true };

    template <class Body>
    RequestTask(const char* function, wire::FrameKind kind, const Body& body, Answer answer)
        : Task(function), kind_(kind), answer_(answer), body_bytes_(sizeof body) {
        static_assert(sizeof body <= kLargestBody && sizeof body % 8 == 0);
        std::memcpy(body_, &body, sizeof body);
    }

    // The server is asked to acknowledge the request, so that a fence need not ask.
    void ask_acknowledge() { asks_acknowledge_ = true; }

    bool post(OriginServices& origin) override;
    bool on_answer(OriginServices& origin, const wire::FrameHeader& header, const void* frame,
                   int tag) override;

    // Each is valid after completion of a request with an answer of that kind.
    int64_t value() const { return value_.value; }
    wire::SegmentReply segment() const { return segment_ ? *segment_ : wire::SegmentReply{}; }
    const wire::AttachedBody& attached() const { return attached_; }

  private:
    static constexpr size_t kLargestBody = 32;

    wire::FrameKind kind_;
    Answer answer_;
    bool asks_acknowledge_ = false;
    size_t body_bytes_;
    char body_[kLargestBody];
    uint64_t request_id_ = 0;
    wire::ValueBody value_;
    std::unique_ptr<wire::SegmentReply> segment_;  // long, and seldom
    wire::AttachedBody attached_;
};

}  // namespace armci::pipeline

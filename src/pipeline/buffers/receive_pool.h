// SPDX-License-Identifier: BSD-3-Clause
// The memory in which an endpoint receives frames: a few buffers. Each takes messages one behind
// the other and is posted again when it is used up. Frames are handled where they lie, inside the
// completion handler, so a buffer is free again as soon as the provider releases it.
//
// Anyone may send messages, also too long ones, and ones that never arrive completely. Some
// providers keep a buffer for such a message, or do not tell whether they have forgotten it. When
// most of the buffers are away, others take their places, up to a limit.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "fabric/endpoint.h"
#include "pipeline/buffers/registered_mapping.h"

namespace armci::pipeline {

// This is called for every frame, on the thread that polls the endpoint.
using FrameHandler = void (*)(void* context, const void* frame, size_t frame_bytes);

class ReceivePool {
  public:
    // Posts room for at least `window_bytes` of frames of at most largest_frame_bytes each.
    bool open(fabric::Domain& domain, fabric::Endpoint& endpoint, size_t window_bytes,
              size_t largest_frame_bytes, FrameHandler handler, void* context, std::string* error);
    // The endpoint must be closed before.
    void close();

    // Returns how many completions the queue should have room for: one for each frame under way, up
    // to a number. The provider's own overflow list takes those beyond it.
    static size_t completion_count(size_t window_bytes);
    // Posts what could not be posted at once. It costs little when there is nothing to do.
    void retry_posts();
    bool has_unposted() const { return !unposted_.empty(); }

  private:
    struct Buffer {
        fabric::Operation operation;
        ReceivePool* pool = nullptr;
        RegisteredMapping* memory = nullptr;
        char* data = nullptr;
        size_t handled_bytes = 0;  // of the frames handled since it was posted
        size_t furthest_end = 0;   // where the last of them ends
        bool is_used_up = false;   // the provider writes nothing more into it
        bool is_away = false;      // it may take no messages any more, and may not be posted yet
    };
    static size_t buffer_count(size_t window_bytes, size_t largest_frame_bytes);
    static void on_completion(fabric::Operation* operation, const fabric::Completion& completion);
    void handle(const void* frame, size_t bytes);
    void post(Buffer* buffer);
    // Adds as many buffers as there were at first.
    bool add_buffers(std::string* error);
    // A message has been lost. Returns whether the buffer is used up by it.
    bool note_lost_message(Buffer* buffer, const fabric::Completion& completion);
    void set_away(Buffer* buffer, bool is_away);

    fabric::Endpoint* endpoint_ = nullptr;
    bool ends_early_ = false;  // ProviderRow::ends_early
    FrameHandler handler_ = nullptr;
    void* context_ = nullptr;
    fabric::Domain* domain_ = nullptr;
    std::deque<RegisteredMapping> memory_;
    size_t buffer_bytes_ = 0;
    size_t first_count_ = 0;  // of buffers
    size_t largest_frame_bytes_ = 0;
    std::vector<std::unique_ptr<Buffer>> buffers_;
    std::vector<Buffer*> unposted_;
    size_t away_count_ = 0;
};

}  // namespace armci::pipeline

// SPDX-License-Identifier: BSD-3-Clause
// What arrives at an origin: frames of data servers, as messages or in reply buffers, and messages
// of barriers among nodes. Each is passed to the part that it is for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "fabric/domain.h"
#include "fabric/endpoint.h"
#include "pipeline/buffers/receive_pool.h"
#include "pipeline/origin/answer_slots.h"
#include "pipeline/origin/barrier_messages.h"
#include "pipeline/origin/channels.h"
#include "pipeline/origin/origin_services.h"
#include "pipeline/origin/pending_tasks.h"

namespace armci::pipeline {

class FrameReceiver {
  public:
    FrameReceiver(Channels& channels, PendingTasks& tasks, BarrierMessages& barriers,
                  AnswerSlots& slots, OriginServices& services)
        : channels_(channels),
          tasks_(tasks),
          barriers_(barriers),
          slots_(slots),
          services_(services) {}

    // Posts the memory for messages. The endpoint must be open.
    bool open(fabric::Domain& domain, fabric::Endpoint& endpoint, size_t receive_bytes,
              size_t largest_message_bytes, std::string* error) {
        return receives_.open(domain, endpoint, receive_bytes, largest_message_bytes, on_frame,
                              this, error);
    }
    // The endpoint must be closed before.
    void close() { receives_.close(); }

    // Takes the answers that have come into slots. Returns true when there was one.
    bool take_answers();
    ReceivePool& receives() { return receives_; }
    const ReceivePool& receives() const { return receives_; }
    // The endpoint calls this when a server has written with that immediate data. The context is
    // this object.
    static void on_written(void* context, uint64_t immediate);

  private:
    static void on_frame(void* context, const void* frame, size_t frame_bytes);
    // Returns the token of the process of that data server or origin (wire::Sender::number), or
    // kNoToken if none of that number sends messages here.
    uint64_t token_of(int sender) const;
    // Takes a frame whose sender is known.
    void handle_frame(const void* frame, size_t frame_bytes);
    void hand_to_task(const wire::FrameHeader& header, const void* frame);
    [[noreturn]] void report_failure(const wire::FrameHeader& header, const void* frame,
                                     size_t frame_bytes);

    ReceivePool receives_;
    Channels& channels_;
    PendingTasks& tasks_;
    BarrierMessages& barriers_;
    AnswerSlots& slots_;
    OriginServices& services_;
};

}  // namespace armci::pipeline

// SPDX-License-Identifier: BSD-3-Clause
// The origin side of a process: its endpoint, its channels to data servers, and their progress. It
// owns the parts, each of which has one duty, and lets them take turns.
//
// All calls are made by the thread that holds the library's API lock (or by the only thread).
// Nothing here blocks: a caller polls progress() until its condition holds, and yields the
// processor in between.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/stats.h"
#include "fabric/domain.h"
#include "fabric/endpoint.h"
#include "pipeline/buffers/registered_buffers.h"
#include "pipeline/origin/answer_slots.h"
#include "pipeline/origin/barrier_messages.h"
#include "pipeline/origin/batches.h"
#include "pipeline/origin/channels.h"
#include "pipeline/origin/fences.h"
#include "pipeline/origin/frame_receiver.h"
#include "pipeline/origin/frame_sender.h"
#include "pipeline/origin/origin_counters.h"
#include "pipeline/origin/origin_options.h"
#include "pipeline/origin/origin_report.h"
#include "pipeline/origin/origin_services.h"
#include "pipeline/origin/pending_requests.h"
#include "pipeline/origin/pending_tasks.h"
#include "pipeline/origin/recv_grants.h"
#include "pipeline/origin/reply_buffers.h"
#include "pipeline/origin/rma_poster.h"
#include "pipeline/origin/stream_credits.h"
#include "pipeline/origin/task_queue.h"
#include "pipeline/origin/turn.h"

namespace armci::pipeline {

class Origin {
  public:
    ~Origin() { close(); }

    bool open(fabric::Domain& domain, const OriginOptions& options,
              const OriginEnvironment& environment, base::Stats* stats, std::string* error);
    void close();

    Channel& channel(int server) { return channels_.get(server); }
    void submit(Task& task, Channel& channel) { queue_.submit(task, channel); }
    // Appends as Batches::append() does, in order with tasks.
    bool append(Channel& channel, const SmallTransfer& transfer, Batches::Leaving leaving);

    // Returns whether a put of that length is copied if a fence is likely to follow and nothing is
    // under way there.
    bool copies_puts(int64_t bytes) const {
        return bytes <= int64_t{FrameSender::kSurelyWritten} && frames_.sends_alone() &&
               rma_.writes_copies();
    }
    // Returns whether it may be copied now. The put ends at once, so the copy must leave without
    // further polls. It must not overtake what has not been executed.
    bool may_write_copy(int server, int64_t bytes) const {
        const Channel* channel = channels_.find(server);
        return channel != nullptr && copies_puts(bytes) &&
               frames_.leaves_alone(*channel, static_cast<size_t>(bytes),
                                    FrameSender::kSurelyWritten) &&
               channel->tasks.first == nullptr && channel->batch == nullptr &&
               !channel->mutations_pending();
    }
    // Writes a copy of a block as RmaPoster::write_copy() does. Only if may_write_copy().
    bool write_copy(Channel& channel, const fabric::RmaBlock& block);

    // Polls once and posts what is due. Returns true when something moved.
    bool progress();
    // Returns whether progress() has something to post that it could not post so far.
    bool has_posts_to_repeat() const;
    // Sleeps at most that long, until the network has something for progress() or the other
    // descriptor, if any, is readable. Call it only when may_sleep() has just returned true,
    // because it does not when the provider has no descriptor to sleep on, or already has work.
    // Other threads may use this origin meanwhile.
    void sleep(std::chrono::nanoseconds longest, int other = -1) const;
    bool may_sleep();
    bool can_sleep() const { return endpoint_.wait_mode() == fabric::WaitMode::fd; }

    const Channels& channels() const { return channels_; }
    PendingTasks& tasks() { return tasks_; }
    const PendingTasks& tasks() const { return tasks_; }
    Batches& batches() { return batches_; }
    const Batches& batches() const { return batches_; }
    Fences& fences() { return fences_; }
    BarrierMessages& barriers() { return barriers_; }
    OriginReport& report() { return report_; }
    FrameSender& frames() { return frames_; }
    const FrameSender& frames() const { return frames_; }
    const ReplyBuffers& replies() const { return replies_; }
    const RegistrationCosts& registrations() const { return rma_.registrations(); }
    const BufferManager& buffers() const { return buffers_.manager(); }

    // Resources in use. All are zero when nothing is under way.
    struct Load {
        int64_t tasks = 0;
        int64_t buffer_bytes = 0;  // of chunks, reply buffers and copies for RMA
        int64_t frame_bytes = 0;   // of requests and batches
        int64_t requests = 0;      // that wait for answers
        int64_t reply_buffers = 0;
        int64_t credits = 0;  // that could not be sent yet
        int64_t reserved_bytes = 0;
        int64_t posts = 0;  // that the provider has not completed

        bool operator==(const Load&) const = default;
    };
    Load load() const;

  private:
    bool open_endpoint(fabric::Domain& domain, const OriginOptions& options,
                       const OriginEnvironment& environment, std::string* error);
    bool open_buffers(fabric::Domain& domain, const OriginOptions& options, std::string* error);
    bool expects_nothing();

    fabric::Endpoint endpoint_;
    RegisteredBuffers buffers_;  // for chunks
    Turn turn_;
    uint32_t idle_turns_ = 0;
    Channels channels_{endpoint_};
    PendingTasks tasks_{channels_};
    OriginCounters counters_{buffers_};
    AnswerSlots slots_;
    FrameSender frames_{endpoint_, buffers_, slots_, channels_, tasks_, turn_, counters_};
    RecvGrants grants_{frames_, channels_, buffers_};
    PendingRequests requests_;
    ReplyBuffers replies_{buffers_};
    StreamCredits credits_{frames_};
    RmaPoster rma_{endpoint_, buffers_, channels_, tasks_, turn_, counters_};
    Batches batches_{frames_, channels_, tasks_, requests_, credits_, grants_, replies_};
    Fences fences_{frames_, channels_, tasks_, batches_};
    BarrierMessages barriers_{endpoint_, frames_};
    OriginServices services_{channels_, frames_,  grants_, batches_, requests_,
                             replies_,  credits_, rma_,    fences_};
    TaskQueue queue_{channels_, tasks_, batches_, services_, turn_};
    FrameReceiver receiver_{channels_, tasks_, barriers_, slots_, services_};
    OriginReport report_{channels_, barriers_, buffers_};
};

}  // namespace armci::pipeline

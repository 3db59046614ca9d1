// SPDX-License-Identifier: BSD-3-Clause
// What a data server does under its lock: the endpoint, and the parts that take frames from it,
// execute them and answer.
//
// The parts know each other only as far as their constructors say; this is where they are put
// together, and where the order of their turns is set.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "datasrv/acknowledgements.h"
#include "datasrv/answers.h"
#include "datasrv/clients.h"
#include "datasrv/data_frames.h"
#include "datasrv/frame_intake.h"
#include "datasrv/get_streams.h"
#include "datasrv/gets_by_put.h"
#include "datasrv/granted_buffers.h"
#include "datasrv/handlers.h"
#include "datasrv/mailboxes.h"
#include "datasrv/offloaded_puts.h"
#include "datasrv/reply_sender.h"
#include "datasrv/server_options.h"
#include "datasrv/target_memory.h"
#include "fabric/domain.h"
#include "fabric/endpoint.h"
#include "node/copy_engine.h"
#include "node/heap.h"
#include "node/mutex_queue.h"
#include "pipeline/buffers/receive_pool.h"

namespace armci::datasrv {

// Resources in use by a data server. All but the free receive buffers are zero when nothing is
// under way.
struct ServerLoad {
    int64_t data_bytes = 0;       // of gets
    int64_t answer_bytes = 0;     // of all other answers
    int64_t waiting_answers = 0;  // for a buffer or the provider
    int64_t acknowledgements = 0;
    int64_t early_frames = 0;
    int64_t early_bytes = 0;  // of those without a granted receive buffer
    int64_t kept_bytes = 0;   // of answers that could not be sent at once
    int64_t streams = 0;      // gets that are being answered
    int64_t gets_by_put = 0;
    int64_t copies = 0;  // puts that the copy engine carries out
    int64_t posts = 0;   // that the provider has not completed
    int64_t free_recv_buffers = 0;

    bool operator==(const ServerLoad&) const = default;
};

// Threads take turns with `mutex`. Any thread may call what does not require it while the service
// is open.
class Service {
  public:
    Service() = default;
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    base::Mutex mutex;

    // The heap stays the caller's. Call this, and use_engine(), before there are other threads.
    bool open(fabric::Domain& domain, node::NodeHeap& heap, const ServerOptions& options,
              std::string* error);
    void close() ARMCI_REQUIRES(mutex);
    // The copies of the engine, if any, end before close() does.
    void use_engine(std::unique_ptr<node::CopyEngine> engine, int64_t min_bytes) {
        offloaded_.use_engine(std::move(engine), min_bytes);
    }

    // Polls the network once and does what can be done. Returns true when something was done.
    bool progress() ARMCI_REQUIRES(mutex);
    // Says whether the calling thread may sleep until the network has something. Otherwise
    // progress() has something to do.
    bool may_sleep() ARMCI_REQUIRES(mutex);
    // Returns whether progress() has something to do that no event of the network would announce.
    bool has_backlog() const ARMCI_REQUIRES(mutex);

    // Makes the service send nothing from the next progress() on.
    void fall_silent() { is_to_be_silent_.store(true); }
    // Returns whether that is so, and what was sent before has left.
    bool has_fallen_silent() const { return has_fallen_silent_.load(); }
    bool is_copying() const { return offloaded_.are_under_way(); }
    int64_t busy_ns() const { return intake_.busy_ns(); }

    // Return false if a request to do it would be refused.
    bool add_segment(const wire::SegmentBody& segment, wire::SegmentReply* reply)
        ARMCI_REQUIRES(mutex) {
        return memory_.is_in_heap(segment.address, segment.bytes) &&
               !memory_.add_segment(segment, reply);
    }
    bool remove_segment(const wire::SegmentBody& segment) ARMCI_REQUIRES(mutex) {
        return memory_.is_in_heap(segment.address, segment.bytes) &&
               memory_.remove_segment(segment.address);
    }

    fabric::Endpoint& endpoint() ARMCI_REQUIRES(mutex) { return endpoint_; }
    // These do not change while the endpoint is open.
    const std::vector<unsigned char>& address() const { return endpoint_.address(); }
    fabric::WaitMode wait_mode() const { return endpoint_.wait_mode(); }
    int wait_fd() const { return endpoint_.wait_fd(); }
    const pipeline::RecvAreaAddress& recv_area() const { return granted_.address(); }
    const std::vector<uint64_t>& recv_area_keys() const { return granted_.further_keys(); }
    ServerLoad load() const ARMCI_REQUIRES(mutex);
    size_t client_bytes() const ARMCI_REQUIRES(mutex) { return clients_.bytes(); }
    uint64_t executed_frames() const ARMCI_REQUIRES(mutex) { return clients_.executed_frames(); }

  private:
    bool open_endpoint(fabric::Domain& domain, size_t receive_bytes, size_t largest_message_bytes,
                       std::string* error);

    ServerOptions options_;
    fabric::Endpoint endpoint_;
    ReplySender sender_{endpoint_};
    Answers answers_{sender_};
    DataFrames data_frames_{sender_};
    Acknowledgements acknowledgements_{answers_};
    pipeline::ReceivePool receives_;
    GrantedBuffers granted_;
    TargetMemory memory_{endpoint_};
    node::MutexQueue mutexes_;
    Clients clients_{endpoint_};
    GetStreams streams_{sender_, data_frames_, answers_};
    GetsByPut gets_by_put_{endpoint_, answers_, memory_};
    OffloadedPuts offloaded_{memory_};
    Mailboxes mailboxes_{granted_, clients_};
    std::vector<uint64_t> addresses_;  // of the vector that is being executed
    bool has_taken_mail_ = false;      // since the last progress()
    FrameIntake intake_{
        {options_,
         {answers_, clients_, memory_, granted_, streams_, gets_by_put_, mutexes_, addresses_},
         offloaded_,
         mailboxes_,
         acknowledgements_}};
    std::atomic<bool> is_to_be_silent_{false};
    std::atomic<bool> has_fallen_silent_{false};
};

}  // namespace armci::datasrv

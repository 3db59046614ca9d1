// SPDX-License-Identifier: BSD-3-Clause
// A data server: executes requests on the node heap for remote origins, and drives the provider
// that moves RMA into it. A node has one or several, each for some of its segments and in the
// process of a rank of its own; they know nothing of each other.
//
// Threads: the server's own thread and the callers of the rank that hosts it (help()) take turns
// under one mutex; nothing here calls MPI. Requests of one origin are executed in the order of
// their sequence numbers.
// The server never waits for an origin: an answer that cannot leave now is queued and retried.
//
// It trusts nothing it reads: frames are decoded with bounds, addresses are checked against the
// segments and what is attached, and what fails is answered with the reason; the origin reports it
// and ends the job. What is no request, an introduction that is no address, and messages longer
// than any are ignored with a warning (each of the last kind takes a receive buffer for good where
// the provider loses it, and with the last one the job ends). Where a get's data shall land only
// its origin knows: a wrong key there is an error of the network, which ends the job with the
// rank's number, or is dropped by the provider, and writes to no memory that was not offered.
// docs/references.md: Nieplocha 2006a
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/thread.h"
#include "datasrv/acknowledgements.h"
#include "datasrv/answers.h"
#include "datasrv/buffer_grants.h"
#include "datasrv/client.h"
#include "datasrv/data_frames.h"
#include "datasrv/get_streams.h"
#include "datasrv/idling.h"
#include "datasrv/reply_sender.h"
#include "datasrv/segment_map.h"
#include "datasrv/server_options.h"
#include "fabric/domain.h"
#include "fabric/endpoint.h"
#include "node/attachments.h"
#include "node/copy_engine.h"
#include "node/descriptor.h"
#include "node/heap.h"
#include "node/process_memory.h"
#include "pipeline/receive_pool.h"
#include "pipeline/recv_area.h"
#include "wire/frame.h"

namespace armci::datasrv {

class Server {
  public:
    // As the system shows it (ps -L, top -H).
    static constexpr const char* kThreadName = "armci-server";

    Server() = default;
    ~Server() { stop(); }
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // The heap stays the caller's.
    bool open(fabric::Domain& domain, node::NodeHeap& heap, const ServerOptions& options,
              std::string* error);
    const std::vector<unsigned char>& address() const { return endpoint_.address(); }
    const pipeline::RecvAreaAddress& recv_area() const { return recv_area_.address(); }

    // Puts of so many bytes or more that have come into granted receive buffers are its business
    // from now on.
    void use_engine(std::unique_ptr<node::CopyEngine> engine, int64_t min_bytes);
    // False when the system refuses a thread.
    bool start_thread();
    // No origin has requests under way any more, and they may close their endpoints once this has
    // fallen silent: nothing is said to them then, neither that their last notices have been
    // executed nor that slots are free that they wanted once. Does not wait.
    void fall_silent();
    bool has_fallen_silent() const { return has_fallen_silent_.load(); }
    // Stops the thread and closes the endpoint. No origin may have requests under way.
    void stop();

    // Serves what has come, on the calling thread, unless the server's thread is at it.
    // True when something was done.
    bool progress_inline();
    // The helper goes away: the thread takes over at once.
    void end_inline_progress();

    // Otherwise it naps, and whoever can serves requests sooner.
    bool is_woken_by_network() const {
        return options_.poll_sleep_us == 0 && endpoint_.wait_mode() != fabric::WaitMode::nap;
    }

    // What is in use; all zero but the free slots when nothing is under way.
    struct Load {
        int64_t data_bytes = 0;       // of gets
        int64_t answer_bytes = 0;     // of all other answers
        int64_t waiting_answers = 0;  // for a buffer or the provider
        int64_t acknowledgements = 0;
        int64_t early_frames = 0;
        int64_t early_bytes = 0;  // of those that are copied
        int64_t streams = 0;      // gets that are being answered
        int64_t copies = 0;       // puts that the copy engine carries out
        int64_t posts = 0;        // that the provider has not completed
        int64_t free_recv_buffers = 0;

        bool operator==(const Load&) const = default;
    };
    Load load();

    // Time the server spent handling requests, for statistics.
    int64_t busy_ns() const { return busy_ns_.load(std::memory_order_relaxed); }
    // Of what is kept for each origin that has ever sent something.
    size_t client_bytes();

  private:
    std::string name() const { return options_.name(); }

    // --- progress (server.cpp), all under mutex_ ---
    bool progress();
    bool flush_grants();
    bool has_backlog() const;
    static void on_frame(void* context, const void* frame, size_t frame_bytes);
    static void on_written(void* context, uint64_t recv_buffer);

    // --- requests (handlers.cpp), all under mutex_ ---
    void handle_frame(const void* frame, size_t frame_bytes);
    void execute(Client& client, const wire::FrameHeader& header, const void* frame,
                 size_t frame_bytes);
    // Frames in granted receive buffers have the slot's number, messages kNoRecvBuffer.
    static constexpr int64_t kNoRecvBuffer = -1;
    void take_frame(Client& client, const wire::FrameHeader& header, const void* frame,
                    int64_t recv_buffer);
    void hold_early_frame(Client& client, const wire::FrameHeader& header, const void* frame,
                          int64_t recv_buffer);
    void handle_next_frame(Client& client, const wire::FrameHeader& header, const void* frame,
                           int64_t recv_buffer);
    void finish_frame(Client& client, const wire::FrameHeader& header, int64_t recv_buffer);
    void handle_held_frames(Client& client);
    void handle_batch(Client& client, const wire::FrameHeader& header, const void* frame,
                      size_t frame_bytes);
    void handle_return(Client& client, const wire::FrameHeader& header, const void* frame,
                       size_t frame_bytes);
    Client& client_of(const wire::FrameHeader& header);
    bool handle_hello(Client& client, const void* frame, size_t frame_bytes);
    void handle_transfer(Client& client, const wire::FrameHeader& header, const void* frame,
                         size_t frame_bytes);
    void handle_credit(Client& client, const wire::FrameHeader& header, const void* frame,
                       size_t frame_bytes);
    void handle_rmw(Client& client, const wire::FrameHeader& header, const void* frame,
                    size_t frame_bytes);
    void handle_store(Client& client, const wire::FrameHeader& header, const void* frame,
                      size_t frame_bytes);
    void handle_lock(Client& client, const wire::FrameHeader& header, const void* frame,
                     size_t frame_bytes);
    void handle_segment(Client& client, const wire::FrameHeader& header, const void* frame,
                        size_t frame_bytes);
    void fail(Client& client, const wire::FrameHeader& header, wire::Failure failure,
              uint64_t address, uint64_t bytes);
    // Where every byte of the layout is (each segment's, for vectors). nowhere: *address and *bytes
    // tell what is not there; attached: some are, in *process.
    enum class Place : uint8_t { nowhere, global, attached };
    Place place_of(const wire::LayoutView& layout, uint32_t owner, uint64_t* address,
                   uint64_t* bytes, node::Attachment* process);

    // --- copy engine (offloaded_puts.cpp), all under mutex_ ---
    struct OffloadedPut {
        Client* client;
        wire::FrameHeader header;
        int64_t recv_buffer;
        uint64_t last_copy;  // of all that were submitted
        int64_t begin_ns;    // for the timeline
    };
    bool offload_put(Client& client, const wire::FrameHeader& header, const void* frame,
                     int64_t recv_buffer);
    bool finish_offloaded_puts();

    // --- attached memory (attached.cpp), all under mutex_ ---
    Place place_of(uint64_t address, uint64_t bytes, uint32_t owner, node::Attachment* process);
    void handle_find_attached(Client& client, const wire::FrameHeader& header, const void* frame,
                              size_t frame_bytes);
    // Put and accumulate.
    void change_attached(Client& client, const wire::FrameHeader& header,
                         const node::Attachment& process, const wire::TransferView& view);
    // One run; adds where there is a scale. False: it could not, which the origin has been told.
    bool change_attached(Client& client, const wire::FrameHeader& header,
                         const node::Attachment& process, uint64_t address,
                         const strided::AccScale* scale, const void* data, int64_t bytes);
    void rmw_attached(Client& client, const wire::FrameHeader& header,
                      const node::Attachment& process, const wire::RmwBody& body);

    // --- thread (server_thread.cpp) ---
    void run();
    bool poll_once();
    bool sleep_until_event();
    void send_aside(int64_t now_ns);
    void yield_to_caller(int64_t us);
    void wake();
    void take_event();
    void nap();

    ServerOptions options_;
    fabric::Domain* domain_ = nullptr;
    node::NodeHeap* heap_ = nullptr;
    node::Descriptor wake_up_;  // event for the thread
    node::Descriptor epoll_;    // for that and the provider's

    std::mutex mutex_;  // guards everything below but the atomics
    fabric::Endpoint endpoint_;
    ReplySender sender_{endpoint_};
    Answers answers_{sender_};
    DataFrames data_frames_{sender_};
    Acknowledgements acknowledgements_{answers_};
    pipeline::ReceivePool receives_;
    pipeline::RecvArea recv_area_;
    BufferGrants grants_;
    SegmentMap segments_;
    node::MutexQueue mutexes_;
    node::Attachments attachments_;
    std::unordered_map<int32_t, std::unique_ptr<Client>> clients_;  // by rank
    std::unique_ptr<node::CopyEngine> engine_;
    int64_t engine_min_bytes_ = 0;
    uint64_t submitted_copies_ = 0;
    std::deque<OffloadedPut> offloaded_puts_;
    GetStreams streams_{sender_, data_frames_, answers_};
    bool registration_warned_ = false;
    std::vector<uint64_t> addresses_;  // of the vector that is being executed

    base::Thread thread_;
    std::atomic<bool> stopping_{false};
    std::atomic<bool> is_to_be_silent_{false};
    std::atomic<bool> has_fallen_silent_{false};  // and all that was sent before has left
    std::atomic<int64_t> first_inline_ns_{0};     // since the last helper went away, if not 0
    std::atomic<int64_t> last_inline_ns_{0};
    std::atomic<bool> is_asleep_{false};     // the thread waits for the network
    std::atomic<bool> is_aside_{false};      // the thread leaves the work to a helper
    std::atomic<bool> left_backlog_{false};  // the last helper did
    std::atomic<bool> is_copying_{false};    // offloaded_puts_ has some
    std::atomic<int64_t> busy_ns_{0};
    Idling idling_;  // of the thread alone
    int nap_us_ = 0;
};

}  // namespace armci::datasrv

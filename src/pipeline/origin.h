// SPDX-License-Identifier: BSD-3-Clause
// The origin side of a process: its endpoint, its channels to data servers, and their progress.
//
// All calls are made by the thread that holds the library's API lock (or by the only thread).
// Nothing here blocks.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/slot_table.h"
#include "base/stats.h"
#include "fabric/domain.h"
#include "fabric/endpoint.h"
#include "pipeline/channels.h"
#include "pipeline/chunk_sizes.h"
#include "pipeline/internode_barrier.h"
#include "pipeline/origin_options.h"
#include "pipeline/pending_tasks.h"
#include "pipeline/receive_pool.h"
#include "pipeline/registered_buffers.h"
#include "strided/kernels.h"
#include "wire/frame.h"

namespace armci::pipeline {

// A frame on its way out; lives at the start of the buffer piece that holds it.
struct OutFrame {
    fabric::Operation operation;
    Origin* origin = nullptr;
    Task* task = nullptr;  // nullptr: nobody waits for it
    uint32_t wire_bytes = 0;
    bool is_chunk = false;  // its piece is one of the pipeline's buffers
    uint64_t batch = 0;     // the number of one, as in Origin::last_batch()
    int64_t posted_ns = 0;  // of a chunk, for the timeline

    char* wire() { return reinterpret_cast<char*>(this) + kWireOffset; }
    wire::FrameHeader* header() { return reinterpret_cast<wire::FrameHeader*>(wire()); }
    static constexpr size_t kWireOffset = 128;
};
static_assert(sizeof(OutFrame) <= OutFrame::kWireOffset);

class Origin {
  public:
    Origin() : channels_(endpoint_), tasks_(channels_) {}
    ~Origin() { close(); }
    Origin(const Origin&) = delete;
    Origin& operator=(const Origin&) = delete;

    bool open(fabric::Domain& domain, const OriginOptions& options,
              const OriginEnvironment& environment, base::Stats* stats, std::string* error);
    void close();

    Channel& channel(int server) { return channels_.get(server); }
    Channels& channels() { return channels_; }
    const Channels& channels() const { return channels_; }
    PendingTasks& tasks() { return tasks_; }
    const PendingTasks& tasks() const { return tasks_; }

    // For callers of the library. None of these waits: a caller polls progress() until the
    // condition holds, and gives the processor away in between.

    void submit(Task& task, Channel& channel);
    // Polls once and posts what is due; true when something moved.
    bool progress();

    // Sleeps until the network has something for progress(), or the other descriptor, if any, can
    // be read; at most that long. Only where may_sleep() has just allowed it: it does not when this
    // provider has nothing to sleep on, or already has something to do. Other threads may use this
    // origin meanwhile.
    bool may_sleep() { return can_sleep() && endpoint_.may_sleep(); }
    void sleep(std::chrono::nanoseconds longest, int other = -1) const;
    // Whether progress() has something to post that it could not post so far.
    bool has_posts_to_repeat() const {
        return !lists().active.empty() || !lists().batching.empty() || !credits_due_.empty() ||
               !lists().release_due.empty() || barrier_.round_to_notify() >= 0 ||
               receives_.has_unposted();
    }
    bool can_sleep() const { return endpoint_.wait_mode() == fabric::WaitMode::fd; }

    // Remote completion of everything this origin has done so far to that node's memory, or to all
    // nodes', and the end of gets from there that have no handle. Empty: there is nothing to wait
    // for. Else poll is_done(), which asks the servers for what is missing.
    using Fence = std::vector<FencePoint>;
    Fence start_fence(int node);
    Fence start_fence_all();
    bool is_done(Fence* fence);
    // Whether RMA posted now would have to wait for an acknowledgement first.
    bool has_unacknowledged_requests(int server) const {
        const Channel* channel = channels_.find(server);
        return channel != nullptr && (channel->first_task != nullptr || channel->batch != nullptr ||
                                      channel->mutations_pending());
    }
    // Whether a frame sent now is executed after the writes of all tasks up to that one.
    bool writes_are_ordered_or_done(uint64_t last, int server) const {
        const Channel* channel = channels_.find(server);
        return ordering_.ordered_writes || channel == nullptr ||
               PendingTasks::writes_have_arrived(last, *channel);
    }

    // What was started to that server so far, or to all, was blocking or has been waited for: what
    // is submitted to other servers of its node from now on takes effect after it.
    void mark_must_precede(int server) {
        if (options_.servers.per_node > 1 && channels_.find(server) != nullptr) {
            mark_must_precede(*channels_.find(server));
        }
    }
    void mark_all_must_precede();

    // Appends a small put or accumulate (scale not null), block by block, to what travels together
    // to that server; its data is copied. It leaves with the next thing that goes there, when the
    // frame is full, with the next progress(), or at once when nothing has gone there for a while.
    // False: nothing is appended, make a task of it.
    struct SmallBlock {
        const void* data;
        uint64_t address;
    };
    static constexpr int kMaxSmallBlocks = 16;
    // Leaving::by_caller: flush_blocking() follows. `owner` as in wire::BatchEntry.
    enum class Leaving : uint8_t { when_due, by_caller };
    bool append(Channel& channel, const SmallBlock* blocks, int block_count, size_t block_bytes,
                const strided::AccScale* scale, Leaving leaving, uint32_t owner = wire::kGlobal);
    static constexpr size_t kLargestAppended = 2048;
    void flush_batches();
    // Sends what was just appended by a blocking operation. Where such operations are followed by
    // fences, the acknowledgement is asked for at once.
    void flush_blocking(int server);
    // Whether everything appended so far has left: it needs no further polls to arrive.
    bool batches_have_left() const { return lists().batching.empty() && leaving_batches_.empty(); }
    // Whether the batches up to that one have, to that server or to all. Waits are for these, since
    // other threads may open further ones for ever.
    uint64_t last_batch() const { return last_batch_; }
    bool batch_has_left(int server, uint64_t last) const;
    bool batches_have_left(uint64_t last) const;

    void limit_depth(int chunks) { depth_limit_ = chunks; }

    // The barrier among the nodes' first ranks. `partner_addresses`: of their origins, by round, as
    // notified_in() names them.
    using Address = std::vector<unsigned char>;
    const Address& address() const { return endpoint_.address(); }
    void join_barrier(const InterNodeBarrier& barrier,
                      const std::vector<Address>& partner_addresses);
    void arrive_at_barrier();
    // Whether all have arrived, and this rank's messages need it no more.
    bool is_past_barrier() const { return barrier_.is_complete() && barrier_sends_ == 0; }

    // For tasks.

    size_t largest_message_bytes() const { return largest_message_bytes_; }
    // Of a request: it always travels as a message.
    size_t largest_request_bytes() const {
        return std::min(largest_message_bytes_, kSmallFrameBytes);
    }
    // Room for the next chunk frame to that server, of a transfer that has sent and has left so
    // many bytes; 0: none may be sent now. Chunks are short at the beginning and the end, where
    // nothing overlaps with them.
    size_t chunk_room(Channel& channel, int64_t sent_bytes, int64_t left_bytes);
    // A buffer for a frame of that length, its header filled in; nullptr when there is none now.
    OutFrame* new_frame(wire::FrameKind kind, size_t wire_bytes);
    OutFrame* new_chunk_frame(wire::FrameKind kind, size_t wire_bytes);
    void discard(OutFrame* frame);
    // Whether the server knows this origin, or has been sent what it needs for that. A task that
    // keeps buffers while it waits asks first: the introduction needs a buffer, too.
    bool ensure_handshake(Channel& channel) {
        return channel.handshake_sent || send_handshake(channel);
    }
    enum class Effect : uint8_t { none, mutation };
    // Sends the frame for the task (its pending count goes up until the provider is done with the
    // buffer). False: not now, the frame is still the caller's.
    bool send(Channel& channel, OutFrame* frame, Task* task, Effect effect);

    // Memory of that length in which a server's chunks of a get land; false when there is none now.
    struct ReplyBuffer {
        uint32_t immediate = 0;
        uint32_t bytes = 0;
        uint64_t address = 0;  // for the server
    };
    bool writes_chunks() const { return options_.write_chunks && gets_are_written_; }
    size_t max_reply_buffer_bytes() const { return buffers_.buffer_bytes(); }
    bool acquire_reply_buffer(size_t bytes, ReplyBuffer* reply_buffer);
    void release_reply_buffer(const ReplyBuffer& reply_buffer);
    const void* reply_memory(const ReplyBuffer& reply_buffer) const {
        return reply_buffers_[reply_buffer.immediate].memory;
    }
    uint64_t reply_key() const { return buffers_.key(); }

    // Names a task's request on the wire; answers reach on_answer(tag) until release.
    uint64_t register_request(Task* task, int tag);
    void release_request(uint64_t request_id);

    // RMA of at most max_rma_blocks() blocks between the caller's memory and a target: registered
    // by `local`, or copied through a buffer where the provider wants registration and there is
    // none; then all blocks together are at most largest_rma_bytes(). False: not now.
    bool write(Channel& channel, Task* task, const fabric::RmaBlock* blocks, size_t block_count,
               const fabric::Region& local);
    bool read(Channel& channel, Task* task, const fabric::RmaBlock* blocks, size_t block_count,
              const fabric::Region& local);
    size_t max_rma_blocks() const { return endpoint_.max_rma_blocks(); }
    // Whether a transfer of that length should register its local memory.
    bool registers_local(int64_t bytes) const {
        return domain_->needs_local_registration() && bytes >= options_.register_min_bytes &&
               !registration_refused_;
    }
    // Invalid when the system refuses, which is warned about once.
    fabric::Region register_local(void* start, size_t bytes, fabric::Access access);
    bool resolve(int node, uint64_t address, int64_t bytes, fabric::RemoteMemory* memory) const {
        return environment_.resolve(environment_.context, node, address, bytes, memory);
    }
    size_t largest_rma_bytes(bool is_registered) const {
        return is_registered || !domain_->needs_local_registration() ? endpoint_.max_rma_bytes()
                                                                     : buffers_.buffer_bytes();
    }

    // Before the fence that is likely to follow: where writes are ordered the server is asked now
    // to acknowledge all that is posted.
    void ask_for_fence(Channel& channel) {
        if (ordering_.ordered_writes) {
            ask_acknowledge(channel, channel.last_effect());
        }
    }

    // True when RMA of that kind may be posted now without overtaking earlier operations; otherwise
    // it sees to it that the server is asked, and the caller tries again later.
    bool may_write(Channel& channel);
    bool may_read(Channel& channel);

    // Receive memory for a streamed get, in bytes; false when too much is promised already.
    bool reserve_receive(int64_t bytes);
    void unreserve_receive(int64_t bytes) { receive_reserved_ -= bytes; }
    int64_t stream_window_bytes() const { return stream_window_bytes_; }

    // Tells a server how much of a streamed get has been taken; repeated later if not possible now.
    void send_credit(Channel& channel, uint64_t request_id, const wire::CreditBody& taken);
    // How many chunks of a transfer may be under way; 0: as many as there is room for.
    int depth_limit() const { return depth_limit_; }
    // Whether tasks of other servers want buffers, too, so that one chunk at a time is enough.
    bool is_shared() const { return lists().active.size() > 1; }

    // Between two chunks: takes back the buffers of those that have left, while they are in the
    // processor's cache (8 MiB over loopback: 24 % less time). Not from within a completion.
    void reclaim_buffers() { moved_ |= endpoint_.poll() > 0; }

    // For messages.
    base::Stats& stats() { return *stats_; }
    // What is under way to each server, and what of this origin's is in use for it; in words.
    std::string describe_work() const;
    // Those that work is under way to and that have never been heard of.
    std::vector<int> silent_servers() const;
    // The server's host has been; no reason to ask again.
    void note_reached(int server);
    const BufferManager& buffers() const { return buffers_.manager(); }

    // What is in use; all zero when nothing is under way.
    struct Load {
        int64_t tasks = 0;
        int64_t buffer_bytes = 0;  // of chunks, reply buffers and copies for RMA
        int64_t frame_bytes = 0;   // of requests and batches
        int64_t requests = 0;      // that answers are expected for
        int64_t reply_buffers = 0;
        int64_t credits = 0;  // that could not be sent yet
        int64_t reserved_bytes = 0;
        int64_t posts = 0;  // that the provider has not completed

        bool operator==(const Load&) const = default;
    };
    Load load() const;

  private:
    struct Request {
        Task* task = nullptr;
        int tag = 0;
    };
    struct RmaOperation {
        fabric::Operation operation;
        Origin* origin = nullptr;
        uint32_t slot = 0;  // in rma_operations_
        Task* task = nullptr;
        bool is_delivered_write = false;
        int64_t posted_ns = 0;  // for the timeline, as is the next
        int64_t bytes = 0;
        // Copied through: the piece, and for a read where its data goes.
        char* bounce = nullptr;
        size_t copied_blocks = 0;
        fabric::RmaBlock blocks[fabric::kMaxRmaBlocks];
    };
    struct ReplyPiece {
        char* memory = nullptr;
        size_t bytes = 0;
    };
    // A batch that may still need polls to leave.
    struct LeavingBatch {
        const OutFrame* frame;
        int server;
        uint64_t batch;
    };
    struct Credit {
        Channel* channel;
        uint64_t request_id;
        wire::CreditBody taken;
    };

    static void on_frame(void* context, const void* frame, size_t frame_bytes);
    static void on_written(void* context, uint64_t immediate);
    static void on_sent(fabric::Operation* operation, const fabric::Completion& completion);
    static void on_rma(fabric::Operation* operation, const fabric::Completion& completion);
    // The same where the timeline is kept: what is to complete so has been posted so.
    static void on_traced_sent(fabric::Operation* operation, const fabric::Completion& completion);
    static void on_traced_rma(fabric::Operation* operation, const fabric::Completion& completion);
    void handle_frame(const void* frame, size_t frame_bytes);
    [[noreturn]] void report_failure(const wire::FrameHeader& header, const void* frame,
                                     size_t frame_bytes);
    bool open_buffers(std::string* error);
    bool send_handshake(Channel& channel);
    bool post_frame(Channel& channel, OutFrame* frame);
    void ask_acknowledge(Channel& channel, uint64_t needed);
    static void mark_must_precede(Channel& channel);
    // For channels with a node_order. False: it has been seen to that they will be.
    void follow_other_servers(Channel& channel);
    bool predecessors_are_acknowledged(Channel& channel);
    bool add_fence_point(Channel& channel, Fence* fence) const;
    bool is_acknowledged(FencePoint* point);
    // Whether the channel's next task may be posted now.
    bool may_post(Channel& channel) {
        return (channel.node_order == nullptr || predecessors_are_acknowledged(channel)) &&
               flush_batch(channel);
    }
    bool expects_nothing();
    void notify_barrier();
    void take_barrier_message(const wire::FrameHeader& header);
    static void on_barrier_sent(fabric::Operation* operation, const fabric::Completion& completion);
    bool try_credit(const Credit& credit);
    OutFrame* make_frame(void* piece, wire::FrameKind kind, size_t wire_bytes);
    bool post_message(Channel& channel, OutFrame* frame);
    bool post_into_recv_buffer(Channel& channel, OutFrame* frame);
    uint64_t recv_buffers_wanted(const Channel& channel, uint64_t used) const;
    void ask_recv_buffers(Channel& channel);
    void take_grant(Channel& channel, const void* frame, size_t frame_bytes);
    bool release_recv_buffers(Channel& channel);
    bool flush_batch(Channel& channel);
    bool is_leaving(int server, uint64_t last) const;
    void post_tasks(Channel& channel);
    RmaOperation* new_rma_operation(Channel& channel, Task* task);
    void drop(RmaOperation* rma);
    static void trace(RmaOperation* rma, const fabric::RmaBlock* blocks, size_t block_count);
    bool needs_bounce(const fabric::Region& local) const {
        return !local.valid() && domain_->needs_local_registration();
    }
    bool lay_out_bounce(RmaOperation* rma, const fabric::RmaBlock* blocks, size_t block_count,
                        fabric::RmaBlock* bounced);

    fabric::Domain* domain_ = nullptr;
    OriginOptions options_;
    OriginEnvironment environment_;
    Ordering ordering_;
    base::Stats* stats_ = nullptr;
    fabric::Endpoint endpoint_;
    // For chunks; requests and everything small have memory of their own, so that neither waits for
    // the other.
    RegisteredBuffers buffers_;
    RegisteredBuffers small_frames_;
    ReceivePool receives_;

    ChannelLists& lists() { return channels_.lists(); }
    const ChannelLists& lists() const { return channels_.lists(); }

    Channels channels_;
    PendingTasks tasks_;
    size_t next_active_ = 0;  // whose turn it is among the active channels
    bool moved_ = false;      // in this turn of progress()
    uint32_t idle_turns_ = 0;
    std::vector<LeavingBatch> leaving_batches_;
    uint64_t last_batch_ = 0;                    // number of the newest
    base::SlotTable<ReplyPiece> reply_buffers_;  // by immediate data
    std::vector<Credit> credits_due_;
    base::SlotTable<Request> requests_;
    // Released ones are kept for the next, as the provider needs their memory to stay in its place.
    base::SlotTable<std::unique_ptr<RmaOperation>> rma_operations_;
    int64_t receive_budget_ = 0;
    int64_t receive_reserved_ = 0;
    int64_t stream_window_bytes_ = 0;
    size_t largest_message_bytes_ = 0;
    bool registration_refused_ = false;
    bool registration_warned_ = false;
    int refused_registrations_ = 0;  // in sequence
    bool gets_are_written_ = true;
    InterNodeBarrier barrier_;
    std::vector<fabric::PeerAddress> barrier_partners_;  // by round
    int barrier_sends_ = 0;                              // posted and not complete
    std::vector<int> reached_nodes_;                     // as note_reached() was told
    int depth_limit_ = 0;
    std::vector<std::pair<Channel*, uint64_t>> limited_chunks_;  // under way, while it is not 0

    static constexpr size_t kSmallFrameBytes = kLargestMessagePiece - OutFrame::kWireOffset;
};

}  // namespace armci::pipeline

// SPDX-License-Identifier: BSD-3-Clause
// A reliable-datagram endpoint with its completion queue.
//
// Posting never blocks: a post that the provider cannot take now returns false, and the caller
// polls this endpoint and tries again later (connections are made that way, too). Any error that a
// provider reports, but a message longer than agreed, ends the job: providers leave connections in
// unusable states, and ARMCI has no way to report a lost operation later. Calls may come from
// several threads only under the caller's lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fabric/domain.h"

namespace armci::fabric {

struct Completion {
    uint64_t flags = 0;      // FI_RECV, FI_SEND, …; FI_MULTI_RECV: the posted buffer is used up
    size_t bytes = 0;        // received bytes
    void* data = nullptr;    // where a multi-receive message begins
    bool cancelled = false;  // a receive given back when the endpoint closes
    bool cut = false;        // the posted buffer had not enough room for the message, which is lost
};

// The context of every posted operation: embed it in the object that the operation belongs to. It
// stays in use until `complete` is called with it.
struct Operation {
    fi_context2 fabric_context;
    void (*complete)(Operation* self, const Completion& completion) = nullptr;
    const char* what = "";  // for error messages: "send", "write", …
    int peer = -1;          // for error messages: rank or node number, -1 unknown
};

using PeerAddress = fi_addr_t;

struct RemoteMemory {
    uint64_t address = 0;  // Region::remote_base() plus offset
    uint64_t key = 0;
};

// One contiguous piece of an RMA operation: its two ends.
struct RmaBlock {
    void* local = nullptr;
    size_t bytes = 0;
    RemoteMemory remote;
};
inline constexpr size_t kMaxRmaBlocks = 4;

class Endpoint {
  public:
    Endpoint() = default;
    Endpoint(const Endpoint&) = delete;
    Endpoint& operator=(const Endpoint&) = delete;
    ~Endpoint() { close(); }

    struct Options {
        size_t receive_entries = 0;        // completions of receives that the queue has room for
        size_t largest_message_bytes = 0;  // for multi-receive buffers
        const char* peer_kind = "node";    // what Operation::peer numbers
        // For messages, where more is known of it: "node 1 (rank 2 on host b, 192.0.2.1)".
        std::string (*describe_peer)(const void* context, int peer) = nullptr;
        const void* describe_context = nullptr;
        // Peers' writes that carry a notice: what is called with it once the data is there, and how
        // many of these there may be at a time.
        void (*on_immediate)(void* context, uint64_t immediate) = nullptr;
        void* immediate_context = nullptr;
        size_t immediate_entries = 0;
    };

    bool open(Domain& domain, const Options& options, std::string* error);
    // Returns posted receives through their operations and closes; also done by the destructor.
    void close();

    // The name other processes insert_peer() to reach this endpoint; opaque bytes.
    const std::vector<unsigned char>& address() const { return address_; }
    // How many of these bytes, from the first on, could be a name of the sort that this endpoint's
    // own is; 0: none. Names that are text need not be equally long.
    size_t address_bytes(const void* bytes, size_t size) const;
    // FI_ADDR_UNSPEC when the provider does not accept it.
    PeerAddress insert_peer(const void* address);

    bool post_send(PeerAddress peer, const void* data, size_t bytes, void* descriptor,
                   Operation* operation);
    // A buffer that takes messages until less than one largest message is free.
    bool post_multi_receive(void* buffer, size_t bytes, void* descriptor, Operation* operation);

    enum class WriteCompletion : uint8_t { local, delivered };
    // Several blocks in one operation, at most max_rma_blocks(); all registered by `descriptor`.
    bool post_write(PeerAddress peer, const RmaBlock* blocks, size_t block_count, void* descriptor,
                    WriteCompletion completion, Operation* operation);
    // One piece, of which the peer's endpoint is told by `notice` (32 bits) once the data is there.
    // Completes locally.
    bool post_write_notify(PeerAddress peer, const void* data, size_t bytes, void* descriptor,
                           const RemoteMemory& target, uint32_t immediate, Operation* operation);
    bool post_read(PeerAddress peer, const RmaBlock* blocks, size_t block_count, void* descriptor,
                   Operation* operation);

    // Handles what has completed, drives the provider; returns the number of completions.
    int poll();

    // Sends, reads and writes that are posted and not complete.
    size_t outstanding() const { return outstanding_; }

    // Largest piece of an RMA operation, and how many of them one may have.
    size_t max_rma_bytes() const { return max_rma_bytes_; }
    size_t max_rma_blocks() const { return max_rma_blocks_; }

    WaitMode wait_mode() const { return wait_mode_; }
    // For WaitMode::fd: the descriptor, and whether it may be waited for now (fi_trywait).
    int wait_fd() const { return wait_fd_; }
    bool may_sleep();
    // For WaitMode::sread: sleeps until something completes and handles it.
    int poll_blocking(int timeout_ms);

    fid_ep* endpoint() const { return endpoint_.get(); }

  private:
    bool rma(const char* what, PeerAddress peer, const RmaBlock* blocks, size_t block_count,
             void* descriptor, uint64_t flags, uint64_t immediate, Operation* operation);
    bool room() const { return outstanding_ < outstanding_limit_; }
    // Whether a test wants this post not to be taken; ends the job if it could not be on a provider
    // with the wishes that the test makes up.
    bool is_refused(const void* data, size_t bytes, void* descriptor, const Operation* operation,
                    const char* what);
    bool taken(ssize_t result, Operation* operation, const char* what);
    void deliver(const fi_cq_data_entry& entry);
    void handle_error();
    [[noreturn]] void fail(const char* what, int peer, int error, const char* detail);
    std::string describe_peer(int peer) const;
    std::string explain_failure(int error) const;

    Domain* domain_ = nullptr;
    Options options_;
    FidPtr<fid_cq> queue_;
    FidPtr<fid_ep> endpoint_;
    std::vector<unsigned char> address_;
    size_t outstanding_ = 0;  // sends, reads and writes without a completion yet
    size_t outstanding_limit_ = 0;
    size_t max_rma_bytes_ = 0;
    size_t max_rma_blocks_ = 1;
    WaitMode wait_mode_ = WaitMode::nap;
    int wait_fd_ = -1;
    bool closing_ = false;
    std::vector<Operation*> receives_;  // posted buffers, to be given back on close
};

}  // namespace armci::fabric

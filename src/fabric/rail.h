// SPDX-License-Identifier: BSD-3-Clause
// A rail: a reliable-datagram endpoint of libfabric on one adapter, with its completion queue.
// Everything else uses it through Endpoint (endpoint.h), which may have several.
//
// Posting never blocks. A post that the provider cannot take now returns false; the caller polls
// this endpoint and tries again later. (Connections are made that way, too.) An operation of this
// process that fails ends the job: providers leave connections in unusable states, and ARMCI has no
// way to report a lost operation later. Whatever goes wrong with what others send to this endpoint
// ends nothing, because anyone may send (base/strangers.h). A rank whose connection has broken
// finds that out by its own operations, or by its liveness connection. Calls may come from several
// threads only under the caller's lock.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fabric/domain.h"

namespace armci::fabric {

struct Completion {
    uint64_t flags = 0;      // FI_RECV, FI_SEND, …; FI_MULTI_RECV: the posted buffer is used up
    size_t bytes = 0;        // received bytes
    void* data = nullptr;    // start of the message in a multi-receive buffer
    bool cancelled = false;  // a receive that is released because the endpoint closes
    bool cut = false;        // a message was lost: it did not fit into the posted buffer
    bool broken = false;     // a message was lost, for another reason
    bool failed = false;     // only with Rail::Options::survives_errors
};

// What an operation is. No other memory has these values by chance, so that they tell an operation
// from an object of the provider's.
enum class OperationKind : uint32_t {
    none = 0,
    send = 0xa4c17301,
    receive = 0xa4c17302,
    write = 0xa4c17303,
    read = 0xa4c17304,
};
// Returns "send", "write", …
const char* name_of(OperationKind kind);

// An Operation is the context of a posted operation, and a member or a base of the object to
// which that belongs. It stays in use until its `complete` is called.
struct Operation {
    fi_context2 fabric_context;
    void (*complete)(Operation* self, const Completion& completion) = nullptr;
    OperationKind kind = OperationKind::none;
    int peer = -1;            // for error messages: rank or node, -1 if unknown
    uint32_t rail_bytes = 0;  // that it adds to Rail::bytes_under_way()
};

using PeerAddress = fi_addr_t;

struct RemoteMemory {
    uint64_t address = 0;  // Region::remote_base() plus an offset
    uint64_t key = 0;
    // Its keys on the further rails, where these differ (Domain::further_key_count()). Without
    // them, only the first rail can access it there.
    const uint64_t* further_keys = nullptr;

    uint64_t key_on_rail(size_t number) const {
        return number == 0 || further_keys == nullptr ? key : further_keys[number - 1];
    }
};

// An RmaBlock is one block of an RMA operation, with its two ends.
struct RmaBlock {
    void* local = nullptr;
    size_t bytes = 0;
    RemoteMemory remote;
};
inline constexpr size_t kMaxRmaBlocks = 4;

// A gathered write takes so many pieces of local memory.
inline constexpr size_t kGatheredPieces = 3;
using GatheredPieces = std::array<iovec, kGatheredPieces>;

class Rail {
  public:
    Rail() = default;
    Rail(const Rail&) = delete;
    Rail& operator=(const Rail&) = delete;
    ~Rail() { close(); }

    struct Options {
        size_t number = 0;                 // among the rails of its endpoint
        size_t receive_entries = 0;        // completions of receives for which the queue has room
        size_t largest_message_bytes = 0;  // for multi-receive buffers
        const char* peer_kind = "node";    // what Operation::peer numbers
        // Describes a peer in messages, if more is known: "node 1 (rank 2 on host b, 192.0.2.1)".
        std::string (*describe_peer)(const void* context, int peer) = nullptr;
        // After a failure with this peer, or -1 if it is not known which: asks hosts for seconds
        // whether they are in reach. Returns "node 1 (...) refuses connections ...", or an empty
        // text if there is nothing to say. May be null.
        std::string (*ask_peer)(const void* context, int peer) = nullptr;
        const void* describe_context = nullptr;
        // The function is called with the immediate data of a peer's write once the written data
        // has arrived. The number says how many such writes there may be at a time.
        void (*on_immediate)(void* context, uint64_t immediate) = nullptr;
        void* immediate_context = nullptr;
        size_t immediate_entries = 0;
        // An operation that fails completes so, and does not end the job.
        bool survives_errors = false;
    };

    bool open(Domain& domain, const Options& options, std::string* error);
    // Returns posted receives through their operations and closes; the destructor does so, too.
    void close();

    size_t number() const { return options_.number; }

    // Returns the name, in opaque bytes, with which other processes insert_peer() this endpoint.
    const std::vector<unsigned char>& address() const { return address_; }
    // Returns how many of these bytes, from the first on, could be a name of the same kind as this
    // endpoint's own, or 0. Names that are text may differ in length.
    size_t address_bytes(const void* bytes, size_t size) const;
    // Returns FI_ADDR_UNSPEC if the provider does not accept the address.
    PeerAddress insert_peer(const void* address);

    bool post_send(PeerAddress peer, const void* data, size_t bytes, void* descriptor,
                   Operation* operation);
    // Posts a buffer that takes messages until less than one largest message is free.
    bool post_multi_receive(void* buffer, size_t bytes, void* descriptor, Operation* operation);

    enum class WriteCompletion : uint8_t { local, delivered };
    // Each call moves several blocks in one operation, at most max_rma_blocks(). `descriptor` must
    // cover all of them.
    bool post_write(PeerAddress peer, const RmaBlock* blocks, size_t block_count, void* descriptor,
                    WriteCompletion completion, Operation* operation);
    // Writes one block. The peer's endpoint gets `immediate` (32 bits) once the data has arrived.
    // The operation completes locally.
    bool post_write_notify(PeerAddress peer, const void* data, size_t bytes, void* descriptor,
                           const RemoteMemory& target, uint32_t immediate, Operation* operation);
    // The same, but over TCP the operation completes when its target has the data. (Adapters
    // complete no write before that; and fi_writemsg, which asks for it, they do not take
    // everywhere.)
    bool post_confirmed_write_notify(PeerAddress peer, const void* data, size_t bytes,
                                     void* descriptor, const RemoteMemory& target,
                                     uint32_t immediate, Operation* operation);
    // Returns whether post_gathered_notify() may be called. Its memory is not registered.
    bool gathers_writes() const { return gathers_writes_; }
    // As post_write_notify(), but writes several pieces, which follow each other at the peer.
    bool post_gathered_notify(PeerAddress peer, const GatheredPieces& pieces,
                              const RemoteMemory& target, uint32_t immediate, Operation* operation);
    // As post_write_notify(), but returns what the provider says: 0, -FI_EAGAIN, or an error if it
    // cannot do it.
    ssize_t try_write_notify(PeerAddress peer, const void* data, size_t bytes, void* descriptor,
                             const RemoteMemory& target, uint32_t immediate, Operation* operation);
    bool post_read(PeerAddress peer, const RmaBlock* blocks, size_t block_count, void* descriptor,
                   Operation* operation);

    // Handles completions and drives the provider. Returns the number of completions.
    int poll();

    // Returns how many sends, reads and writes are posted and not complete.
    size_t outstanding() const { return outstanding_; }

    // Counts the bytes of an operation that has been posted, and returns how many of those that
    // were counted are under way.
    void count(size_t bytes, Operation* operation);
    size_t bytes_under_way() const { return bytes_under_way_; }
    // Returns the bytes that were ever counted in its domain.
    uint64_t carried_bytes() const { return domain_->carried_bytes(); }

    // Return the most bytes of an RMA operation, and the most blocks that one may have.
    size_t max_rma_bytes() const { return max_rma_bytes_; }
    size_t max_rma_blocks() const { return max_rma_blocks_; }

    WaitMode wait_mode() const { return wait_mode_; }
    // Return the descriptor to wait for, and whether it may be waited for now (fi_trywait). They
    // are for WaitMode::fd.
    int wait_fd() const { return wait_fd_; }
    bool may_sleep();
    // Sleeps until something completes and handles it. It is for WaitMode::sread.
    int poll_blocking(int timeout_ms);

    fid_ep* endpoint() const { return endpoint_.get(); }

  private:
    // The steps of open().
    void set_limits();
    bool open_queue(std::string* error);
    bool open_endpoint(std::string* error);
    bool enable(bool* is_port_taken, std::string* error);
    void find_wait_fd();
    bool read_address(std::string* error);

    bool rma(OperationKind kind, PeerAddress peer, const RmaBlock* blocks, size_t block_count,
             void* descriptor, uint64_t flags, Operation* operation);
    // Writes pieces, at most kGatheredPieces, behind each other.
    bool write_pieces(PeerAddress peer, std::span<const iovec> pieces, void* descriptor,
                      const RemoteMemory& target, uint32_t immediate, uint64_t flags,
                      Operation* operation);
    bool room() const { return outstanding_ < outstanding_limit_; }
    // Says whether a test wants this post refused. Ends the job if a provider with the requirements
    // that the test sets could not take it.
    bool is_refused(const void* data, size_t bytes, void* descriptor, const Operation* operation,
                    OperationKind kind);
    bool taken(ssize_t result, Operation* operation, OperationKind kind);
    void deliver(const fi_cq_data_entry& entry);
    void handle_error();
    [[noreturn]] void fail(const char* what, int peer, int error, const char* detail);
    std::string describe_peer(int peer) const;
    std::string explain_failure(int error, int peer) const;

    Domain* domain_ = nullptr;
    Options options_;
    FidPtr<fid_cq> queue_;
    FidPtr<fid_ep> endpoint_;
    std::vector<unsigned char> address_;
    size_t outstanding_ = 0;  // sends, reads and writes without a completion yet
    size_t outstanding_limit_ = 0;
    size_t max_rma_bytes_ = 0;
    size_t max_rma_blocks_ = 1;
    bool gathers_writes_ = false;
    WaitMode wait_mode_ = WaitMode::nap;
    int wait_fd_ = -1;
    bool closing_ = false;
    std::vector<Operation*> receives_;  // posted buffers, released on close
    size_t bytes_under_way_ = 0;
};

}  // namespace armci::fabric

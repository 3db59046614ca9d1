// SPDX-License-Identifier: BSD-3-Clause
// What a data server or an origin communicates through: one rail, or one on each domain of several
// (Domain::rails()).
//
// Messages and short operations take the first rail. A long write or read takes the rail that has
// the fewest bytes under way. A faster rail completes its bytes sooner, so it gets more: each rail
// gets work by its speed, which nothing has to estimate. That holds only if a completion comes from
// the target, which long operations on several rails therefore ask for. Memory that is not
// registered on the further rails, or whose keys there are not known, is accessed on the first.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "fabric/domain.h"
#include "fabric/rail.h"

namespace armci::fabric {

// Functions that only pass a call on are described in rail.h.
class Endpoint {
  public:
    using Options = Rail::Options;
    using WriteCompletion = Rail::WriteCompletion;
    // Whether a write must not be visible before earlier ones without immediate data.
    enum class WriteOrder : uint8_t { none, after_writes };

    // The most rails of an endpoint; more than any known node has for one process.
    static constexpr size_t kMaxRails = 8;
    // With several rails: shorter operations stay on the first one, and remote memory access is
    // divided into operations of at most so many bytes. It waits where each rail has a window of
    // bytes under way, because what is posted cannot change its rail any more. The window keeps
    // 10 Gbit/s busy over 0.8 ms.
    static constexpr size_t kShortestDividedBytes = 16 << 10;
    static constexpr size_t kLongestDividedBytes = 256 << 10;
    static constexpr size_t kWindowBytes = 1 << 20;

    // Opens a rail on the domain and on each of its rails.
    bool open(Domain& domain, const Options& options, std::string* error);
    void close();

    // Consists of the names on all rails.
    const std::vector<unsigned char>& address() const { return address_; }
    size_t address_bytes(const void* bytes, size_t size) const;
    PeerAddress insert_peer(const void* address);

    bool post_send(PeerAddress peer, const void* data, size_t bytes, Descriptors local,
                   Operation* operation) {
        return first_.post_send(peer, data, bytes, local.on_rail(0), operation);
    }
    bool post_multi_receive(void* buffer, size_t bytes, Descriptors local, Operation* operation) {
        return first_.post_multi_receive(buffer, bytes, local.on_rail(0), operation);
    }
    // With WriteCompletion::local it takes the first rail: only the order with later messages,
    // which take that, too, tells that the write has arrived.
    bool post_write(PeerAddress peer, const RmaBlock* blocks, size_t block_count, Descriptors local,
                    WriteCompletion completion, Operation* operation) {
        return further_.empty()
                   ? first_.post_write(peer, blocks, block_count, local.on_rail(0), completion,
                                       operation)
                   : divide_write(peer, blocks, block_count, local, completion, operation);
    }
    // With WriteOrder::after_writes, which holds where writes have an order, it takes the first
    // rail.
    bool post_write_notify(PeerAddress peer, const void* data, size_t bytes, Descriptors local,
                           const RemoteMemory& target, uint32_t immediate, Operation* operation,
                           WriteOrder order = WriteOrder::none) {
        return further_.empty() ? first_.post_write_notify(peer, data, bytes, local.on_rail(0),
                                                           target, immediate, operation)
                                : divide_write_notify(peer, data, bytes, local, target, immediate,
                                                      operation, order);
    }
    bool gathers_writes() const { return further_.empty() && first_.gathers_writes(); }
    bool post_gathered_notify(PeerAddress peer, const GatheredPieces& pieces,
                              const RemoteMemory& target, uint32_t immediate,
                              Operation* operation) {
        return first_.post_gathered_notify(peer, pieces, target, immediate, operation);
    }
    ssize_t try_write_notify(PeerAddress peer, const void* data, size_t bytes, Descriptors local,
                             const RemoteMemory& target, uint32_t immediate, Operation* operation) {
        return first_.try_write_notify(peer, data, bytes, local.on_rail(0), target, immediate,
                                       operation);
    }
    bool post_read(PeerAddress peer, const RmaBlock* blocks, size_t block_count, Descriptors local,
                   Operation* operation) {
        return further_.empty()
                   ? first_.post_read(peer, blocks, block_count, local.on_rail(0), operation)
                   : divide_read(peer, blocks, block_count, local, operation);
    }

    int poll() {
        const int count = first_.poll();
        return further_.empty() ? count : count + poll_further();
    }
    size_t outstanding() const;

    // Return the most bytes of an operation, and of a write. One that takes the first rail is not
    // divided.
    size_t max_rma_bytes() const {
        return further_.empty() ? first_.max_rma_bytes()
                                : std::min(first_.max_rma_bytes(), kLongestDividedBytes);
    }
    size_t max_write_bytes(WriteCompletion completion) const {
        return completion == WriteCompletion::local ? first_.max_rma_bytes() : max_rma_bytes();
    }
    size_t max_rma_blocks() const { return first_.max_rma_blocks(); }

    // With several rails this is fd or nap.
    WaitMode wait_mode() const { return wait_mode_; }
    int wait_fd() const { return further_.empty() ? first_.wait_fd() : epoll_.get(); }
    bool may_sleep();
    int poll_blocking(int timeout_ms) { return first_.poll_blocking(timeout_ms); }

    // Return a rail, the first one's number being 0, and the endpoints of libfabric on all of them
    // and on the first.
    const Rail& rail(size_t number) const { return number == 0 ? first_ : *further_[number - 1]; }
    Targets on_rails() const { return on_rails_; }
    Targets on_first_rail() const { return {on_rails_.data(), 1}; }
    // Domain::further_key_count()
    size_t further_key_count() const { return further_key_count_; }
    fid_ep* endpoint() const { return first_.endpoint(); }

  private:
    bool open_further(Domain& domain, const Options& options, std::string* error);
    bool make_epoll();
    int poll_further();
    // Say whether both sides of an operation can be named on all rails.
    bool are_on_all_rails(Descriptors local, const RemoteMemory& remote) const {
        return (!needs_local_registration_ || local.are_on_all_rails()) &&
               (further_key_count_ == 0 || remote.further_keys != nullptr);
    }
    bool are_on_all_rails(Descriptors local, const RmaBlock* blocks, size_t block_count) const;
    // Counts a long operation if it has been posted on the first rail. Returns whether it has.
    bool count_on_first(bool is_posted, size_t bytes, Operation* operation);
    // These do the same as post_...() where there are several rails.
    bool divide_write(PeerAddress peer, const RmaBlock* blocks, size_t block_count,
                      Descriptors local, WriteCompletion completion, Operation* operation);
    bool divide_write_notify(PeerAddress peer, const void* data, size_t bytes, Descriptors local,
                             const RemoteMemory& target, uint32_t immediate, Operation* operation,
                             WriteOrder order);
    bool divide_read(PeerAddress peer, const RmaBlock* blocks, size_t block_count,
                     Descriptors local, Operation* operation);
    // Calls post(Rail&, PeerAddress), which returns whether the rail has taken an operation of so
    // many bytes, for one rail after the other until one has: the one with the fewest bytes under
    // way first. Those that have some and would exceed the window are left out.
    template <class Post>
    bool post_on_any(PeerAddress peer, size_t bytes, size_t window_bytes, Operation* operation,
                     Post&& post);

    Rail first_;
    std::vector<std::unique_ptr<Rail>> further_;
    std::vector<std::vector<PeerAddress>> peers_;  // by further rail, then by address on the first
    std::vector<unsigned char> address_;
    std::vector<fid_ep*> on_rails_;
    size_t further_key_count_ = 0;
    bool needs_local_registration_ = false;
    WaitMode wait_mode_ = WaitMode::nap;
    base::Descriptor epoll_;  // for the descriptors of several rails
};

}  // namespace armci::fabric

// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/endpoint.h"

#include <sys/epoll.h>

#include "fabric/faults.h"

namespace armci::fabric {
namespace {

size_t total_bytes(const RmaBlock* blocks, size_t block_count) {
    size_t bytes = 0;
    for (size_t i = 0; i < block_count; ++i) {
        bytes += blocks[i].bytes;
    }
    return bytes;
}

// Says whether a rail should be tried before one whose number is lower. Of two that are equally
// busy, the faster one has carried more.
bool is_better(const Rail& rail, const Rail& earlier) {
    const size_t under_way = rail.bytes_under_way();
    const size_t under_way_earlier = earlier.bytes_under_way();
    return under_way < under_way_earlier || (under_way == under_way_earlier && under_way > 0 &&
                                             rail.carried_bytes() > earlier.carried_bytes());
}

size_t shortest_divided_bytes() {
    return faults().divides_short ? 0 : Endpoint::kShortestDividedBytes;
}

}  // namespace

bool Endpoint::open(Domain& domain, const Options& options, std::string* error) {
    if (!first_.open(domain, options, error)) {
        return false;
    }
    address_ = first_.address();
    on_rails_ = {first_.endpoint()};
    wait_mode_ = first_.wait_mode();
    further_key_count_ = domain.further_key_count();
    needs_local_registration_ = domain.needs_local_registration();
    return domain.rails().empty() || open_further(domain, options, error);
}

bool Endpoint::open_further(Domain& domain, const Options& options, std::string* error) {
    Options without_messages = options;
    without_messages.receive_entries = 0;
    without_messages.largest_message_bytes = 0;
    for (const std::unique_ptr<Domain>& rail_domain : domain.rails()) {
        ++without_messages.number;
        auto rail = std::make_unique<Rail>();
        if (!rail->open(*rail_domain, without_messages, error)) {
            return false;
        }
        const std::vector<unsigned char>& name = rail->address();
        if (name.size() != first_.address().size()) {
            *error = "the addresses of rails differ in length";
            return false;
        }
        address_.insert(address_.end(), name.begin(), name.end());
        on_rails_.push_back(rail->endpoint());
        further_.push_back(std::move(rail));
    }
    peers_.resize(further_.size());
    wait_mode_ = make_epoll() ? WaitMode::fd : WaitMode::nap;
    return true;
}

bool Endpoint::make_epoll() {
    epoll_ = base::Descriptor(epoll_create1(EPOLL_CLOEXEC));
    bool are_watched = epoll_.valid();
    for (size_t number = 0; are_watched && number <= further_.size(); ++number) {
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.fd = rail(number).wait_fd();
        are_watched = rail(number).wait_mode() == WaitMode::fd &&
                      epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, event.data.fd, &event) == 0;
    }
    return are_watched;
}

void Endpoint::close() {
    further_.clear();
    peers_.clear();
    on_rails_.clear();
    first_.close();
    epoll_.reset();
}

size_t Endpoint::address_bytes(const void* bytes, size_t size) const {
    const size_t of_first = first_.address_bytes(bytes, size);
    if (of_first == 0 || further_.empty()) {
        return of_first;
    }
    return size >= address_.size() ? address_.size() : 0;
}

PeerAddress Endpoint::insert_peer(const void* address) {
    const PeerAddress first = first_.insert_peer(address);
    const auto* next = static_cast<const unsigned char*>(address);
    for (size_t i = 0; i < further_.size() && first != FI_ADDR_UNSPEC; ++i) {
        next += first_.address().size();
        const PeerAddress peer = further_[i]->insert_peer(next);
        if (peer == FI_ADDR_UNSPEC) {
            return FI_ADDR_UNSPEC;
        }
        if (peers_[i].size() <= first) {
            peers_[i].resize(first + 1, FI_ADDR_UNSPEC);
        }
        peers_[i][first] = peer;
    }
    return first;
}

template <class Post>
bool Endpoint::post_on_any(PeerAddress peer, size_t bytes, size_t window_bytes,
                           Operation* operation, Post&& post) {
    std::array<Rail*, kMaxRails> rails;
    std::array<PeerAddress, kMaxRails> peers;
    size_t count = 0;
    const auto add = [&](Rail& rail, PeerAddress address) {
        const size_t under_way = rail.bytes_under_way();
        if (under_way > 0 && under_way + bytes > window_bytes) {
            return;
        }
        size_t place = count++;
        for (; place > 0 && is_better(rail, *rails[place - 1]); --place) {
            rails[place] = rails[place - 1];
            peers[place] = peers[place - 1];
        }
        rails[place] = &rail;
        peers[place] = address;
    };
    add(first_, peer);
    for (size_t i = 0; i < further_.size(); ++i) {
        add(*further_[i], peers_[i][peer]);
    }
    for (size_t i = 0; i < count; ++i) {
        if (post(*rails[i], peers[i])) {
            rails[i]->count(bytes, operation);
            return true;
        }
    }
    return false;
}

bool Endpoint::are_on_all_rails(Descriptors local, const RmaBlock* blocks,
                                size_t block_count) const {
    return std::all_of(blocks, blocks + block_count, [&](const RmaBlock& block) {
        return are_on_all_rails(local, block.remote);
    });
}

bool Endpoint::count_on_first(bool is_posted, size_t bytes, Operation* operation) {
    if (is_posted && bytes >= shortest_divided_bytes()) {
        first_.count(bytes, operation);
    }
    return is_posted;
}

bool Endpoint::divide_write(PeerAddress peer, const RmaBlock* blocks, size_t block_count,
                            Descriptors local, WriteCompletion completion, Operation* operation) {
    const size_t bytes = total_bytes(blocks, block_count);
    if (bytes < shortest_divided_bytes() || completion == WriteCompletion::local ||
        !are_on_all_rails(local, blocks, block_count)) {
        return count_on_first(
            first_.post_write(peer, blocks, block_count, local.on_rail(0), completion, operation),
            bytes, operation);
    }
    return post_on_any(peer, bytes, kWindowBytes, operation, [&](Rail& rail, PeerAddress there) {
        return rail.post_write(there, blocks, block_count, local.on_rail(rail.number()), completion,
                               operation);
    });
}

bool Endpoint::divide_read(PeerAddress peer, const RmaBlock* blocks, size_t block_count,
                           Descriptors local, Operation* operation) {
    const size_t bytes = total_bytes(blocks, block_count);
    if (bytes < shortest_divided_bytes() || !are_on_all_rails(local, blocks, block_count)) {
        return count_on_first(
            first_.post_read(peer, blocks, block_count, local.on_rail(0), operation), bytes,
            operation);
    }
    return post_on_any(peer, bytes, kWindowBytes, operation, [&](Rail& rail, PeerAddress there) {
        return rail.post_read(there, blocks, block_count, local.on_rail(rail.number()), operation);
    });
}

// Receive buffers limit what is under way, so these writes need no window.
bool Endpoint::divide_write_notify(PeerAddress peer, const void* data, size_t bytes,
                                   Descriptors local, const RemoteMemory& target,
                                   uint32_t immediate, Operation* operation, WriteOrder order) {
    if (bytes < shortest_divided_bytes() || order == WriteOrder::after_writes ||
        !are_on_all_rails(local, target)) {
        return count_on_first(first_.post_write_notify(peer, data, bytes, local.on_rail(0), target,
                                                       immediate, operation),
                              bytes, operation);
    }
    return post_on_any(peer, bytes, SIZE_MAX, operation, [&](Rail& rail, PeerAddress there) {
        return rail.post_confirmed_write_notify(there, data, bytes, local.on_rail(rail.number()),
                                                target, immediate, operation);
    });
}

int Endpoint::poll_further() {
    int count = 0;
    for (const std::unique_ptr<Rail>& rail : further_) {
        count += rail->poll();
    }
    return count;
}

size_t Endpoint::outstanding() const {
    size_t count = first_.outstanding();
    for (const std::unique_ptr<Rail>& rail : further_) {
        count += rail->outstanding();
    }
    return count;
}

bool Endpoint::may_sleep() {
    return first_.may_sleep() &&
           std::all_of(further_.begin(), further_.end(),
                       [](const std::unique_ptr<Rail>& rail) { return rail->may_sleep(); });
}

}  // namespace armci::fabric

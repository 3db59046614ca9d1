// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/rail.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/strangers.h"
#include "fabric/environment.h"
#include "fabric/faults.h"
#include "fabric/ip_address.h"
#include "fabric/try_again.h"

namespace armci::fabric {
namespace {

constexpr size_t kQueueSlack = 64;
constexpr size_t kMaxOutstanding = 4096;  // for providers that claim to take any number
constexpr int kPollBatch = 16;
constexpr size_t kLargestRmaBytes = size_t{1} << 30;

// Says whether a context that the provider names is an operation that this process has posted. Of
// anything else the context is null, or an object of the provider's.
bool is_posted_here(const Operation* operation) {
    return operation != nullptr &&
           (operation->kind == OperationKind::send || operation->kind == OperationKind::write ||
            operation->kind == OperationKind::read || operation->kind == OperationKind::receive);
}

// Makes a multi-receive buffer end before less than `bytes` is free in it.
bool reserve_space(fid_ep* endpoint, size_t bytes, const Domain& domain, std::string* error) {
    return bytes == 0 ||
           !domain.has_failed(fi_setopt(&endpoint->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV,
                                        &bytes, sizeof bytes),
                              "fi_setopt(FI_OPT_MIN_MULTI_RECV), whose limit a smaller "
                              "ARMCI_BUFFER_SIZE may keep,",
                              error);
}

// Returns before how many free bytes a multi-receive buffer ends. A provider that does not answer
// is assumed to have taken the option.
size_t kept_space(fid_ep* endpoint) {
    size_t bytes = 0;
    size_t length = sizeof bytes;
    return fi_getopt(&endpoint->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &bytes, &length) == 0
               ? bytes
               : SIZE_MAX;
}

bool keeps_space(fid_ep* endpoint, size_t bytes, const Domain& domain, std::string* error) {
    const size_t kept_bytes = kept_space(endpoint);
    if (kept_bytes >= bytes) {
        return true;
    }
    *error = "provider " + domain.provider_name() + " of libfabric " +
             std::to_string(FI_MAJOR(fi_version())) + "." + std::to_string(FI_MINOR(fi_version())) +
             " does not keep room for " + std::to_string(bytes) +
             " bytes in receive buffers (FI_OPT_MIN_MULTI_RECV), only for " +
             std::to_string(kept_bytes) +
             ", and would write messages behind their end. Choose another provider "
             "(ARMCI_PROVIDER) or another version of libfabric";
    return false;
}

fi_wait_obj wait_object(WaitMode mode) {
    switch (mode) {
        case WaitMode::fd:
            return FI_WAIT_FD;
        case WaitMode::sread:
            return FI_WAIT_UNSPEC;
        case WaitMode::nap:
            break;
    }
    return FI_WAIT_NONE;
}

// Says whether an endpoint with this name listens in the range of ports that was asked for.
bool listens_where_told(const Domain& domain, const void* name, std::string* error) {
    const uint16_t port = port_of(domain.info().addr_format, name);
    if (!domain.row().listens_by_tcp || port == 0 || ports_in_use().contains(port)) {
        return true;
    }
    *error =
        "provider " + domain.provider_name() + " listens at port " + std::to_string(port) +
        ", which is not in ARMCI_PORT_RANGE: it has no setting for its ports, or libfabric has "
        "read another range before (FI_TCP_PORT_LOW_RANGE and FI_TCP_PORT_HIGH_RANGE, or MPI has "
        "started libfabric). Unset ARMCI_PORT_RANGE or choose another ARMCI_PROVIDER";
    return false;
}

}  // namespace

bool Rail::open(Domain& domain, const Options& options, std::string* error) {
    domain_ = &domain;
    options_ = options;
    wait_mode_ = domain.row().wait;
    set_limits();
    // In a range of ports, two processes may draw the same one before either listens there.
    const int tries = ports_in_use().is_given() ? 100 : 1;
    bool is_port_taken = true;
    for (int i = 0; is_port_taken && i < tries; ++i) {
        endpoint_.reset();
        queue_.reset();
        is_port_taken = false;
        if (open_queue(error) && open_endpoint(error) && enable(&is_port_taken, error)) {
            find_wait_fd();
            return read_address(error);
        }
    }
    // Libfabric says so in several ways.
    if (ports_in_use().is_given()) {
        *error += "; perhaps all ports of ARMCI_PORT_RANGE are in use";
    }
    return false;
}

void Rail::set_limits() {
    const fi_info& info = domain_->info();
    outstanding_limit_ = std::clamp(info.tx_attr->size, size_t{1}, kMaxOutstanding);
    max_rma_bytes_ = std::min(info.ep_attr->max_msg_size, kLargestRmaBytes);
    max_rma_blocks_ = std::clamp(std::min(info.tx_attr->iov_limit, info.tx_attr->rma_iov_limit),
                                 size_t{1}, kMaxRmaBlocks);
    gathers_writes_ = domain_->row().gathers_writes && !domain_->needs_local_registration() &&
                      info.tx_attr->iov_limit >= kGatheredPieces;
}

// Opens the completion queue, with the way to wait for it that the provider allows.
bool Rail::open_queue(std::string* error) {
    fi_cq_attr attributes{};
    attributes.format = FI_CQ_FORMAT_DATA;
    attributes.size =
        outstanding_limit_ + options_.receive_entries + options_.immediate_entries + kQueueSlack;
    fid_cq* queue = nullptr;
    while (true) {
        attributes.wait_obj = wait_object(wait_mode_);
        const int result =
            try_again([&] { return fi_cq_open(domain_->domain(), &attributes, &queue, nullptr); });
        if (result == 0) {
            queue_.reset(queue);
            return true;
        }
        if (wait_mode_ == WaitMode::nap) {
            return !domain_->has_failed(result, "fi_cq_open", error);
        }
        const bool had_descriptor = wait_mode_ == WaitMode::fd;
        wait_mode_ = had_descriptor ? WaitMode::sread : WaitMode::nap;
        ARMCI_LOG_INFO(
            "provider %s has no %s (%s); the data server %s", domain_->provider_name().c_str(),
            had_descriptor ? "descriptor to wait for" : "call that waits", fi_strerror(-result),
            had_descriptor ? "tries fi_cq_sread" : "polls with naps");
    }
}

// Opens the endpoint and binds it to the address vector and the completion queue.
bool Rail::open_endpoint(std::string* error) {
    const LibfabricEnvironment environment;
    fi_info info = domain_->info();
    fid_ep* endpoint = nullptr;
    if (domain_->has_failed(
            try_again([&] { return fi_endpoint(domain_->domain(), &info, &endpoint, nullptr); }),
            "fi_endpoint", error)) {
        return false;
    }
    endpoint_.reset(endpoint);
    return !domain_->has_failed(fi_ep_bind(endpoint, &domain_->address_vector()->fid, 0),
                                "fi_ep_bind", error) &&
           !domain_->has_failed(fi_ep_bind(endpoint, &queue_->fid, FI_TRANSMIT | FI_RECV),
                                "fi_ep_bind", error);
}

// Before libfabric 2.0 shm crashes if the space is reserved before fi_enable. Since then shm and
// ofi_rxm ignore it if it is reserved after, and write messages into buffers without room for them.
// This was tried with 1.17 and 2.1, shm with 1.20 and 1.21, too. opx forgets it in fi_enable, so
// its source says. Every version is asked whether it has taken it.
bool Rail::enable(bool* is_port_taken, std::string* error) {
    const bool enable_first = FI_VERSION_LT(fi_version(), FI_VERSION(2, 0));
    const size_t space = options_.largest_message_bytes;
    fid_ep* endpoint = endpoint_.get();
    if (!enable_first && !reserve_space(endpoint, space, *domain_, error)) {
        return false;
    }
    const int result = try_again([&] { return fi_enable(endpoint); });
    *is_port_taken = result == -FI_EADDRINUSE;
    if (domain_->has_failed(result, "fi_enable", error)) {
        return false;
    }
    if ((enable_first || kept_space(endpoint) < space) &&
        !reserve_space(endpoint, space, *domain_, error)) {
        return false;
    }
    return keeps_space(endpoint, space, *domain_, error);
}

void Rail::find_wait_fd() {
    if (wait_mode_ == WaitMode::fd && fi_control(&queue_->fid, FI_GETWAIT, &wait_fd_) != 0) {
        wait_mode_ = WaitMode::nap;
        wait_fd_ = -1;
    }
}

bool Rail::read_address(std::string* error) {
    size_t address_bytes = 0;
    fi_getname(&endpoint_->fid, nullptr, &address_bytes);
    address_.resize(address_bytes);
    return !domain_->has_failed(fi_getname(&endpoint_->fid, address_.data(), &address_bytes),
                                "fi_getname", error) &&
           listens_where_told(*domain_, address_.data(), error);
}

void Rail::close() {
    if (!endpoint_) {
        return;
    }
    closing_ = true;
    endpoint_.reset();
    queue_.reset();
    // Providers differ in whether they report receives that closing has cancelled. The owners of
    // the buffers get exactly one report of each, from here.
    const Completion cancelled{.flags = FI_RECV | FI_MULTI_RECV, .cancelled = true};
    for (Operation* receive : receives_) {
        receive->complete(receive, cancelled);
    }
    receives_.clear();
    closing_ = false;
}

size_t Rail::address_bytes(const void* bytes, size_t size) const {
    const uint32_t format = domain_->info().addr_format;
    if (format == FI_ADDR_STR) {
        const size_t length = strnlen(static_cast<const char*>(bytes), size);
        return length > 0 && length < size ? length + 1 : 0;
    }
    if (size < address_.size()) {
        return 0;
    }
    // A provider may misread the length of an address of another family.
    sa_family_t family = 0;
    if (is_ip_format(format) && std::memcmp(bytes, address_.data(), sizeof family) != 0) {
        return 0;
    }
    return address_.size();
}

PeerAddress Rail::insert_peer(const void* address) {
    PeerAddress peer = FI_ADDR_UNSPEC;
    const int inserted = try_again(
        [&] { return fi_av_insert(domain_->address_vector(), address, 1, &peer, 0, nullptr); });
    if (inserted != 1) {
        return FI_ADDR_UNSPEC;
    }
    return peer;
}

void Rail::count(size_t bytes, Operation* operation) {
    bytes_under_way_ += bytes;
    operation->rail_bytes = static_cast<uint32_t>(bytes);
    domain_->count_carried(bytes);
}

bool Rail::is_refused(const void* data, size_t bytes, void* descriptor, const Operation* operation,
                      OperationKind kind) {
    if (!has_post_faults()) {
        return false;
    }
    if (!is_registered(data, bytes, descriptor)) {
        fail(name_of(kind), operation->peer, FI_EINVAL,
             "its memory is not registered (ARMCI_FAULTS)");
    }
    return post_is_refused();
}

bool Rail::taken(ssize_t result, Operation* operation, OperationKind kind) {
    if (result == 0) {
        operation->kind = kind;
        return true;
    }
    if (result != -FI_EAGAIN) {
        fail(name_of(kind), operation->peer, static_cast<int>(-result), "");
    }
    return false;
}

bool Rail::post_send(PeerAddress peer, const void* data, size_t bytes, void* descriptor,
                     Operation* operation) {
    if (!room() || is_refused(data, bytes, descriptor, operation, OperationKind::send) ||
        !taken(fi_send(endpoint_.get(), data, bytes, descriptor, peer, &operation->fabric_context),
               operation, OperationKind::send)) {
        return false;
    }
    ++outstanding_;
    return true;
}

bool Rail::post_multi_receive(void* buffer, size_t bytes, void* descriptor, Operation* operation) {
    const iovec piece{buffer, bytes};
    fi_msg message{};
    message.msg_iov = &piece;
    message.desc = descriptor != nullptr ? &descriptor : nullptr;
    message.iov_count = 1;
    message.addr = FI_ADDR_UNSPEC;
    message.context = &operation->fabric_context;
    if (is_refused(buffer, bytes, descriptor, operation, OperationKind::receive) ||
        !taken(fi_recvmsg(endpoint_.get(), &message, FI_MULTI_RECV), operation,
               OperationKind::receive)) {
        return false;
    }
    receives_.push_back(operation);
    return true;
}

bool Rail::rma(OperationKind kind, PeerAddress peer, const RmaBlock* blocks, size_t block_count,
               void* descriptor, uint64_t flags, Operation* operation) {
    if (!room()) {
        return false;
    }
    iovec local[kMaxRmaBlocks];
    fi_rma_iov remote[kMaxRmaBlocks];
    void* descriptors[kMaxRmaBlocks];
    for (size_t i = 0; i < block_count; ++i) {
        if (is_refused(blocks[i].local, blocks[i].bytes, descriptor, operation, kind)) {
            return false;
        }
        local[i] = {blocks[i].local, blocks[i].bytes};
        remote[i] = {blocks[i].remote.address, blocks[i].bytes,
                     blocks[i].remote.key_on_rail(number())};
        descriptors[i] = descriptor;
    }
    fi_msg_rma message{};
    message.msg_iov = local;
    message.desc = descriptor != nullptr ? descriptors : nullptr;
    message.iov_count = block_count;
    message.addr = peer;
    message.rma_iov = remote;
    message.rma_iov_count = block_count;
    message.context = &operation->fabric_context;
    const bool is_read = (flags & FI_READ) != 0;
    flags = FI_COMPLETION | (flags & ~uint64_t{FI_READ});
    const ssize_t result = is_read ? fi_readmsg(endpoint_.get(), &message, flags)
                                   : fi_writemsg(endpoint_.get(), &message, flags);
    if (!taken(result, operation, kind)) {
        return false;
    }
    ++outstanding_;
    return true;
}

bool Rail::post_write(PeerAddress peer, const RmaBlock* blocks, size_t block_count,
                      void* descriptor, WriteCompletion completion, Operation* operation) {
    const uint64_t flags = completion == WriteCompletion::delivered ? FI_DELIVERY_COMPLETE : 0;
    return rma(OperationKind::write, peer, blocks, block_count, descriptor, flags, operation);
}

bool Rail::post_write_notify(PeerAddress peer, const void* data, size_t bytes, void* descriptor,
                             const RemoteMemory& target, uint32_t immediate, Operation* operation) {
    return taken(try_write_notify(peer, data, bytes, descriptor, target, immediate, operation),
                 operation, OperationKind::write);
}

// fi_writemsg with FI_REMOTE_CQ_DATA would do the same, but cxi refuses it even where it has
// fi_writedata, and opx 1.17 drops the immediate data without a word.
ssize_t Rail::try_write_notify(PeerAddress peer, const void* data, size_t bytes, void* descriptor,
                               const RemoteMemory& target, uint32_t immediate,
                               Operation* operation) {
    if (!room() || is_refused(data, bytes, descriptor, operation, OperationKind::write)) {
        return -FI_EAGAIN;
    }
    const ssize_t result =
        fi_writedata(endpoint_.get(), data, bytes, descriptor, immediate, peer, target.address,
                     target.key_on_rail(number()), &operation->fabric_context);
    if (result == 0) {
        operation->kind = OperationKind::write;
        ++outstanding_;
    }
    return result;
}

bool Rail::post_gathered_notify(PeerAddress peer, const GatheredPieces& pieces,
                                const RemoteMemory& target, uint32_t immediate,
                                Operation* operation) {
    return write_pieces(peer, pieces, nullptr, target, immediate, 0, operation);
}

bool Rail::post_confirmed_write_notify(PeerAddress peer, const void* data, size_t bytes,
                                       void* descriptor, const RemoteMemory& target,
                                       uint32_t immediate, Operation* operation) {
    if (!domain_->row().listens_by_tcp) {
        return post_write_notify(peer, data, bytes, descriptor, target, immediate, operation);
    }
    const iovec piece{const_cast<void*>(data), bytes};
    return write_pieces(peer, {&piece, 1}, descriptor, target, immediate, FI_DELIVERY_COMPLETE,
                        operation);
}

bool Rail::write_pieces(PeerAddress peer, std::span<const iovec> pieces, void* descriptor,
                        const RemoteMemory& target, uint32_t immediate, uint64_t flags,
                        Operation* operation) {
    if (!room()) {
        return false;
    }
    std::array<void*, kGatheredPieces> descriptors;
    descriptors.fill(descriptor);
    size_t bytes = 0;
    for (const iovec& piece : pieces) {
        if (is_refused(piece.iov_base, piece.iov_len, descriptor, operation,
                       OperationKind::write)) {
            return false;
        }
        bytes += piece.iov_len;
    }
    const fi_rma_iov remote{target.address, bytes, target.key_on_rail(number())};
    fi_msg_rma message{};
    message.msg_iov = pieces.data();
    message.desc = descriptor != nullptr ? descriptors.data() : nullptr;
    message.iov_count = pieces.size();
    message.addr = peer;
    message.rma_iov = &remote;
    message.rma_iov_count = 1;
    message.context = &operation->fabric_context;
    message.data = immediate;
    flags |= FI_COMPLETION | FI_REMOTE_CQ_DATA;
    if (!taken(fi_writemsg(endpoint_.get(), &message, flags), operation, OperationKind::write)) {
        return false;
    }
    ++outstanding_;
    return true;
}

bool Rail::post_read(PeerAddress peer, const RmaBlock* blocks, size_t block_count, void* descriptor,
                     Operation* operation) {
    return rma(OperationKind::read, peer, blocks, block_count, descriptor, FI_READ, operation);
}

void Rail::deliver(const fi_cq_data_entry& entry) {
    // opx says FI_REMOTE_CQ_DATA of the write's own completion, too.
    if ((entry.flags & FI_REMOTE_CQ_DATA) != 0 && (entry.flags & (FI_RECV | FI_WRITE)) == 0) {
        if (options_.on_immediate != nullptr) {
            options_.on_immediate(options_.immediate_context, entry.data);
        }
        return;
    }
    auto* operation = static_cast<Operation*>(entry.op_context);
    if (operation == nullptr) {
        return;
    }
    Completion completion;
    completion.flags = entry.flags;
    completion.bytes = entry.len;
    completion.data = entry.buf;
    // The end of a multi-receive buffer may come with its last message or, without FI_RECV,
    // separately.
    if ((entry.flags & (FI_RECV | FI_MULTI_RECV)) == 0) {
        --outstanding_;
        if (operation->rail_bytes != 0) {
            bytes_under_way_ -= std::exchange(operation->rail_bytes, 0);
        }
    } else if ((entry.flags & FI_MULTI_RECV) != 0) {
        std::erase(receives_, operation);
    }
    operation->complete(operation, completion);
}

int Rail::poll() {
    fi_cq_data_entry entries[kPollBatch];
    const ssize_t count = fi_cq_read(queue_.get(), entries, kPollBatch);
    if (count > 0) {
        for (ssize_t i = 0; i < count; ++i) {
            deliver(entries[i]);
        }
        return static_cast<int>(count);
    }
    if (count == -FI_EAVAIL) {
        handle_error();
    } else if (count != -FI_EAGAIN && count != 0) {
        fail("completion queue", -1, static_cast<int>(-count), "");
    }
    return 0;
}

int Rail::poll_blocking(int timeout_ms) {
    fi_cq_data_entry entry;
    const ssize_t count = fi_cq_sread(queue_.get(), &entry, 1, nullptr, timeout_ms);
    if (count == 1) {
        deliver(entry);
        return 1;
    }
    if (count == -FI_EAVAIL) {
        handle_error();
    } else if (count != -FI_EAGAIN && count != -FI_EINTR && count != -FI_ETIMEDOUT && count != 0 &&
               count != -FI_ECANCELED) {
        fail("completion queue", -1, static_cast<int>(-count), "");
    }
    return 0;
}

bool Rail::may_sleep() {
    fid* objects[] = {&queue_->fid};
    return fi_trywait(domain_->fabric(), objects, 1) == 0;
}

void Rail::handle_error() {
    fi_cq_err_entry entry{};
    const ssize_t count = fi_cq_readerr(queue_.get(), &entry, 0);
    if (count != 1) {
        return;  // another reader took it, or the provider had no error after all
    }
    auto* operation = static_cast<Operation*>(entry.op_context);
    if (entry.err == FI_ECANCELED && closing_) {
        return;
    }
    // An error of something else than an operation of this process: of a connection to it, or of an
    // access to its memory. (ofi_rxm names an object of its own if it cannot fetch a long message.)
    if (!is_posted_here(operation)) {
        base::drop_from_stranger(base::FromStranger::transfer,
                                 "provider %s reports that another process could not access this "
                                 "one (%s)",
                                 domain_->provider_name().c_str(), fi_strerror(entry.err));
        return;
    }
    // A message has been lost. The end of its buffer may have been announced already: later
    // messages fill the buffer while a long one is still arriving in it.
    if (operation->kind == OperationKind::receive) {
        Completion completion;
        completion.flags = entry.flags & FI_MULTI_RECV;
        completion.cut = entry.err == FI_ETRUNC;
        completion.broken = !completion.cut;
        if ((entry.flags & FI_MULTI_RECV) != 0) {
            std::erase(receives_, operation);
        }
        operation->complete(operation, completion);
        return;
    }
    if (options_.survives_errors) {
        --outstanding_;
        bytes_under_way_ -= std::exchange(operation->rail_bytes, 0);
        operation->complete(operation, {.flags = entry.flags, .failed = true});
        return;
    }
    char text[128] = "";
    const char* detail =
        fi_cq_strerror(queue_.get(), entry.prov_errno, entry.err_data, text, sizeof text);
    fail(name_of(operation->kind), operation->peer, entry.err, detail != nullptr ? detail : "");
}

}  // namespace armci::fabric

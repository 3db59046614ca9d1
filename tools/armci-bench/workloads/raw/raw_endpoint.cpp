// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/workloads/raw/raw_endpoint.h"

#include <mpi.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace armci::bench {

namespace {

constexpr size_t kMaxUnderWay = 256;
constexpr int kPollBatch = 16;
// No completion came for so long that the peer may need this core.
constexpr int kPatientPolls = 2000;
// Some providers are known to miss wake-ups.
constexpr int kSleepMs = 100;

std::string describe_failure(const char* call, int result) {
    return result == 0 ? "" : std::string(call) + ": " + fi_strerror(-result);
}

}  // namespace

RawEndpoint::~RawEndpoint() {
    // Declared before the memory that it works on.
    endpoint_.reset();
    if (epoll_fd_ >= 0) {
        ::close(epoll_fd_);
    }
}

std::string RawEndpoint::open(InfoPtr info, bool sleeps, size_t peer_count) {
    info_ = std::move(info);
    std::string error;
    const auto failed = [&error](const char* call, int result) {
        error = describe_failure(call, result);
        return result != 0;
    };

    fid_fabric* fabric = nullptr;
    if (failed("fi_fabric", fi_fabric(info_->fabric_attr, &fabric, nullptr))) {
        return error;
    }
    fabric_.reset(fabric);
    fid_domain* domain = nullptr;
    if (failed("fi_domain", fi_domain(fabric, info_.get(), &domain, nullptr))) {
        return error;
    }
    domain_.reset(domain);
    fi_av_attr vector_attributes{};
    vector_attributes.type = FI_AV_TABLE;
    vector_attributes.count = peer_count;
    fid_av* address_vector = nullptr;
    if (failed("fi_av_open", fi_av_open(domain, &vector_attributes, &address_vector, nullptr))) {
        return error;
    }
    address_vector_.reset(address_vector);

    contexts_.resize(std::clamp<size_t>(info_->tx_attr->size, 1, kMaxUnderWay));
    for (fi_context2& context : contexts_) {
        free_contexts_.push_back(&context);
    }
    fi_cq_attr queue_attributes{};
    queue_attributes.format = FI_CQ_FORMAT_CONTEXT;
    queue_attributes.size = contexts_.size() + words_.received.size();
    queue_attributes.wait_obj = sleeps ? FI_WAIT_FD : FI_WAIT_NONE;
    fid_cq* queue = nullptr;
    if (failed(sleeps ? "completion queue with a file descriptor (--raw-peer wait)" : "fi_cq_open",
               fi_cq_open(domain, &queue_attributes, &queue, nullptr))) {
        return error;
    }
    queue_.reset(queue);

    fid_ep* endpoint = nullptr;
    if (failed("fi_endpoint", fi_endpoint(domain, info_.get(), &endpoint, nullptr))) {
        return error;
    }
    endpoint_.reset(endpoint);
    if (failed("fi_ep_bind", fi_ep_bind(endpoint, &address_vector->fid, 0)) ||
        failed("fi_ep_bind", fi_ep_bind(endpoint, &queue->fid, FI_TRANSMIT | FI_RECV)) ||
        failed("fi_enable", fi_enable(endpoint))) {
        return error;
    }
    if (sleeps) {
        if (failed("fi_control", fi_control(&queue->fid, FI_GETWAIT, &wait_fd_))) {
            return error;
        }
        epoll_fd_ = epoll_create1(EPOLL_CLOEXEC);
        epoll_event event{};
        event.events = EPOLLIN;
        if (epoll_fd_ < 0 || epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, wait_fd_, &event) != 0) {
            return "epoll refuses the provider's file descriptor";
        }
    }
    size_t address_bytes = 0;
    fi_getname(&endpoint->fid, nullptr, &address_bytes);
    address_.resize(address_bytes);
    if (failed("fi_getname", fi_getname(&endpoint->fid, address_.data(), &address_bytes))) {
        return error;
    }
    error = register_for_own_use(&words_, sizeof words_, &words_region_);
    if (error.empty()) {
        post_receives();
    }
    return error;
}

std::string RawEndpoint::register_for_peers(void* start, size_t bytes, RawRegion* region) {
    return register_memory(start, bytes, FI_REMOTE_READ | FI_REMOTE_WRITE, region);
}

std::string RawEndpoint::register_for_own_use(void* start, size_t bytes, RawRegion* region) {
    if ((info_->domain_attr->mr_mode & FI_MR_LOCAL) == 0) {
        return "";
    }
    return register_memory(start, bytes, FI_SEND | FI_RECV | FI_READ | FI_WRITE, region);
}

std::string RawEndpoint::register_memory(void* start, size_t bytes, uint64_t access,
                                         RawRegion* region) {
    // Keys need only differ from each other; providers that choose keys ignore the request.
    static uint64_t next_key = 0x5261'7700;
    fid_mr* mr = nullptr;
    int result = fi_mr_reg(domain_.get(), start, bytes, access, 0, next_key++, 0, &mr, nullptr);
    if (result != 0) {
        return describe_failure("fi_mr_reg", result);
    }
    region->mr.reset(mr);
    if ((info_->domain_attr->mr_mode & FI_MR_ENDPOINT) != 0) {
        result = fi_mr_bind(mr, &endpoint_->fid, 0);
        result = result == 0 ? fi_mr_enable(mr) : result;
    }
    region->descriptor = fi_mr_desc(mr);
    region->key = fi_mr_key(mr);
    region->remote_base = (info_->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0
                              ? reinterpret_cast<uint64_t>(start)
                              : 0;
    return describe_failure("fi_mr_enable", result);
}

std::string RawEndpoint::insert_peer(const void* address, fi_addr_t* peer) {
    const int count = fi_av_insert(address_vector_.get(), address, 1, peer, 0, nullptr);
    return count == 1 ? "" : "the provider does not accept a peer's address";
}

bool RawEndpoint::orders_writes() const {
    return (info_->tx_attr->msg_order & (FI_ORDER_WAW | FI_ORDER_RMA_WAW)) != 0 &&
           info_->ep_attr->max_order_waw_size >= info_->ep_attr->max_msg_size;
}

void RawEndpoint::write(fi_addr_t peer, const void* local, size_t bytes, void* descriptor,
                        uint64_t remote_address, uint64_t key, bool delivered) {
    iovec piece{const_cast<void*>(local), bytes};
    fi_rma_iov target{remote_address, bytes, key};
    fi_msg_rma message{};
    message.msg_iov = &piece;
    message.desc = &descriptor;
    message.iov_count = 1;
    message.addr = peer;
    message.rma_iov = &target;
    message.rma_iov_count = 1;
    message.context = take_context();
    const uint64_t flags = FI_COMPLETION | (delivered ? FI_DELIVERY_COMPLETE : 0);
    ssize_t result = 0;
    while ((result = fi_writemsg(endpoint_.get(), &message, flags)) == -FI_EAGAIN) {
        poll();
    }
    check_post("fi_writemsg", result);
}

void RawEndpoint::read(fi_addr_t peer, void* local, size_t bytes, void* descriptor,
                       uint64_t remote_address, uint64_t key) {
    fi_context2* context = take_context();
    ssize_t result = 0;
    while ((result = fi_read(endpoint_.get(), local, bytes, descriptor, peer, remote_address, key,
                             context)) == -FI_EAGAIN) {
        poll();
    }
    check_post("fi_read", result);
}

void RawEndpoint::send(fi_addr_t peer, int64_t word) {
    words_.sent = word;
    fi_context2* context = take_context();
    ssize_t result = 0;
    while ((result = fi_send(endpoint_.get(), &words_.sent, sizeof word, words_region_.descriptor,
                             peer, context)) == -FI_EAGAIN) {
        poll();
    }
    check_post("fi_send", result);
}

void RawEndpoint::wait_for_all() {
    while (free_contexts_.size() != contexts_.size()) {
        poll();
    }
}

int64_t RawEndpoint::wait_for_word(bool sleeping) {
    post_receives();
    while (!arrived_) {
        if (sleeping) {
            sleep_until_event();
        }
        poll();
    }
    const int64_t word = *arrived_;
    arrived_.reset();
    return word;
}

void RawEndpoint::post_receives() {
    for (WordSlot& slot : words_.received) {
        if (slot.posted) {
            continue;
        }
        ssize_t result = 0;
        while ((result = fi_recv(endpoint_.get(), &slot.word, sizeof slot.word,
                                 words_region_.descriptor, FI_ADDR_UNSPEC, &slot.context)) ==
               -FI_EAGAIN) {
            poll();
        }
        check_post("fi_recv", result);
        slot.posted = true;
    }
}

void RawEndpoint::poll() {
    fi_cq_entry entries[kPollBatch];
    const ssize_t count = fi_cq_read(queue_.get(), entries, kPollBatch);
    if (count == -FI_EAGAIN || count == 0) {
        if (++empty_polls_ > kPatientPolls) {
            sched_yield();
        }
        return;
    }
    if (count < 0) {
        fi_cq_err_entry failure{};
        if (count != -FI_EAVAIL || fi_cq_readerr(queue_.get(), &failure, 0) != 1) {
            fail("fi_cq_read", static_cast<int>(-count));
        }
        fail("operation", failure.err,
             fi_cq_strerror(queue_.get(), failure.prov_errno, failure.err_data, nullptr, 0));
    }
    empty_polls_ = 0;
    for (ssize_t i = 0; i < count; i++) {
        complete(entries[i].op_context);
    }
}

void RawEndpoint::complete(void* context) {
    for (WordSlot& slot : words_.received) {
        if (context == &slot.context) {
            slot.posted = false;
            arrived_ = slot.word;
            return;
        }
    }
    free_contexts_.push_back(static_cast<fi_context2*>(context));
}

void RawEndpoint::sleep_until_event() {
    fid* object = &queue_->fid;
    if (fi_trywait(fabric_.get(), &object, 1) == 0) {
        epoll_event event;
        epoll_wait(epoll_fd_, &event, 1, kSleepMs);
    }
}

fi_context2* RawEndpoint::take_context() {
    while (free_contexts_.empty()) {
        poll();
    }
    fi_context2* context = free_contexts_.back();
    free_contexts_.pop_back();
    return context;
}

void RawEndpoint::check_post(const char* call, ssize_t result) {
    if (result != 0) {
        fail(call, static_cast<int>(-result));
    }
}

void RawEndpoint::fail(const char* call, int error, const char* detail) const {
    std::fprintf(stderr, "armci-bench: raw operations, provider %s: %s: %s %s\n",
                 info_->fabric_attr->prov_name, call, fi_strerror(error),
                 detail != nullptr ? detail : "");
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::abort();
}

}  // namespace armci::bench

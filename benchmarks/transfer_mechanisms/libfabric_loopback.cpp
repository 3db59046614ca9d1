// SPDX-License-Identifier: BSD-3-Clause
// Remote writes and reads by libfabric within the machine, over TCP to the loopback interface or by
// its shared-memory provider. Software providers move nothing unless the target polls, too.
#include "armci-bench/workloads/raw/fid.h"
#include "armci-bench/workloads/raw/raw_provider.h"
#include "factories.h"

#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <array>
#include <vector>

namespace armci::mechanisms {

namespace {

using bench::FidPtr;

// The addresses and keys that a side sends to the other.
struct Card {
    bool opened;
    uint64_t base;
    uint64_t key;
    std::array<char, 256> address;
};

class Loopback : public Mechanism {
  public:
    Loopback(const char* provider, const char* interface, Worker worker)
        : provider_(provider), interface_(interface), worker_(worker) {}

    Availability set_up(Pair& pair, char* own, size_t bytes, char** area) override {
        pair_ = &pair;
        own_ = own;
        *area = own;
        Card mine{};
        const std::string error = open(own, bytes, &mine);
        mine.opened = error.empty();
        const Card theirs = pair.exchange(mine);
        if (!mine.opened) {
            return {Availability::Kind::absent, error};
        }
        if (theirs.opened) {
            check("fi_av_insert",
                  fi_av_insert(addresses_.get(), theirs.address.data(), 1, &peer_, 0, nullptr) - 1);
            remote_base_ = theirs.base;
            remote_key_ = theirs.key;
        }
        return {};
    }

    void tear_down() override {
        endpoint_.reset();
        region_.reset();
        queue_.reset();
        addresses_.reset();
        domain_.reset();
        fabric_.reset();
    }

    void act(size_t offset, size_t bytes) override {
        pair_->wait_until([&] { return !free_.empty(); }, [&] { progress(); });
        fi_context2* context = free_.back();
        free_.pop_back();
        iovec local{own_ + offset, bytes};
        fi_rma_iov remote{remote_base_ + offset, bytes, remote_key_};
        void* descriptor = fi_mr_desc(region_.get());
        fi_msg_rma message{};
        message.msg_iov = &local;
        message.desc = &descriptor;
        message.iov_count = 1;
        message.addr = peer_;
        message.rma_iov = &remote;
        message.rma_iov_count = 1;
        message.context = context;
        ssize_t result = -FI_EAGAIN;
        pair_->wait_until(
            [&] {
                // A plain write would be complete when it is in a socket.
                result = worker_ == Worker::source
                             ? fi_writemsg(endpoint_.get(), &message,
                                           FI_COMPLETION | FI_DELIVERY_COMPLETE)
                             : fi_readmsg(endpoint_.get(), &message, FI_COMPLETION);
                return result != -FI_EAGAIN;
            },
            [&] { progress(); });
        check(worker_ == Worker::source ? "fi_writemsg" : "fi_readmsg", result);
    }

    void complete() override {
        pair_->wait_until([&] { return free_.size() == contexts_.size(); }, [&] { progress(); });
    }

    void progress() override {
        fi_cq_entry entries[16];
        const ssize_t count = fi_cq_read(queue_.get(), entries, 16);
        if (count == -FI_EAVAIL) {
            fi_cq_err_entry failure{};
            fi_cq_readerr(queue_.get(), &failure, 0);
            check("operation", -failure.err);
        }
        if (count < 0 && count != -FI_EAGAIN) {
            check("fi_cq_read", count);
        }
        for (ssize_t i = 0; i < count; i++) {
            free_.push_back(static_cast<fi_context2*>(entries[i].op_context));
        }
    }

  private:
    // Returns an empty string or what is missing.
    std::string open(char* own, size_t bytes, Card* card) {
        std::string error;
        info_ = bench::choose_raw_provider(provider_, interface_, &error);
        if (info_ == nullptr) {
            return error;
        }
        fid_fabric* fabric = nullptr;
        check("fi_fabric", fi_fabric(info_->fabric_attr, &fabric, nullptr));
        fabric_.reset(fabric);
        fid_domain* domain = nullptr;
        check("fi_domain", fi_domain(fabric, info_.get(), &domain, nullptr));
        domain_.reset(domain);
        fi_av_attr address_attributes{};
        address_attributes.type = FI_AV_TABLE;
        address_attributes.count = 1;
        fid_av* addresses = nullptr;
        check("fi_av_open", fi_av_open(domain, &address_attributes, &addresses, nullptr));
        addresses_.reset(addresses);
        fi_cq_attr queue_attributes{};
        queue_attributes.format = FI_CQ_FORMAT_CONTEXT;
        queue_attributes.size = contexts_.size();
        fid_cq* queue = nullptr;
        check("fi_cq_open", fi_cq_open(domain, &queue_attributes, &queue, nullptr));
        queue_.reset(queue);
        fid_ep* endpoint = nullptr;
        check("fi_endpoint", fi_endpoint(domain, info_.get(), &endpoint, nullptr));
        endpoint_.reset(endpoint);
        check("fi_ep_bind", fi_ep_bind(endpoint, &addresses->fid, 0));
        check("fi_ep_bind", fi_ep_bind(endpoint, &queue->fid, FI_TRANSMIT | FI_RECV));
        check("fi_enable", fi_enable(endpoint));
        register_area(own, bytes, card);
        size_t address_bytes = card->address.size();
        check("fi_getname", fi_getname(&endpoint->fid, card->address.data(), &address_bytes));
        for (fi_context2& context : contexts_) {
            free_.push_back(&context);
        }
        return "";
    }

    void register_area(char* own, size_t bytes, Card* card) {
        fid_mr* region = nullptr;
        check("fi_mr_reg", fi_mr_reg(domain_.get(), own, bytes,
                                     FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE, 0, 1, 0,
                                     &region, nullptr));
        region_.reset(region);
        if ((info_->domain_attr->mr_mode & FI_MR_ENDPOINT) != 0) {
            check("fi_mr_bind", fi_mr_bind(region, &endpoint_->fid, 0));
            check("fi_mr_enable", fi_mr_enable(region));
        }
        card->key = fi_mr_key(region);
        card->base = (info_->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0
                         ? reinterpret_cast<uint64_t>(own)
                         : 0;
    }

    void check(const char* call, ssize_t result) {
        if (result != 0) {
            const std::string what = std::string(provider_) + ": " + call + ": " +
                                     fi_strerror(static_cast<int>(-result));
            pair_->fail(what.c_str(), 0);
        }
    }

    const char* const provider_;
    const char* const interface_;
    const Worker worker_;
    Pair* pair_ = nullptr;
    char* own_ = nullptr;
    bench::InfoPtr info_;
    FidPtr<fid_fabric> fabric_;
    FidPtr<fid_domain> domain_;
    FidPtr<fid_av> addresses_;
    FidPtr<fid_cq> queue_;
    FidPtr<fid_mr> region_;
    FidPtr<fid_ep> endpoint_;
    fi_addr_t peer_ = FI_ADDR_UNSPEC;
    uint64_t remote_base_ = 0;
    uint64_t remote_key_ = 0;
    std::array<fi_context2, 16> contexts_{};  // as many transfers are under way at a time
    std::vector<fi_context2*> free_;
};

}  // namespace

std::unique_ptr<Mechanism> make_ofi_tcp(const Kind& kind, const Sizes&) {
    return std::make_unique<Loopback>("tcp;ofi_rxm", "lo", kind.worker);
}

std::unique_ptr<Mechanism> make_ofi_shm(const Kind& kind, const Sizes&) {
    return std::make_unique<Loopback>("shm", "", kind.worker);
}

}  // namespace armci::mechanisms

// SPDX-License-Identifier: BSD-3-Clause
// A reliable-datagram endpoint with the simplest use of libfabric: for measuring, by one thread.
// Errors in the middle of a measurement end the job; only opening reports them.
#pragma once

#include "armci-bench/workloads/raw/fid.h"
#include "armci-bench/workloads/raw/raw_provider.h"

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace armci::bench {

// Memory of this process that the endpoint may work on.
struct RawRegion {
    FidPtr<fid_mr> mr;
    void* descriptor = nullptr;
    uint64_t key = 0;
    uint64_t remote_base = 0;  // how peers address its first byte
};

class RawEndpoint {
  public:
    RawEndpoint() = default;
    ~RawEndpoint();
    RawEndpoint(const RawEndpoint&) = delete;
    RawEndpoint& operator=(const RawEndpoint&) = delete;

    // `sleeps`: sleep_until_event() will be used. Returns an empty string or what failed.
    std::string open(InfoPtr info, bool sleeps, size_t peer_count);
    // For peers' writes and reads; for own operations, if the provider wants to know their memory.
    std::string register_for_peers(void* start, size_t bytes, RawRegion* region);
    std::string register_for_own_use(void* start, size_t bytes, RawRegion* region);
    std::string insert_peer(const void* address, fi_addr_t* peer);

    const std::vector<char>& address() const { return address_; }
    const fi_info& info() const { return *info_; }

    // Whether the completion of a delivered write means that all earlier ones are delivered.
    bool orders_writes() const;

    // Start an operation, waiting while the provider or the number under way leaves no room.
    // `delivered`: complete when the data is in the peer's memory, otherwise when `local` may be
    // used again.
    void write(fi_addr_t peer, const void* local, size_t bytes, void* descriptor,
               uint64_t remote_address, uint64_t key, bool delivered);
    void read(fi_addr_t peer, void* local, size_t bytes, void* descriptor, uint64_t remote_address,
              uint64_t key);
    // One word; the one before must have been sent, see wait_for_all().
    void send(fi_addr_t peer, int64_t word);

    // Waits until everything that was started is complete.
    void wait_for_all();

    // Until a word arrives. Words arrive one at a time: a peer sends the next one when it knows
    // that the last one was taken.
    int64_t wait_for_word(bool sleeping);

  private:
    struct WordSlot {
        fi_context2 context;
        int64_t word = 0;
        bool posted = false;
    };

    std::string register_memory(void* start, size_t bytes, uint64_t access, RawRegion* region);
    void post_receives();
    void poll();
    void complete(void* context);
    void sleep_until_event();
    fi_context2* take_context();
    void check_post(const char* call, ssize_t result);
    [[noreturn]] void fail(const char* call, int error, const char* detail = "") const;

    InfoPtr info_;
    FidPtr<fid_fabric> fabric_;
    FidPtr<fid_domain> domain_;
    FidPtr<fid_av> address_vector_;
    FidPtr<fid_cq> queue_;
    FidPtr<fid_ep> endpoint_;
    std::vector<char> address_;
    int wait_fd_ = -1;
    int epoll_fd_ = -1;

    std::vector<fi_context2> contexts_;  // of writes, reads and sends
    std::vector<fi_context2*> free_contexts_;

    // Two receives, so that one is posted while the other's word is being answered.
    struct Words {
        std::array<WordSlot, 2> received;
        int64_t sent = 0;
    };
    Words words_;
    RawRegion words_region_;
    std::optional<int64_t> arrived_;
    int empty_polls_ = 0;
};

}  // namespace armci::bench

// SPDX-License-Identifier: BSD-3-Clause
// Gets of contiguous global memory that the server answers by writing the bytes straight into the
// memory of their origin. Nothing is packed, and the network reads nothing.
// docs/references.md: Worringen
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "base/slot_table.h"
#include "datasrv/answers.h"
#include "datasrv/client.h"
#include "datasrv/target_memory.h"
#include "fabric/endpoint.h"
#include "wire/frame.h"

namespace armci::datasrv {

// Only one thread may use it at a time.
class GetsByPut {
  public:
    // `answers` tells origins that their data is there, or is refused.
    GetsByPut(fabric::Endpoint& endpoint, Answers& answers, TargetMemory& memory)
        : endpoint_(endpoint), answers_(answers), memory_(memory) {}
    // `orders_writes` says that a message arrives after the writes before it.
    void open(bool orders_writes) { orders_writes_ = orders_writes; }
    // The endpoint must be closed before.
    void close() {
        gets_.clear();
        waiting_.clear();
        under_way_ = 0;
    }

    // The memory must have been checked.
    void start(Client& client, uint64_t request_id, const wire::GetByPutBody& body);
    // Posts what could not be posted before. A client whose connection is full does not delay the
    // others. Returns true when something was posted.
    bool progress();

    // Returns whether a get waits for the provider only, and not for writes to complete.
    bool wants_to_post() const;
    size_t count() const { return gets_.used_count(); }

  private:
    struct Get {
        fabric::Operation operation;
        GetsByPut* owner = nullptr;
        uint32_t slot = 0;  // in gets_
        Client* client = nullptr;
        uint64_t request_id = 0;
        wire::GetByPutBody left;  // what has not been posted yet
        int64_t bytes = 0;        // of the whole get
        int64_t posted_ns = 0;    // for the timeline, like the next one
        int64_t posted_bytes = 0;
    };

    // A client that takes no data must not use up what the endpoint can have under way, which
    // answers need, too.
    static constexpr int kMaxUnderWay = 16;
    static constexpr int kMaxOfClient = 2;
    bool may_post(const Get& get) const {
        return under_way_ < kMaxUnderWay && get.client->puts_for_gets < kMaxOfClient;
    }
    // Posts one write, the whole rest if the provider takes that much at a time. It ends a get
    // whose memory is gone. Returns false if it cannot be posted now.
    bool post(Get& get);
    static void on_written(fabric::Operation* operation, const fabric::Completion& completion);
    void go_on(Get& get);

    fabric::Endpoint& endpoint_;
    Answers& answers_;
    TargetMemory& memory_;
    bool orders_writes_ = false;
    int under_way_ = 0;
    base::SlotTable<Get> gets_;
    std::deque<uint32_t> waiting_;  // those that have no write under way
};

}  // namespace armci::datasrv

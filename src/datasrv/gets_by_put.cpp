// SPDX-License-Identifier: BSD-3-Clause
#include "datasrv/gets_by_put.h"

#include <algorithm>

#include "base/clock.h"
#include "base/trace.h"

namespace armci::datasrv {

void GetsByPut::start(Client& client, uint64_t request_id, const wire::GetByPutBody& body) {
    const uint32_t slot = gets_.take();
    Get& get = gets_[slot];
    get.operation.complete = on_written;
    get.operation.peer = client.rank;
    get.owner = this;
    get.slot = slot;
    get.client = &client;
    get.request_id = request_id;
    get.left = body;
    get.bytes = static_cast<int64_t>(body.bytes);
    get.posted_ns = 0;
    // Those that have waited come first.
    if (!waiting_.empty() || !post(get)) {
        waiting_.push_back(slot);
    }
}

bool GetsByPut::post(Get& get) {
    if (!may_post(get)) {
        return false;
    }
    // An origin that frees memory while its get is under way has made an error.
    const fabric::Region* region = memory_.registration_of(get.left.address, get.left.bytes);
    if (region == nullptr) {
        answers_.refuse(*get.client, wire::FrameKind::get_by_put, get.request_id,
                        {wire::Failure::bad_address, get.left.address, get.left.bytes});
        gets_.release(get.slot);
        return true;
    }
    const auto completion = orders_writes_ ? fabric::Endpoint::WriteCompletion::local
                                           : fabric::Endpoint::WriteCompletion::delivered;
    const auto bytes = static_cast<size_t>(
        std::min<uint64_t>(get.left.bytes, endpoint_.max_write_bytes(completion)));
    const fabric::RmaBlock block{
        reinterpret_cast<void*>(get.left.address),
        bytes,
        {get.left.local_address, get.left.local_key,
         endpoint_.further_key_count() > 0 ? get.left.local_further_keys : nullptr}};
    if (base::is_tracing()) [[unlikely]] {
        get.posted_ns = base::now_ns();
        get.posted_bytes = static_cast<int64_t>(bytes);
    }
    if (!endpoint_.post_write(get.client->peer, &block, 1, region->descriptors(), completion,
                              &get.operation)) {
        return false;
    }
    ++under_way_;
    ++get.client->puts_for_gets;
    get.left.address += bytes;
    get.left.local_address += bytes;
    get.left.bytes -= bytes;
    return true;
}

void GetsByPut::on_written(fabric::Operation* operation, const fabric::Completion&) {
    Get& get = *reinterpret_cast<Get*>(operation);
    if (get.posted_ns != 0) [[unlikely]] {
        base::record({.kind = &base::kTraceRma,
                      .name = fabric::name_of(operation->kind),
                      .begin_ns = get.posted_ns,
                      .end_ns = base::now_ns(),
                      .bytes = get.posted_bytes,
                      .rank = get.client->rank});
        get.posted_ns = 0;
    }
    --get.owner->under_way_;
    --get.client->puts_for_gets;
    get.owner->go_on(get);
}

void GetsByPut::go_on(Get& get) {
    if (get.left.bytes > 0) {
        waiting_.push_back(get.slot);
        return;
    }
    answers_.answer(*get.client, wire::FrameKind::value, get.request_id,
                    wire::ValueBody{get.bytes});
    gets_.release(get.slot);
}

bool GetsByPut::progress() {
    bool moved = false;
    for (size_t left = waiting_.size(); left > 0; --left) {
        const uint32_t slot = waiting_.front();
        waiting_.pop_front();
        if (post(gets_[slot])) {
            moved = true;
        } else {
            waiting_.push_back(slot);
        }
    }
    return moved;
}

bool GetsByPut::wants_to_post() const {
    return std::any_of(waiting_.begin(), waiting_.end(),
                       [this](uint32_t slot) { return may_post(gets_[slot]); });
}

}  // namespace armci::datasrv

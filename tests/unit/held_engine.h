// SPDX-License-Identifier: BSD-3-Clause
// A copy engine that a test controls.
#pragma once

#include <algorithm>
#include <vector>

#include "node/copy_engine.h"

namespace armci::test {

// Copies in copy_one(); while it does not hold, completed() copies all that is waiting.
class HeldEngine final : public node::CopyEngine {
  public:
    int submit(const node::CopyRequest* requests, int count) override {
        const auto* const end = std::find_if(
            requests, requests + std::min(count, room_),
            [](const node::CopyRequest& request) { return request.stripes != nullptr; });
        const int taken = static_cast<int>(end - requests);
        waiting_.insert(waiting_.end(), requests, requests + taken);
        return taken;
    }
    uint64_t completed() override {
        while (!is_holding_ && !waiting_.empty()) {
            copy_one();
        }
        return completed_;
    }
    void hold() { is_holding_ = true; }

    size_t waiting() const { return waiting_.size(); }
    void set_room(int room) { room_ = room; }
    void copy_one() {
        const node::CopyRequest& request = waiting_.front();
        strided::copy(request.layout, request.local, request.remote, request.direction);
        waiting_.erase(waiting_.begin());
        ++completed_;
    }

  private:
    std::vector<node::CopyRequest> waiting_;
    uint64_t completed_ = 0;
    bool is_holding_ = false;
    int room_ = 1000;
};

}  // namespace armci::test

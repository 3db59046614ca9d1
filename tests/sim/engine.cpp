// SPDX-License-Identifier: BSD-3-Clause
#include "engine.h"

#include <deque>

#include "node/accumulate.h"
#include "simulation.h"

namespace armci::sim {
namespace {

// Completes requests in their order, when it is asked. Memory is read and written then, or when a
// request is submitted that nothing waits before.
class Engine final : public node::CopyEngine {
  public:
    ~Engine() override {
        while (!waiting_.empty()) {
            complete_one();
        }
    }

    int submit(const node::CopyRequest* requests, int count) override {
        int taken = 0;
        while (taken < count && waiting_.size() < kRoom && !happens(50)) {
            waiting_.push_back({requests[taken++], false});
            if (happens(300)) {
                for (Waiting& waiting : waiting_) {
                    carry_out(waiting);
                }
            }
        }
        record("engine takes", taken, count);
        return taken;
    }

    uint64_t completed() override {
        while (!waiting_.empty() && happens(300)) {
            complete_one();
        }
        return completed_;
    }

  private:
    static constexpr size_t kRoom = 6;
    struct Waiting {
        node::CopyRequest request;
        bool is_carried_out;
    };

    static void carry_out(Waiting& waiting) {
        const node::CopyRequest& request = waiting.request;
        if (waiting.is_carried_out) {
            return;
        }
        waiting.is_carried_out = true;
        if (request.stripes != nullptr) {
            node::accumulate(*request.stripes, request.scale, request.layout, request.local,
                             request.remote);
        } else {
            strided::copy(request.layout, request.local, request.remote, request.direction);
        }
    }
    void complete_one() {
        carry_out(waiting_.front());
        waiting_.pop_front();
        ++completed_;
        record("engine completes", static_cast<int64_t>(completed_));
    }

    std::deque<Waiting> waiting_;
    uint64_t completed_ = 0;
};

}  // namespace

std::unique_ptr<node::CopyEngine> make_engine() {
    return std::make_unique<Engine>();
}

}  // namespace armci::sim

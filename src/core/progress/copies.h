// SPDX-License-Identifier: BSD-3-Clause
// Non-blocking puts, gets and accumulates inside the node that a copy engine carries out.
//
// They are unordered until they are waited for, like all non-blocking operations; every other call
// of this rank finds them complete, because Entry waits for them. No other part has to know of
// them.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <memory>

#include "base/config.h"
#include "base/stats.h"
#include "base/trace.h"
#include "core/job/world.h"
#include "core/progress/handles.h"
#include "node/copy_engine.h"
#include "node/heap.h"
#include "pipeline/costs/transfer.h"

namespace armci::core {

// Makes the engine that ARMCI_COPY_ENGINE names; nullptr for none. Engines of a node with different
// numbers use different queues of a device, as far as there are some.
std::unique_ptr<node::CopyEngine> make_copy_engine(const base::Config& config, uint64_t number);

// The name in the timeline of an operation inside the node.
inline const char* name_of_copy(base::OpKind op) {
    constexpr const char* kNames[] = {"copy of a put", "copy of a get", "accumulate"};
    return kNames[static_cast<int>(op)];
}

class Copies {
  public:
    Copies(const World& world, const node::NodeHeap& heap, Handles& handles)
        : world_(world), heap_(heap), handles_(handles) {}

    // Without an engine no transfer is ever taken.
    void start(std::unique_ptr<node::CopyEngine> engine, int64_t min_bytes);
    void stop() { engine_.reset(); }

    bool are_possible() const { return engine_ != nullptr; }
    // Returns whether a non-blocking operation of that size is for the engine.
    bool want(int64_t bytes) const { return bytes >= min_bytes_; }
    // Gives a transfer to the engine. Returns false when it is not suitable, or there is no room
    // now.
    bool take(const pipeline::Transfer& transfer, armci_hdl_s* handle);
    bool are_under_way() const { return !under_way_.empty(); }
    // Return the number of the last one taken, and whether it and all before it have ended.
    uint64_t last_taken() const { return ended_ + under_way_.size(); }
    bool have_ended(uint64_t last) const { return ended_ >= last; }
    // Ends what the engine has completed. Returns true if there was any.
    bool progress();

  private:
    struct Copy {
        uint32_t slot = Handles::kNoSlot;  // of its handle
        base::TraceEvent event;            // of the timeline; begins at 0 if there is none
    };

    const World& world_;
    const node::NodeHeap& heap_;
    Handles& handles_;
    std::unique_ptr<node::CopyEngine> engine_;
    int64_t min_bytes_ = std::numeric_limits<int64_t>::max();
    uint64_t ended_ = 0;
    std::deque<Copy> under_way_;  // in order
};

}  // namespace armci::core

// SPDX-License-Identifier: BSD-3-Clause
#include "core/progress/copies.h"

#include "base/log.h"

namespace armci::core {

std::unique_ptr<node::CopyEngine> make_copy_engine(const base::Config& config) {
    if (config.copy_engine_choice() == base::CopyEngineChoice::none) {
        return nullptr;
    }
    std::unique_ptr<node::CopyEngine> engine = node::make_copy_thread();
    if (engine == nullptr) {
        base::fatal("ARMCI_Init",
                    "ARMCI_COPY_ENGINE=thread, but the system refuses a thread; raise the limit "
                    "(ulimit -u) or unset it");
    }
    return engine;
}

void Copies::start(std::unique_ptr<node::CopyEngine> engine, int64_t min_bytes) {
    engine_ = std::move(engine);
    min_bytes_ = min_bytes;
    ended_ = 0;
}

bool Copies::take(const pipeline::Transfer& transfer, armci_hdl_s* handle) {
    const bool is_mapped = transfer.place.owner == wire::kGlobal || transfer.target == world_.rank;
    const strided::StridedSides* sides = transfer.sides.strided();
    if (!want(transfer.total_bytes) || !is_mapped || sides == nullptr) {
        return false;
    }
    node::CopyRequest request;
    request.layout = sides->layout;
    request.local = sides->local;
    request.remote = reinterpret_cast<char*>(sides->remote);
    request.direction = transfer.op == base::OpKind::get ? strided::Direction::to_local
                                                         : strided::Direction::to_remote;
    if (transfer.op == base::OpKind::acc) {
        request.stripes = &heap_.stripes();
        request.scale = transfer.scale;
    }
    if (engine_->submit(&request, 1) == 0) {
        return false;
    }
    under_way_.push_back(handle != nullptr ? handles_.begin(handle) : Handles::kNoSlot);
    return true;
}

bool Copies::progress() {
    const uint64_t completed = engine_->completed();
    const bool any = ended_ != completed;
    for (; ended_ != completed; ++ended_) {
        if (under_way_.front() != Handles::kNoSlot) {
            handles_.end(under_way_.front());
        }
        under_way_.pop_front();
    }
    return any;
}

}  // namespace armci::core

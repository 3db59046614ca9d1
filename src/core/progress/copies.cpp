// SPDX-License-Identifier: BSD-3-Clause
#include "core/progress/copies.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "node/dsa/engine.h"
#include "node/dsa/software_queue.h"
#include "node/dsa/user_queue.h"

namespace armci::core {

namespace {

using base::CopyEngineChoice;

constexpr int64_t kMinDeviceBlockBytes = 4096;  // below, a processor is as fast (Kuper 2024)

// Worse than most devices: it takes little at a time, does it in any order, and meets many missing
// pages.
node::dsa::SoftwareOptions twin_options(uint64_t number) {
    node::dsa::SoftwareOptions options;
    options.limits = {
        .is_shared = true, .descriptors = 8, .transfer_bytes = 64 << 10, .batch_descriptors = 8};
    options.order_seed = number + 1;
    options.fault_every = 5;
    return options;
}

[[noreturn]] void no_thread(const char* choice) {
    base::fatal("ARMCI_Init",
                "ARMCI_COPY_ENGINE=%s, but the system refuses a thread; raise the limit "
                "(ulimit -u) or unset it",
                choice);
}

std::unique_ptr<node::dsa::WorkQueue> open_device(CopyEngineChoice choice, uint64_t number) {
    std::string error;
    auto queue = node::dsa::open_user_queue({}, number, &error);
    if (queue == nullptr && choice == CopyEngineChoice::dsa) {
        base::fatal("ARMCI_Init", "ARMCI_COPY_ENGINE=dsa: %s", error.c_str());
    }
    if (queue == nullptr) {
        ARMCI_LOG_INFO("ARMCI_COPY_ENGINE=auto: no copy engine, because %s", error.c_str());
    } else {
        ARMCI_LOG_INFO("the copy engine is %s", queue->name().c_str());
    }
    return queue;
}

}  // namespace

std::unique_ptr<node::CopyEngine> make_copy_engine(const base::Config& config, uint64_t number) {
    std::unique_ptr<node::dsa::WorkQueue> queue;
    switch (config.copy_engine_choice()) {
        case CopyEngineChoice::none:
            return nullptr;
        case CopyEngineChoice::thread: {
            std::unique_ptr<node::CopyEngine> engine = node::make_copy_thread();
            if (engine == nullptr) {
                no_thread("thread");
            }
            return engine;
        }
        case CopyEngineChoice::dsa_twin:
            queue = node::dsa::start_software_queue(twin_options(number));
            if (queue == nullptr) {
                no_thread("dsa-twin");
            }
            break;
        case CopyEngineChoice::dsa:
        case CopyEngineChoice::automatic:
            queue = open_device(config.copy_engine_choice(), number);
            if (queue == nullptr) {
                return nullptr;
            }
            break;
    }
    return std::make_unique<node::dsa::Engine>(
        std::move(queue), std::min(config.copy_engine_min, kMinDeviceBlockBytes));
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
    under_way_.push_back({handle != nullptr ? handles_.begin(handle) : Handles::kNoSlot,
                          {.kind = &base::kTraceEngineCopy,
                           .name = name_of_copy(transfer.op),
                           .begin_ns = base::trace_ns(),
                           .bytes = transfer.total_bytes,
                           .rank = transfer.target}});
    return true;
}

bool Copies::progress() {
    const uint64_t completed = engine_->completed();
    const bool any = ended_ != completed;
    for (; ended_ != completed; ++ended_) {
        Copy& copy = under_way_.front();
        if (copy.event.begin_ns != 0) [[unlikely]] {
            copy.event.end_ns = base::now_ns();
            base::record(copy.event);
        }
        if (copy.slot != Handles::kNoSlot) {
            handles_.end(copy.slot);
        }
        under_way_.pop_front();
    }
    return any;
}

}  // namespace armci::core

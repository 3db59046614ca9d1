// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/immediate_data.h"

#include <array>
#include <atomic>
#include <string>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "fabric/domain.h"
#include "fabric/endpoint.h"

namespace armci::fabric {
namespace {

constexpr int64_t kPatienceNs = 1'000'000'000;
constexpr int kPatiencePolls = 1000;
constexpr uint32_t kImmediate = 0x1badcafe;

// What has become of the write, at its origin and at its target.
struct Trial {
    Operation operation{};
    bool is_complete = false;
    bool has_failed = false;
    bool has_arrived = false;
};

void complete(Operation* operation, const Completion& completion) {
    auto* trial = reinterpret_cast<Trial*>(operation);
    trial->is_complete = true;
    trial->has_failed = completion.failed;
}

void arrive(void* context, uint64_t immediate) {
    static_cast<Trial*>(context)->has_arrived = static_cast<uint32_t>(immediate) == kImmediate;
}

// Polls until the condition holds, which it returns. It gives up after that time and that many
// polls, because few polls fit into the time on a busy machine.
template <class Condition>
bool comes_true(Endpoint& endpoint, Condition&& condition) {
    const int64_t end_ns = base::now_ns() + kPatienceNs;
    base::Backoff backoff;
    for (int polls = 0; polls < kPatiencePolls || base::now_ns() < end_ns; ++polls) {
        if (condition()) {
            return true;
        }
        endpoint.poll();
        backoff.pause();
    }
    return false;
}

}  // namespace

bool immediate_data_works(Domain& domain) {
    // Regions are closed before their endpoint, and that before the memory.
    std::array<uint64_t, 2> words = {kImmediate, 0};
    Trial trial;
    trial.operation.complete = complete;
    Endpoint endpoint;
    Endpoint::Options options;
    options.on_immediate = arrive;
    options.immediate_context = &trial;
    options.immediate_entries = 1;
    options.survives_errors = true;
    std::string error;
    if (!endpoint.open(domain, options, &error)) {
        ARMCI_LOG_INFO("immediate data is not used: %s", error.c_str());
        return false;
    }
    const PeerAddress self = endpoint.insert_peer(endpoint.address().data());
    const Region region = domain.register_memory(words.data(), sizeof words, Access::remote,
                                                 endpoint.on_rails(), &error);
    if (self == FI_ADDR_UNSPEC || !region.valid()) {
        ARMCI_LOG_INFO("immediate data is not used: %s", error.c_str());
        return false;
    }
    const RemoteMemory target{region.remote_base() + sizeof words[0], region.key()};
    ssize_t posted = -FI_EAGAIN;
    comes_true(endpoint, [&] {
        posted = endpoint.try_write_notify(self, &words[0], sizeof words[0], region.descriptors(),
                                           target, kImmediate, &trial.operation);
        return posted != -FI_EAGAIN;
    });
    if (posted == 0) {
        comes_true(endpoint,
                   [&] { return trial.is_complete && (trial.has_arrived || trial.has_failed); });
    }
    const bool has_data = std::atomic_ref<uint64_t>(words[1]).load() == kImmediate;
    const bool works = trial.has_arrived && !trial.has_failed && has_data;
    if (!works) {
        ARMCI_LOG_INFO("immediate data is not used: a write that this process sent to itself %s",
                       !trial.is_complete || trial.has_failed ? "did not complete"
                       : trial.has_arrived                    ? "arrived without its data"
                                                              : "did not show at its target");
    }
    return works;
}

}  // namespace armci::fabric

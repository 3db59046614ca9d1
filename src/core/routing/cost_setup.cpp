// SPDX-License-Identifier: BSD-3-Clause
#include "core/routing/cost_setup.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/log.h"
#include "core/routing/route.h"
#include "pipeline/buffers/flow_plan.h"
#include "pipeline/costs/copy_costs.h"
#include "pipeline/costs/cost_profile.h"
#include "wire/frame.h"

namespace armci::core {
namespace {

using base::OpKind;

// This is enough for ten to twenty passes over data that stays in a second-level cache.
constexpr int64_t kMeasuredBytes = 32 << 10;
constexpr int64_t kMeasureUs = 1800;

bool read_file(const std::string& path, std::string* text) {
    std::FILE* file = std::fopen(path.c_str(), "re");
    if (file == nullptr) {
        return false;
    }
    char block[4096];
    size_t bytes = 0;
    text->clear();
    while ((bytes = std::fread(block, 1, sizeof block, file)) > 0) {
        text->append(block, bytes);
    }
    const bool failed = std::ferror(file) != 0;
    const int error = errno;
    std::fclose(file);
    errno = error;
    return !failed;
}

// Returns why the profile cannot be used, or nothing.
std::string load_profile(const std::string& path, const std::string& provider,
                         TransferCosts* costs) {
    std::string text;
    if (!read_file(path, &text)) {
        return std::strerror(errno);
    }
    std::vector<pipeline::CostProfile> profiles;
    std::string error;
    if (!pipeline::parse_profiles(text, &profiles, &error)) {
        return error;
    }
    std::string others;
    for (const pipeline::CostProfile& profile : profiles) {
        if (profile.provider == provider) {
            costs->constants = profile.constants;
            costs->are_of_profile = true;
            std::snprintf(costs->source, sizeof costs->source, "profile %s (%s, %s)", path.c_str(),
                          profile.machine.c_str(), profile.date.c_str());
            return {};
        }
        others += (others.empty() ? "" : ", ") + profile.provider;
    }
    return "it is for provider " + others + ", not " + provider;
}

void use_provider_table(const fabric::NetworkCosts& table, TransferCosts* costs) {
    pipeline::RmaCosts rma;
    rma.latency_us = table.latency_us;
    for (size_t i = 0; i < pipeline::kRmaBlockBytes.size(); ++i) {
        rma.blocks.block_us[i] =
            table.block_us + static_cast<double>(pipeline::kRmaBlockBytes[i]) * table.block_byte_us;
    }
    costs->constants.rma.fill(rma);
    costs->constants.server.fill({table.request_us, table.chunk_us, table.chunk_byte_us,
                                  table.overlap, 0, table.request_us});
    std::snprintf(costs->source, sizeof costs->source,
                  "network from the provider table, copies measured at start");
    if (!pipeline::measure_copies(kMeasuredBytes, kMeasureUs, &costs->constants)) {
        base::fatal(
            "ARMCI_Init",
            "no memory to measure how fast this processor copies; the node is short of memory: "
            "start fewer ranks there, or end other programs");
    }
}

pipeline::PipelineLimits limits_of(const pipeline::Origin& origin, const BufferPlan& buffers) {
    const size_t head_bytes =
        sizeof(wire::FrameHeader) + sizeof(wire::TransferBody) + wire::encoded_strided_bytes(1);
    const auto buffer_bytes = static_cast<size_t>(buffers.bytes);
    const size_t frame_bytes = pipeline::grants_recv_buffers(buffers.bytes)
                                   ? buffer_bytes - pipeline::OutFrame::kOverheadBytes
                                   : origin.frames().largest_message_bytes();
    const size_t piece_bytes = std::bit_ceil(frame_bytes + pipeline::OutFrame::kOverheadBytes);
    const size_t arena_bytes = static_cast<size_t>(buffers.count) * buffer_bytes;
    pipeline::PipelineLimits limits;
    limits.chunk_bytes = static_cast<int64_t>(frame_bytes - head_bytes);
    limits.chunk_count = static_cast<int64_t>(arena_bytes / piece_bytes);
    limits.small_bytes = pipeline::kMaxSmallBytes;
    return limits;
}

}  // namespace

void check_profile(base::ConfigResult* configuration) {
    const std::string& path = configuration->config.profile;
    std::string text;
    if (!path.empty() && !read_file(path, &text)) {
        configuration->errors.push_back("ARMCI_PROFILE=\"" + path + "\" cannot be read (" +
                                        std::strerror(errno) + "); correct or unset it");
    }
}

TransferCosts find_costs(const base::Config& config, const std::string& provider,
                         const fabric::NetworkCosts& table) {
    TransferCosts costs;
    std::string unusable = "none is named";
    if (!config.profile.empty()) {
        unusable = load_profile(config.profile, provider, &costs);
        if (!unusable.empty()) {
            ARMCI_LOG_WARN(
                "ARMCI_PROFILE=\"%s\" is not used: %s; measure with armci-tune, or unset it",
                config.profile.c_str(), unusable.c_str());
        }
    }
    if (!unusable.empty()) {
        use_provider_table(table, &costs);
    }
    for (pipeline::RmaCosts& rma : costs.constants.rma) {
        rma.single_us = table.single_us;
    }
    ARMCI_LOG_INFO("costs of transfers: %s", costs.source);
    return costs;
}

BufferPlan plan_buffers(const base::Config& config, const pipeline::CostConstants& constants,
                        int64_t largest_bytes) {
    constexpr int64_t kSmallest = 64 << 10;  // smaller ones cost frames
    // Enough for both directions and for transfers to several nodes. What is not needed is never
    // registered.
    constexpr int64_t kMost = 16;
    const pipeline::CostModel model(constants, {largest_bytes, kMost, 0});
    BufferPlan plan;
    plan.bytes = config.buffer_size;
    if (plan.bytes == base::kAuto) {
        plan.bytes = std::clamp(model.best_chunk_bytes(base::OpKind::put, pipeline::kLongTransfer),
                                kSmallest, largest_bytes);
    }
    plan.bytes = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(plan.bytes)));
    plan.count = config.buffer_count;
    plan.depth = plan.count;
    if (plan.count == base::kAuto) {
        plan.count = kMost;
        plan.depth = model.depth_of_long(std::min(plan.bytes, largest_bytes));
    }
    plan.receive_count = config.recv_buffer_count;
    return plan;
}

pipeline::RegistrationCosts plan_registrations(const base::Config& config,
                                               const pipeline::CostConstants& constants) {
    if (config.register_min != base::kAuto) {
        return pipeline::RegistrationCosts(config.register_min);
    }
    if (config.cost_choice() != base::CostChoice::learned) {
        return pipeline::RegistrationCosts();
    }
    // Copies are of long blocks.
    return pipeline::RegistrationCosts::learning(
        constants.pack.block_us.back() / static_cast<double>(pipeline::kCopyBlockBytes.back()));
}

void plan_receive_buffers(bool cost_when_used, BufferPlan* plan) {
    // One origin may have half of them under way. The round trip of 10 Gbit/s and 2 ms each way
    // holds 5 MB.
    constexpr int64_t kBytes = 32 << 20;
    if (plan->receive_count == base::kAuto) {
        plan->receive_count = 2 * plan->count;
        if (cost_when_used) {
            plan->receive_count =
                std::clamp(kBytes / plan->bytes, plan->receive_count, 2 * plan->receive_count);
        }
    }
}

void set_up_costs(Network& network, const base::Config& config, const TransferCosts& costs,
                  const BufferPlan& buffers) {
    const auto rails = static_cast<int>(1 + network.domain.rails().size());
    pipeline::PipelineLimits limits = limits_of(network.origin, buffers);
    // A profile was measured on all rails.
    if (puts_keep_to_one_rail(network.domain) && !costs.are_of_profile) {
        limits.rails = rails;
        limits.divided_bytes = static_cast<int64_t>(fabric::Endpoint::kLongestDividedBytes);
    }
    network.costs = pipeline::CostModel(costs.constants, limits);
    network.cost_source = costs.source;
    network.buffers = buffers;
    if (config.rma_min_block > 0) {
        network.costs.choose_from(config.rma_min_block);
    } else {
        network.costs.choose_by_costs();
    }
    if (config.get_by_put_min != base::kAuto) {
        network.costs.choose_get_by_put_from(config.get_by_put_min);
    }
    network.learning.open(
        network.costs,
        {.learns = config.cost_choice() == base::CostChoice::learned && config.rma_min_block == 0,
         .min_get_by_put = std::max<int64_t>(config.get_by_put_min, 0),
         .rails = config.buffer_count == base::kAuto ? rails : 0});
}

}  // namespace armci::core

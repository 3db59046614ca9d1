// SPDX-License-Identifier: BSD-3-Clause
#include "machine.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <vector>

#include "fabric/provider.h"

namespace armci::sim {
namespace {

int64_t to_ns(double us) {
    return std::llround(1000 * us);
}

double byte_ns(const pipeline::CopyCurve& curve) {
    return 1000 * curve.block_us.back() / static_cast<double>(pipeline::kCopyBlockBytes.back());
}

}  // namespace

Machine machine_of(const pipeline::CostProfile& profile) {
    const pipeline::CostConstants& constants = profile.constants;
    const pipeline::RmaCosts& rma = constants.rma[0];
    const pipeline::ServerCosts& server = constants.server[0];
    Machine machine;
    machine.profile = profile;
    // One more short write of a stream takes as long as the slower one of the adapter and the
    // processor. The profile does not say which one that is, so both take this time.
    machine.gap_ns = to_ns(rma.blocks.block_us.front());
    machine.overhead_ns = machine.gap_ns;
    // A write and the news that it has arrived.
    machine.latency_ns = std::max<int64_t>(100, (to_ns(rma.latency_us) - machine.overhead_ns) / 2);
    machine.byte_ns = 1000 * server.byte_us;
    // One more frame of a stream takes the server its overhead, and the operation.
    machine.operation_ns = std::max<int64_t>(0, to_ns(server.chunk_us) - machine.overhead_ns);
    machine.copy_byte_ns = std::max(byte_ns(constants.pack), byte_ns(constants.unpack));
    return machine;
}

Machine guessed_machine(const std::string& provider) {
    const fabric::NetworkCosts& costs = fabric::provider_row(provider).costs;
    pipeline::CostProfile profile;
    profile.provider = provider;
    profile.machine = "guess of the provider table";
    profile.date = "none";
    pipeline::RmaCosts rma;
    rma.latency_us = costs.latency_us;
    for (size_t i = 0; i < pipeline::kRmaBlockBytes.size(); ++i) {
        rma.blocks.block_us[i] =
            costs.block_us + static_cast<double>(pipeline::kRmaBlockBytes[i]) * costs.block_byte_us;
    }
    profile.constants.rma.fill(rma);
    profile.constants.server.fill({costs.request_us, costs.chunk_us, costs.chunk_byte_us,
                                   costs.overlap, 0, costs.request_us});
    constexpr double kBlockUs = 0.01;
    constexpr double kByteUs = 0.0001;
    for (size_t i = 0; i < pipeline::kCopyBlockBytes.size(); ++i) {
        const double us = kBlockUs + static_cast<double>(pipeline::kCopyBlockBytes[i]) * kByteUs;
        profile.constants.pack.block_us[i] = us;
        profile.constants.unpack.block_us[i] = us;
        profile.constants.accumulate.block_us[i] = us;
    }
    return machine_of(profile);
}

bool read_machine(const std::string& path, const std::string& provider, Machine* machine,
                  std::string* error) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    std::vector<pipeline::CostProfile> profiles;
    if (!file) {
        *error = path + " cannot be read";
        return false;
    }
    if (!pipeline::parse_profiles(text.str(), &profiles, error)) {
        return false;
    }
    const auto found =
        std::find_if(profiles.begin(), profiles.end(), [&](const pipeline::CostProfile& profile) {
            return provider.empty() || profile.provider == provider;
        });
    if (found == profiles.end()) {
        *error = path + " has no profile of provider " + provider;
        return false;
    }
    *machine = machine_of(*found);
    return true;
}

std::string describe(const Machine& machine) {
    char text[512];
    std::snprintf(text, sizeof text,
                  "%s (%s): L %.2f us, o %.2f us, g %.2f us, G %.3f ns/byte, server operation %.2f "
                  "us, copies %.3f ns/byte, wake-up %.1f us",
                  machine.profile.provider.c_str(), machine.profile.machine.c_str(),
                  1e-3 * static_cast<double>(machine.latency_ns),
                  1e-3 * static_cast<double>(machine.overhead_ns),
                  1e-3 * static_cast<double>(machine.gap_ns), machine.byte_ns,
                  1e-3 * static_cast<double>(machine.operation_ns), machine.copy_byte_ns,
                  1e-3 * static_cast<double>(machine.wake_ns));
    return text;
}

}  // namespace armci::sim

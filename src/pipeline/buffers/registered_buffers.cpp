// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/buffers/registered_buffers.h"

#include "base/topology.h"

namespace armci::pipeline {

bool RegisteredBuffers::open(size_t buffer_count, size_t buffer_bytes, fabric::Domain& domain,
                             fabric::Endpoint& endpoint, fabric::Access access,
                             std::string* error) {
    if (!memory_.map(buffer_count * BufferManager::rounded(buffer_bytes))) {
        *error = "no memory for " + std::to_string(buffer_count) + " pipeline buffers of " +
                 std::to_string(buffer_bytes) +
                 " bytes; lower ARMCI_BUFFER_COUNT or ARMCI_BUFFER_SIZE";
        return false;
    }
    base::place_memory(memory_.data(), memory_.bytes());
    const bool is_registration_needed =
        domain.needs_local_registration() || access == fabric::Access::remote;
    if (is_registration_needed && !memory_.make_accessible(domain, endpoint, access, error)) {
        memory_.close();
        return false;
    }
    manager_.open(memory_.data(), buffer_count, buffer_bytes);
    return true;
}

}  // namespace armci::pipeline

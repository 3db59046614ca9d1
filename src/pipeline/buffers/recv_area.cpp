// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/buffers/recv_area.h"

#include <cerrno>
#include <cstring>

#include "base/topology.h"

namespace armci::pipeline {

bool RecvArea::open(fabric::Domain& domain, fabric::Endpoint& endpoint, uint32_t recv_buffer_count,
                    uint32_t recv_buffer_bytes, uint32_t mailbox_count, std::string* error) {
    recv_buffer_bytes -= recv_buffer_bytes % kRecvPlaceBytes;
    if (!memory_.map(size_t{recv_buffer_count} * recv_buffer_bytes +
                     size_t{mailbox_count} * kMailboxDistance)) {
        *error = "no memory for " + std::to_string(recv_buffer_count) + " receive buffers of " +
                 std::to_string(recv_buffer_bytes) + " bytes: " + std::strerror(errno) +
                 "; lower ARMCI_RECV_BUFFER_COUNT or ARMCI_BUFFER_SIZE";
        return false;
    }
    base::place_memory(memory_.data(), memory_.bytes());
    if (!memory_.make_accessible(domain, endpoint.on_rails(), fabric::Access::remote, error)) {
        *error += "; a higher limit on locked memory (ulimit -l) may help";
        close();
        return false;
    }
    address_.remote_base = memory_.remote_address(memory_.data());
    address_.key = memory_.key();
    further_keys_.resize(endpoint.further_key_count());
    memory_.copy_further_keys(further_keys_.data());
    address_.recv_buffer_count = recv_buffer_count;
    address_.recv_buffer_bytes = recv_buffer_bytes;
    mailbox_count_ = mailbox_count;
    return true;
}

RecvArea::Place RecvArea::find(uint64_t place) {
    const uint64_t places_of_buffer = address_.recv_buffer_bytes / kRecvPlaceBytes;
    if (place >= places_of_buffer * address_.recv_buffer_count) {
        return {};
    }
    const uint64_t position = place * kRecvPlaceBytes;
    const auto offset = static_cast<uint32_t>(position % address_.recv_buffer_bytes);
    return {memory_.data() + position, address_.recv_buffer_bytes - offset,
            static_cast<uint32_t>(position / address_.recv_buffer_bytes)};
}

void RecvArea::close() {
    memory_.close();
    address_ = RecvAreaAddress();
    further_keys_.clear();
    mailbox_count_ = 0;
}

}  // namespace armci::pipeline

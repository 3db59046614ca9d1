// SPDX-License-Identifier: BSD-3-Clause
// Registered memory of a data server that origins write chunks into. It consists of receive buffers
// of one length, each written only by the origin that it is granted to. The server alone therefore
// decides how much memory chunks need, whatever the number of origins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "pipeline/buffers/registered_mapping.h"

namespace armci::pipeline {

// What origins must know of a server's receive buffers. It travels between processes as these
// bytes.
struct RecvAreaAddress {
    uint64_t remote_base = 0;  // 0, and the key, where chunks are messages
    uint64_t key = 0;
    uint32_t recv_buffer_count = 0;  // 0: there are none, chunks are short messages
    uint32_t recv_buffer_bytes = 0;
};

class RecvArea {
  public:
    // Origins write through `endpoint`. Returns false and sets *error when memory or its
    // registration is refused.
    bool open(fabric::Domain& domain, fabric::Endpoint& endpoint, uint32_t recv_buffer_count,
              uint32_t recv_buffer_bytes, std::string* error);
    void close();

    const RecvAreaAddress& address() const { return address_; }
    uint32_t recv_buffer_count() const { return address_.recv_buffer_count; }
    uint32_t recv_buffer_bytes() const { return address_.recv_buffer_bytes; }
    char* recv_buffer(uint32_t index) {
        return memory_.data() + size_t{index} * address_.recv_buffer_bytes;
    }

  private:
    RegisteredMapping memory_;
    RecvAreaAddress address_;
};

}  // namespace armci::pipeline

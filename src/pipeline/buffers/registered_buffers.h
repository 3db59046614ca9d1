// SPDX-License-Identifier: BSD-3-Clause
// A BufferManager with memory of its own, which is registered with a libfabric domain where that is
// needed.
#pragma once

#include <string>

#include "pipeline/buffers/buffer_manager.h"
#include "pipeline/buffers/registered_mapping.h"

namespace armci::pipeline {

class RegisteredBuffers {
  public:
    // Rounds buffer_bytes up to a power of two. With Access::remote, peers may write into the
    // buffers through `endpoint`. Returns false and sets *error when memory or its registration is
    // refused.
    bool open(size_t buffer_count, size_t buffer_bytes, fabric::Domain& domain,
              fabric::Endpoint& endpoint, fabric::Access access, std::string* error);
    // Ends the registration, so that no peer can write into the memory any more. The memory stays.
    void deregister() { memory_.deregister(); }
    // No piece may be used any more.
    void close() { memory_.close(); }

    void* acquire(size_t bytes) { return manager_.acquire(bytes); }
    void release(void* piece) { manager_.release(piece); }
    size_t buffer_bytes() const { return manager_.buffer_bytes(); }
    // What sends from the buffers need.
    void* descriptor() const { return memory_.descriptor(); }
    const BufferManager& manager() const { return manager_; }
    // Peers name the buffers with these two. They are valid only with Access::remote.
    uint64_t key() const { return memory_.key(); }
    uint64_t remote_address(const void* piece) const { return memory_.remote_address(piece); }

  private:
    RegisteredMapping memory_;
    BufferManager manager_;
};

}  // namespace armci::pipeline

// SPDX-License-Identifier: BSD-3-Clause
// A BufferManager whose arena is registered with a libfabric domain where that is needed.
#pragma once

#include <string>

#include "fabric/domain.h"
#include "fabric/endpoint.h"
#include "pipeline/buffers/buffer_manager.h"

namespace armci::pipeline {

class RegisteredBuffers {
  public:
    // With Access::remote, peers may write into the buffers through `endpoint`.
    bool open(size_t buffer_count, size_t buffer_bytes, fabric::Domain& domain,
              fabric::Endpoint& endpoint, fabric::Access access, std::string* error);
    // Ends the registration, so that no peer can write into the memory any more. The memory stays.
    void deregister() { region_ = fabric::Region(); }
    void close() { manager_.close(); }

    void* acquire(size_t bytes) { return manager_.acquire(bytes); }
    void release(void* piece) { manager_.release(piece); }
    size_t buffer_bytes() const { return manager_.buffer_bytes(); }
    void* descriptor() const { return manager_.descriptor(); }
    const BufferManager& manager() const { return manager_; }
    // Peers name the buffers with these two. They are valid only with Access::remote.
    uint64_t key() const { return region_.key(); }
    uint64_t remote_address(const void* piece) const {
        return region_.remote_base() +
               static_cast<uint64_t>(static_cast<const char*>(piece) - arena_);
    }

  private:
    static bool add(void* context, void* start, size_t bytes, void** descriptor);
    static void remove(void* context, void* descriptor);

    fabric::Domain* domain_ = nullptr;
    fabric::Endpoint* endpoint_ = nullptr;
    fabric::Access access_ = fabric::Access::local;
    std::string* error_ = nullptr;
    const char* arena_ = nullptr;  // while registered
    fabric::Region region_;
    BufferManager manager_;  // last, because its destructor still needs the region
};

}  // namespace armci::pipeline

// SPDX-License-Identifier: BSD-3-Clause
// A BufferManager with memory of its own, which is registered with a libfabric domain where that is
// needed. Each buffer is registered when it is needed for the first time. So a process that never
// needs many at a time keeps little memory registered, and the limit can be high.
#pragma once

#include <string>
#include <vector>

#include "pipeline/buffers/buffer_manager.h"
#include "pipeline/buffers/registered_mapping.h"

namespace armci::pipeline {

class RegisteredBuffers {
  public:
    // Rounds buffer_bytes up to a power of two, and registers the first buffer. With
    // Access::remote, peers may write into the buffers through `targets`. These and the domain are
    // used until deregister() or close(). Returns false and sets *error when memory or its
    // registration is refused.
    bool open(size_t buffer_count, size_t buffer_bytes, fabric::Domain& domain,
              fabric::Targets targets, fabric::Access access, std::string* error);
    // Ends the registrations, so that no peer can write into the memory any more. The memory stays.
    void deregister();
    // No piece may be used any more.
    void close();

    // As BufferManager::acquire(). If no free piece is large enough, it takes another buffer into
    // use. Where the registration of one is refused, it warns and makes do with those that it has.
    void* acquire(size_t bytes);
    void release(void* piece) { manager_.release(piece); }
    size_t buffer_bytes() const { return manager_.buffer_bytes(); }
    const BufferManager& manager() const { return manager_; }
    // What posts need that name a piece.
    fabric::Descriptors descriptors(const void* piece) const;
    // Peers name a piece with these. They are valid only with Access::remote.
    uint64_t key(const void* piece) const;
    // Appends its keys on the further rails, where these differ.
    void append_further_keys(const void* piece, std::vector<uint64_t>* keys) const;
    uint64_t remote_address(const void* piece) const;

  private:
    // Makes one more buffer ready. Returns false and sets *error if its registration is refused.
    bool add_buffer(std::string* error);

    RegisteredMapping memory_;
    BufferManager manager_;
    fabric::Domain* domain_ = nullptr;
    fabric::Targets targets_;
    fabric::Access access_ = fabric::Access::local;
    bool needs_registration_ = false;
    bool may_grow_ = false;
    std::vector<fabric::Region> regions_;  // of the buffers that are ready, if that is needed
};

}  // namespace armci::pipeline

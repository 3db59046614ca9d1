// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/buffers/registered_buffers.h"

namespace armci::pipeline {

bool RegisteredBuffers::open(size_t buffer_count, size_t buffer_bytes, fabric::Domain& domain,
                             fabric::Endpoint& endpoint, fabric::Access access,
                             std::string* error) {
    domain_ = &domain;
    endpoint_ = &endpoint;
    access_ = access;
    error_ = error;
    Registrar registrar;
    if (domain.needs_local_registration() || access == fabric::Access::remote) {
        registrar = Registrar{this, add, remove};
    }
    error->clear();
    const bool opened = manager_.open(buffer_count, buffer_bytes, registrar);
    error_ = nullptr;
    if (!opened && error->empty()) {
        *error = "no memory for " + std::to_string(buffer_count) + " pipeline buffers of " +
                 std::to_string(buffer_bytes) +
                 " bytes; lower ARMCI_BUFFER_COUNT or ARMCI_BUFFER_SIZE";
    }
    return opened;
}

bool RegisteredBuffers::add(void* context, void* start, size_t bytes, void** descriptor) {
    auto* self = static_cast<RegisteredBuffers*>(context);
    self->region_ =
        self->domain_->register_memory(start, bytes, self->access_, self->endpoint_, self->error_);
    self->arena_ = static_cast<const char*>(start);
    *descriptor = self->region_.descriptor();
    return self->region_.valid();
}

void RegisteredBuffers::remove(void* context, void*) {
    static_cast<RegisteredBuffers*>(context)->region_ = fabric::Region();
}

}  // namespace armci::pipeline

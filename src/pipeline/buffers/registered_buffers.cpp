// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/buffers/registered_buffers.h"

#include "base/log.h"
#include "base/topology.h"

namespace armci::pipeline {

bool RegisteredBuffers::open(size_t buffer_count, size_t buffer_bytes, fabric::Domain& domain,
                             fabric::Targets targets, fabric::Access access, std::string* error) {
    close();
    if (!memory_.map(buffer_count * BufferManager::rounded(buffer_bytes))) {
        *error = "no memory for " + std::to_string(buffer_count) + " pipeline buffers of " +
                 std::to_string(buffer_bytes) +
                 " bytes; lower ARMCI_BUFFER_COUNT or ARMCI_BUFFER_SIZE";
        return false;
    }
    base::place_memory(memory_.data(), memory_.bytes());
    domain_ = &domain;
    targets_ = targets;
    access_ = access;
    needs_registration_ = domain.needs_local_registration() || access == fabric::Access::remote;
    manager_.open(memory_.data(), buffer_count, buffer_bytes);
    if (!add_buffer(error)) {
        close();
        return false;
    }
    may_grow_ = true;
    return true;
}

void RegisteredBuffers::deregister() {
    regions_.clear();
    may_grow_ = false;
}

void RegisteredBuffers::close() {
    deregister();
    memory_.close();
}

bool RegisteredBuffers::add_buffer(std::string* error) {
    if (needs_registration_) {
        const size_t bytes = manager_.buffer_bytes();
        fabric::Region region = domain_->register_memory(
            memory_.data() + manager_.ready_count() * bytes, bytes, access_, targets_, error);
        if (!region.valid()) {
            return false;
        }
        regions_.push_back(std::move(region));
    }
    manager_.add_buffer();
    return true;
}

void* RegisteredBuffers::acquire(size_t bytes) {
    void* piece = manager_.acquire(bytes);
    if (piece != nullptr || !may_grow_ || manager_.has_all() || bytes > buffer_bytes()) {
        return piece;
    }
    std::string error;
    if (!add_buffer(&error)) {
        may_grow_ = false;
        ARMCI_LOG_WARN(
            "%zu of the pipeline's buffers are registered, and no more can be (%s); transfers that "
            "need more wait for them. Raising the limit on locked memory (ulimit -l) may help",
            manager_.ready_count(), error.c_str());
        return nullptr;
    }
    return manager_.acquire(bytes);
}

fabric::Descriptors RegisteredBuffers::descriptors(const void* piece) const {
    return regions_.empty() ? fabric::Descriptors()
                            : regions_[manager_.buffer_of(piece)].descriptors();
}

uint64_t RegisteredBuffers::key(const void* piece) const {
    return regions_.empty() ? 0 : regions_[manager_.buffer_of(piece)].key();
}

void RegisteredBuffers::append_further_keys(const void* piece, std::vector<uint64_t>* keys) const {
    if (!regions_.empty()) {
        const size_t before = keys->size();
        keys->resize(before + domain_->further_key_count());
        regions_[manager_.buffer_of(piece)].copy_further_keys(keys->data() + before);
    }
}

uint64_t RegisteredBuffers::remote_address(const void* piece) const {
    const size_t buffer = manager_.buffer_of(piece);
    const char* const start = memory_.data() + buffer * manager_.buffer_bytes();
    return regions_[buffer].remote_base() +
           static_cast<uint64_t>(static_cast<const char*>(piece) - start);
}

}  // namespace armci::pipeline

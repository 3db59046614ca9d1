// SPDX-License-Identifier: BSD-3-Clause
// Memory of this process that the network may access: a mapping of its own, registered as a whole.
//
// One thread at a time. The domain and the endpoint must outlive the registration.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "fabric/domain.h"
#include "fabric/endpoint.h"

namespace armci::pipeline {

class RegisteredMapping {
  public:
    RegisteredMapping() = default;
    ~RegisteredMapping() { close(); }
    RegisteredMapping(const RegisteredMapping&) = delete;
    RegisteredMapping& operator=(const RegisteredMapping&) = delete;

    // Maps so many bytes, which are zero, instead of what was mapped before. Returns false with
    // errno set if the system refuses them.
    bool map(size_t bytes);
    // Registers the mapping; with Access::remote, peers may access it through `targets`. Returns
    // false and sets *error if that is refused; then the mapping stays.
    bool make_accessible(fabric::Domain& domain, fabric::Targets targets, fabric::Access access,
                         std::string* error);
    // Ends the registration, so that no peer can write into the memory any more. The memory stays.
    void deregister() { region_ = fabric::Region(); }
    void close();

    char* data() const { return data_; }
    size_t bytes() const { return bytes_; }
    // What posts need that name this memory.
    fabric::Descriptors descriptors() const { return region_.descriptors(); }
    // Peers name the memory with these. They are valid only with Access::remote.
    uint64_t key() const { return region_.key(); }
    void copy_further_keys(uint64_t* keys) const { region_.copy_further_keys(keys); }
    uint64_t remote_address(const void* place) const {
        return region_.remote_base() +
               static_cast<uint64_t>(static_cast<const char*>(place) - data_);
    }

  private:
    char* data_ = nullptr;
    size_t bytes_ = 0;
    fabric::Region region_;
};

}  // namespace armci::pipeline

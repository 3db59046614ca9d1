// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/buffers/registered_mapping.h"

#include <sys/mman.h>

namespace armci::pipeline {

bool RegisteredMapping::map(size_t bytes) {
    close();
    void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) {
        return false;
    }
    data_ = static_cast<char*>(mapped);
    bytes_ = bytes;
    return true;
}

bool RegisteredMapping::make_accessible(fabric::Domain& domain, fabric::Targets targets,
                                        fabric::Access access, std::string* error) {
    region_ = domain.register_memory(data_, bytes_, access, targets, error);
    return region_.valid();
}

void RegisteredMapping::close() {
    deregister();
    if (data_ != nullptr) {
        munmap(data_, bytes_);
        data_ = nullptr;
        bytes_ = 0;
    }
}

}  // namespace armci::pipeline

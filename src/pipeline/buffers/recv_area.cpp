// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/buffers/recv_area.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "base/topology.h"

namespace armci::pipeline {

bool RecvArea::open(fabric::Domain& domain, fabric::Endpoint& endpoint, uint32_t recv_buffer_count,
                    uint32_t recv_buffer_bytes, std::string* error) {
    const size_t bytes = size_t{recv_buffer_count} * recv_buffer_bytes;
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        *error = "no memory for " + std::to_string(recv_buffer_count) + " receive buffers of " +
                 std::to_string(recv_buffer_bytes) + " bytes: " + std::strerror(errno) +
                 "; lower ARMCI_RECV_BUFFER_COUNT or ARMCI_BUFFER_SIZE";
        return false;
    }
    memory_ = static_cast<char*>(memory);
    base::place_memory(memory, bytes);
    address_.recv_buffer_count = recv_buffer_count;
    address_.recv_buffer_bytes = recv_buffer_bytes;
    region_ = domain.register_memory(memory_, bytes, fabric::Access::remote, &endpoint, error);
    if (!region_.valid()) {
        *error += "; a higher limit on locked memory (ulimit -l) may help";
        close();
        return false;
    }
    address_.remote_base = region_.remote_base();
    address_.key = region_.key();
    return true;
}

void RecvArea::close() {
    region_ = fabric::Region();
    if (memory_ != nullptr) {
        munmap(memory_, size_t{address_.recv_buffer_count} * address_.recv_buffer_bytes);
        memory_ = nullptr;
    }
    address_ = RecvAreaAddress();
}

}  // namespace armci::pipeline

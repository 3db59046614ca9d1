#include "pipeline/landing_zone.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "base/topology.h"

namespace armci::pipeline {

bool LandingZone::open(fabric::Domain& domain, fabric::Endpoint& endpoint, uint32_t slot_count,
                       uint32_t slot_bytes, std::string* error) {
    const size_t bytes = size_t{slot_count} * slot_bytes;
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        *error = "no memory for " + std::to_string(slot_count) + " slots of " +
                 std::to_string(slot_bytes) + " bytes: " + std::strerror(errno) +
                 "; lower ARMCI_RECV_BUFFER_COUNT or ARMCI_BUFFER_SIZE";
        return false;
    }
    memory_ = static_cast<char*>(memory);
    base::place_memory(memory, bytes);
    address_.slot_count = slot_count;
    address_.slot_bytes = slot_bytes;
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

void LandingZone::close() {
    region_ = fabric::Region();
    if (memory_ != nullptr) {
        munmap(memory_, size_t{address_.slot_count} * address_.slot_bytes);
        memory_ = nullptr;
    }
    address_ = LandingAddress();
}

}  // namespace armci::pipeline

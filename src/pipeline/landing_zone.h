// Registered memory of a data server that origins write chunks into: equal slots, each written only
// by the origin it was granted to. How much memory a server needs for chunks is therefore its own
// choice, whatever the number of origins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "fabric/domain.h"
#include "fabric/endpoint.h"

namespace armci::pipeline {

// What origins need to know of one; travels between processes as it is.
struct LandingAddress {
    uint64_t remote_base = 0;
    uint64_t key = 0;
    uint32_t slot_count = 0;  // 0: there is no zone, chunks travel as messages
    uint32_t slot_bytes = 0;
};

class LandingZone {
  public:
    LandingZone() = default;
    ~LandingZone() { close(); }
    LandingZone(const LandingZone&) = delete;
    LandingZone& operator=(const LandingZone&) = delete;

    // Writes go to `endpoint`. False with *error set when memory or its registration is refused.
    bool open(fabric::Domain& domain, fabric::Endpoint& endpoint, uint32_t slot_count,
              uint32_t slot_bytes, std::string* error);
    void close();

    const LandingAddress& address() const { return address_; }
    uint32_t slot_count() const { return address_.slot_count; }
    uint32_t slot_bytes() const { return address_.slot_bytes; }
    char* slot(uint32_t index) { return memory_ + size_t{index} * address_.slot_bytes; }

  private:
    char* memory_ = nullptr;
    LandingAddress address_;
    fabric::Region region_;
};

}  // namespace armci::pipeline

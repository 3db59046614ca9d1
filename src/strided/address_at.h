// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstring>

namespace armci::strided {

// Returns one of the addresses. The array may have any alignment. It is read as bytes, because a
// compiler may take the argument of memcpy() for aligned if its type says so.
inline uint64_t address_at(const uint64_t* addresses, int64_t index) {
    uint64_t address = 0;
    std::memcpy(&address,
                reinterpret_cast<const char*>(addresses) + index * int64_t{sizeof address},
                sizeof address);
    return address;
}

}  // namespace armci::strided

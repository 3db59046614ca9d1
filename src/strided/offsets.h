// SPDX-License-Identifier: BSD-3-Clause
// The addresses of a vector as distances of 4 bytes each from one address. They need half as many
// bytes in a message, and loops process several at a time. The arrays may have any alignment.
#pragma once

#include <cstdint>

namespace armci::strided {

// Says whether each address minus `base`, modulo 2^64, is in [-2^31, 2^31). Only then are *lowest
// and *highest set, to the range of these. There is at least one address.
bool find_offsets(const uint64_t* addresses, int64_t count, uint64_t base, int32_t* lowest,
                  int32_t* highest);

// Writes the distance of each address from `base`, which must be below 2^32, as uint32_t.
void write_offsets(const uint64_t* addresses, int64_t count, uint64_t base, void* offsets);

// Writes base + offset, modulo 2^64, for each offset. Reads each offset once, because others may be
// able to write there. There is at least one.
struct OffsetRange {
    uint32_t lowest;
    uint32_t highest;
};
OffsetRange read_offsets(const void* offsets, int64_t count, uint64_t base, uint64_t* addresses);

}  // namespace armci::strided

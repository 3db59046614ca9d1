// SPDX-License-Identifier: BSD-3-Clause
// The addresses of a vector as distances of 4 bytes each from one address: half as many bytes to
// send, and loops that take several at a time. None of the arrays need be aligned.
#pragma once

#include <cstdint>

namespace armci::strided {

// Whether each address less `base`, modulo 2^64, is in [-2^31, 2^31), and the range of these. There
// is at least one address. *lowest and *highest are set only if so.
bool find_offsets(const uint64_t* addresses, int64_t count, uint64_t base, int32_t* lowest,
                  int32_t* highest);

// The distance of each address from `base`, which must be below 2^32, as uint32_t.
void write_offsets(const uint64_t* addresses, int64_t count, uint64_t base, void* offsets);

// And back: base + offset, modulo 2^64. Reads each once, for others may be able to write there.
// There is at least one.
struct OffsetRange {
    uint32_t lowest;
    uint32_t highest;
};
OffsetRange read_offsets(const void* offsets, int64_t count, uint64_t base, uint64_t* addresses);

}  // namespace armci::strided

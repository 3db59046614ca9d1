// SPDX-License-Identifier: BSD-3-Clause
// Where a process keeps the data of transfers, and what should be in it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace armci::mechanisms {

// Plain private memory, as any program has it.
class PrivateMemory {
  public:
    explicit PrivateMemory(size_t bytes);
    ~PrivateMemory();
    PrivateMemory(const PrivateMemory&) = delete;
    PrivateMemory& operator=(const PrivateMemory&) = delete;

    char* start() const { return start_; }

  private:
    const size_t bytes_;
    char* start_;
};

// The places of transfers that follow each other, with gaps that nothing may touch.
struct Places {
    size_t begin = 0;
    size_t count = 0;
    size_t bytes = 0;  // of each transfer

    static size_t step(size_t bytes) { return (bytes + 63) / 64 * 64 + 64; }
    size_t offset(size_t number) const { return begin + number * step(bytes); }
    size_t end() const { return offset(count); }
};

// All data of the source, different at every place.
void fill(char* area, size_t bytes);

// Before transfers, at the destination.
void clear(char* area, const Places& places);

// Words of the destination's area that are not as the transfers should have left them, gaps
// included.
size_t count_wrong_words(const char* area, const Places& places);

}  // namespace armci::mechanisms

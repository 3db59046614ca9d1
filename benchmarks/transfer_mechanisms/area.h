// SPDX-License-Identifier: BSD-3-Clause
// The memory in which a process keeps the data of transfers, and its expected contents.
#pragma once

#include <cstddef>
#include <cstdint>

namespace armci::mechanisms {

// Plain private memory, as in any program.
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

// The places of successive transfers, with gaps that must not change.
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

// Words of the destination's area with wrong contents, including the gaps.
size_t count_wrong_words(const char* area, const Places& places);

}  // namespace armci::mechanisms

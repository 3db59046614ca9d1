// SPDX-License-Identifier: BSD-3-Clause
// What fuzz targets share: LLVMFuzzerTestOneInput takes any bytes and must end the process when
// something is wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes);

#define FUZZ_CHECK(condition)                                                            \
    do {                                                                                 \
        if (!(condition)) {                                                              \
            std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            std::abort();                                                                \
        }                                                                                \
    } while (0)

namespace armci::fuzz {

// Takes values from the front; zeros beyond the end.
class Input {
  public:
    Input(const uint8_t* data, size_t bytes) : next_(data), left_(bytes) {}

    template <class T>
    T take() {
        T value{};
        const size_t bytes = left_ < sizeof(T) ? left_ : sizeof(T);
        if (bytes > 0) {
            std::memcpy(&value, next_, bytes);
        }
        next_ += bytes;
        left_ -= bytes;
        return value;
    }

  private:
    const uint8_t* next_;
    size_t left_;
};

}  // namespace armci::fuzz

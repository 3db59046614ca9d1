// SPDX-License-Identifier: BSD-3-Clause
// Element types of accumulate, and plain arithmetic on them for checking results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace armci::bench {

enum class ElementType { int32, int64, float32, float64, complex64, complex128 };

// Name on the command line: int, long, float, double, complex, dcomplex.
const char* element_name(ElementType type);
bool parse_element(std::string_view name, ElementType* type);

// Bytes of one element; a complex number counts as one.
int64_t element_bytes(ElementType type);

// The factor of an accumulate in the form that ARMCI wants: the address of one element. A complex
// factor has no imaginary part. Whole-number types need a whole number.
struct Scale {
    alignas(16) unsigned char value[16];
};
Scale make_scale(ElementType type, double factor);
bool scale_fits(ElementType type, double factor);

// Fills memory with small whole numbers of the type, the same ones for the same seed. `bytes` is a
// multiple of the element size.
void fill_elements(ElementType type, void* memory, int64_t bytes, uint64_t seed);

// target[i] += factor * operand[i], with as many roundings as the type has.
void add_scaled(ElementType type, double factor, const void* operand, void* target, int64_t bytes);

}  // namespace armci::bench

// SPDX-License-Identifier: BSD-3-Clause
// The six accumulate types: elements, scales and the reference accumulate.
//
// Random elements and scales are small whole numbers, so that sums are exact in every type and do
// not depend on the order of the additions.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "support/job.h"

namespace armci::mp {

struct ElementType {
    int code;  // ARMCI_ACC_*
    const char* name;
    int64_t bytes;        // one element
    int64_t align_bytes;  // natural alignment of its basic part
};

const std::vector<ElementType>& element_types();
const ElementType& element_type(int code);

// A scale factor of any type; accumulate calls take data().
struct Scale {
    alignas(16) std::array<char, 16> storage{};
    void* data() { return storage.data(); }
    const void* data() const { return storage.data(); }
};

Scale random_scale(const ElementType& type, Rng& rng);
// The scale that adds the source unchanged.
Scale unit_scale(const ElementType& type);

// Fills `bytes` (a multiple of the element) with random elements.
void fill_elements(const ElementType& type, Rng& rng, void* memory, int64_t bytes);

// remote[i] += scale * local[i], in the simplest way. Any alignment.
void accumulate_reference(const ElementType& type, const Scale& scale, const void* local,
                          void* remote, int64_t bytes);

// Whether some element has grown so large that sums of random elements might round soon.
bool needs_refill(const ElementType& type, const void* memory, int64_t bytes);

}  // namespace armci::mp

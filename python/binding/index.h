// SPDX-License-Identifier: BSD-3-Clause
// Indices as NumPy has them: integers, slices and an ellipsis.
#pragma once

#include <pybind11/pybind11.h>

#include "pieces.h"

namespace armci::python {

/** What an index selects. */
struct Region {
    Few<Steps> steps;  // for each dimension of the array
    Few<size_t> kept;  // dimensions that the result has: those without an integer
    bool has_ellipsis = false;

    /** Whether NumPy gives a scalar for it, not an array. */
    [[nodiscard]] bool is_element() const { return kept.empty() && !has_ellipsis; }
};

/** Throws IndexError, TypeError and ValueError as NumPy does. */
Region parse_index(pybind11::handle index, const Numbers& shape);

}  // namespace armci::python

// SPDX-License-Identifier: BSD-3-Clause
// The memory of an array as elements of a NumPy type: transfers from and to NumPy arrays.
#pragma once

#include <pybind11/numpy.h>

#include <memory>
#include <utility>
#include <vector>

#include "memory.h"

namespace armci::python {

class Elements {
  public:
    Elements(std::unique_ptr<Memory> memory, pybind11::dtype type)
        : memory_(std::move(memory)), type_(std::move(type)) {}

    [[nodiscard]] Memory& memory() const { return *memory_; }

    [[nodiscard]] Region region(pybind11::handle index) const;

    /** What the index selects, as NumPy returns it: a new array, or a scalar. */
    [[nodiscard]] pybind11::object get_new(pybind11::handle index) const;

    // The following take NumPy arrays as they are. They return false, and have done nothing, if the
    // object is no NumPy array of the type and the shape, cannot be written although it must be,
    // overlaps what the index selects, or has strides with which a copy in C's order is faster.
    // They wait for the transfer if `handle` is None, and start it if it is a Handle.
    bool put(pybind11::handle index, pybind11::handle value, pybind11::handle handle) const;
    bool get(pybind11::handle index, pybind11::handle out, pybind11::handle handle) const;
    bool accumulate(pybind11::handle index, pybind11::handle value, int type,
                    const pybind11::array& scale, pybind11::handle handle) const;

    /** The rank that owns the element which the index names. */
    [[nodiscard]] int owner(pybind11::handle index) const;

    /** ARMCI_Rmw on one element: word is an array of one element, whose size is that of the
     * operation. */
    void update(int operation, pybind11::handle index, const pybind11::array& word,
                int value) const;

    /** ARMCI_Fence. Returns false if the group has no such rank. */
    [[nodiscard]] bool fence(const pybind11::int_& rank) const;

    /** The caller's block; it must not be used after the memory has been freed. */
    [[nodiscard]] pybind11::memoryview own() const;

  private:
    /** Throws IndexError if the index is not that of one element. */
    [[nodiscard]] Region element(pybind11::handle index) const;

    bool transfer(Operation operation, pybind11::handle index, pybind11::handle array, int type,
                  void* scale, pybind11::handle handle) const;

    std::unique_ptr<Memory> memory_;
    pybind11::dtype type_;
};

/** The shape of what a region selects. */
std::vector<ssize_t> shape_of(const Region& region);

}  // namespace armci::python

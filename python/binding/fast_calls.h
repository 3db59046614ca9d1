// SPDX-License-Identifier: BSD-3-Clause
// The methods of Elements that each transfer calls, as plain functions of CPython.
//
// pybind11 looks up types and overloads in each call. That took longer than all else that the
// package adds to a transfer, most of all after a large copy, which leaves none of pybind11's
// tables in the caches.
#pragma once

#include <pybind11/pybind11.h>

namespace armci::python {

/**
 * Defines put, get, get_new, accumulate and fence in the Python class of Elements. They take
 * positional arguments only, and raise error_type where Error is thrown.
 */
void define_fast_calls(pybind11::handle elements_class, pybind11::handle error_type);

}  // namespace armci::python

// SPDX-License-Identifier: BSD-3-Clause
#include "index.h"

#include <string>

namespace py = pybind11;

namespace armci::python {
namespace {

/** Is what every object with __index__ is, except arrays and bool, which mean something else. */
bool is_integer(py::handle item) {
    return PyLong_CheckExact(item.ptr()) ||
           (PyIndex_Check(item.ptr()) && !PyBool_Check(item.ptr()) &&
            !(py::hasattr(item, "ndim") && item.attr("ndim").cast<int>() > 0));
}

[[noreturn]] void refuse(py::handle item) {
    throw py::index_error("armci.Array takes integers, slices and '...' as indices, not " +
                          py::str(py::type::of(item).attr("__name__")).cast<std::string>() +
                          "; for index arrays, masks and newaxis get a slice, and index that");
}

Steps parse_slice(py::handle item, int64_t size) {
    Py_ssize_t begin = 0;
    Py_ssize_t end = 0;
    Py_ssize_t step = 0;
    if (PySlice_Unpack(item.ptr(), &begin, &end, &step) != 0) {
        throw py::error_already_set();
    }
    const Py_ssize_t count = PySlice_AdjustIndices(size, &begin, &end, step);
    return {begin, step, count};
}

Steps parse_integer(py::handle item, size_t axis, int64_t size) {
    const Py_ssize_t given = PyNumber_AsSsize_t(item.ptr(), PyExc_IndexError);
    if (given == -1 && PyErr_Occurred()) {
        throw py::error_already_set();
    }
    if (given < -size || given >= size) {
        throw py::index_error("index " + std::to_string(given) + " is out of bounds for axis " +
                              std::to_string(axis) + " with size " + std::to_string(size));
    }
    return {given < 0 ? given + size : given, 1, 1};
}

}  // namespace

Region parse_index(py::handle index, const Numbers& shape) {
    PyObject* const single = index.ptr();
    const bool is_tuple = PyTuple_Check(single);
    const size_t given = is_tuple ? static_cast<size_t>(PyTuple_GET_SIZE(single)) : 1;
    const auto item_at = [&](size_t i) {
        return is_tuple ? py::handle(PyTuple_GET_ITEM(single, static_cast<Py_ssize_t>(i))) : index;
    };
    Region region;
    for (size_t i = 0; i < given; ++i) {
        if (item_at(i).ptr() == Py_Ellipsis) {
            if (region.has_ellipsis) {
                throw py::index_error("an index can only have a single ellipsis ('...')");
            }
            region.has_ellipsis = true;
        }
    }
    const size_t named = given - (region.has_ellipsis ? 1 : 0);
    if (named > shape.size()) {
        throw py::index_error("too many indices: the array is " + std::to_string(shape.size()) +
                              "-dimensional, and " + std::to_string(named) + " were given");
    }
    const auto keep_all = [&](size_t count) {
        for (; count > 0; --count) {
            region.kept.push_back(region.steps.size());
            region.steps.push_back({0, 1, shape[region.steps.size()]});
        }
    };
    for (size_t i = 0; i < given; ++i) {
        const py::handle item = item_at(i);
        const size_t axis = region.steps.size();
        if (item.ptr() == Py_Ellipsis) {
            keep_all(shape.size() - named);
        } else if (PySlice_Check(item.ptr())) {
            region.kept.push_back(axis);
            region.steps.push_back(parse_slice(item, shape[axis]));
        } else if (is_integer(item)) {
            region.steps.push_back(parse_integer(item, axis, shape[axis]));
        } else {
            refuse(item);
        }
    }
    keep_all(shape.size() - region.steps.size());
    return region;
}

}  // namespace armci::python

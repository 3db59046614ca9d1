// SPDX-License-Identifier: BSD-3-Clause
#include "elements.h"

#include <string>

namespace py = pybind11;

namespace armci::python {
namespace {

bool has_shape(const py::array& array, const Region& region) {
    bool fits = static_cast<size_t>(array.ndim()) == region.kept.size();
    for (size_t i = 0; fits && i < region.kept.size(); ++i) {
        fits = array.shape()[i] == region.steps[region.kept[i]].count;
    }
    return fits;
}

/**
 * Whether the array's strides would cut into single elements what is contiguous at the owners. Then
 * the library would move element by element, and a copy costs less.
 */
bool cuts_rows(const py::array& array, const Region& region) {
    if (array.size() == 0) {
        return false;  // the strides mean nothing
    }
    for (size_t i = region.kept.size(); i-- > 0;) {
        const Steps& steps = region.steps[region.kept[i]];
        if (steps.count != 1) {
            return steps.step == 1 && array.strides()[i] != array.itemsize();
        }
    }
    return false;
}

/** In a job of many ranks their mistakes are printed without order. */
[[noreturn]] void fail(const std::string& mistake) {
    throw py::index_error(mistake + " (rank " + std::to_string(armci_msg_me()) + ")");
}

/** Lets other Python threads run. py::gil_scoped_release also visits pybind11's tables. */
class GilRelease {
  public:
    GilRelease() : state_(PyEval_SaveThread()) {}
    ~GilRelease() { PyEval_RestoreThread(state_); }
    GilRelease(const GilRelease&) = delete;
    GilRelease& operator=(const GilRelease&) = delete;

  private:
    PyThreadState* state_;
};

Local local_of(const py::array& array) {
    return {static_cast<char*>(const_cast<void*>(array.data())), array.strides()};
}

}  // namespace

std::vector<ssize_t> shape_of(const Region& region) {
    std::vector<ssize_t> shape;
    for (const size_t dimension : region.kept) {
        shape.push_back(region.steps[dimension].count);
    }
    return shape;
}

Region Elements::region(py::handle index) const {
    memory_->check();
    try {
        return parse_index(index, memory_->grid().shape());
    } catch (const py::index_error& error) {
        fail(error.what());
    }
}

Region Elements::element(py::handle index) const {
    Region region = this->region(index);
    if (!region.is_element()) {
        fail("one element is needed here: give " + std::to_string(region.steps.size()) +
             " integers");
    }
    return region;
}

bool Elements::transfer(Operation operation, py::handle index, py::handle array, int type,
                        void* scale, py::handle handle) const {
    const Region region = this->region(index);
    if (!py::isinstance<py::array>(array)) {
        return false;
    }
    const auto given = py::reinterpret_borrow<py::array>(array);
    const py::dtype given_type = given.dtype();
    if ((given_type.ptr() != type_.ptr() && !given_type.equal(type_)) ||
        !has_shape(given, region) || cuts_rows(given, region) ||
        (operation == Operation::get && !given.writeable())) {
        return false;
    }
    Local local = local_of(given);
    local.accumulate_type = type;
    local.scale = scale;
    Handle* const started = handle.is_none() ? nullptr : handle.cast<Handle*>();
    const GilRelease release;
    return memory_->transfer(operation, region, local, started);
}

py::object Elements::get_new(py::handle index) const {
    const Region region = this->region(index);
    py::array result(type_, shape_of(region));
    const Local local = local_of(result);
    {
        const GilRelease release;
        memory_->transfer(Operation::get, region, local, nullptr);
    }
    return region.is_element() ? py::object(result[py::tuple()]) : std::move(result);
}

bool Elements::put(py::handle index, py::handle value, py::handle handle) const {
    return transfer(Operation::put, index, value, -1, nullptr, handle);
}

bool Elements::get(py::handle index, py::handle out, py::handle handle) const {
    return transfer(Operation::get, index, out, -1, nullptr, handle);
}

bool Elements::accumulate(py::handle index, py::handle value, int type, const py::array& scale,
                          py::handle handle) const {
    return transfer(Operation::accumulate, index, value, type, const_cast<void*>(scale.data()),
                    handle);
}

int Elements::owner(py::handle index) const {
    return memory_->grid().owner_of(element(index).steps);
}

void Elements::update(int operation, py::handle index, const py::array& word, int value) const {
    const Region region = element(index);
    void* const data = const_cast<void*>(word.data());
    const GilRelease release;
    memory_->update(operation, region, data, value);
}

bool Elements::fence(const py::int_& rank) const {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(rank.ptr(), &overflow);
    const GilRelease release;
    return overflow == 0 && memory_->fence(number);
}

py::memoryview Elements::own() const {
    memory_->check();
    return py::memoryview::from_memory(memory_->own(), memory_->own_bytes());
}

}  // namespace armci::python

// SPDX-License-Identifier: BSD-3-Clause
#include "fast_calls.h"

#include <new>

#include "elements.h"
#include "job.h"

namespace py = pybind11;

namespace armci::python {
namespace {

PyObject* error_type = nullptr;  // lives as long as the module, which is never unloaded

/** CPython has made sure that self is an instance of the class, but not that it was initialised. */
const Elements& elements_of(PyObject* self) {
    auto* const instance = reinterpret_cast<py::detail::instance*>(self);
    const Elements* const elements = instance->get_value_and_holder().value_ptr<Elements>();
    if (elements == nullptr) {
        throw py::type_error("Elements are made by allocate()");
    }
    return *elements;
}

/** Returns what call() returns, or null and a Python exception in place of a C++ one. */
template <class Call>
PyObject* guard(const char* name, Py_ssize_t given, Py_ssize_t needed, const Call& call) noexcept {
    if (given != needed) {
        PyErr_Format(PyExc_TypeError, "%s takes %zd arguments, not %zd", name, needed, given);
        return nullptr;
    }
    try {
        return call();
    } catch (py::error_already_set& error) {
        error.restore();
    } catch (const py::builtin_exception& error) {
        error.set_error();
    } catch (const Error& error) {
        PyErr_SetString(error_type, error.what());
    } catch (const std::bad_alloc&) {
        PyErr_NoMemory();
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
    }
    return nullptr;
}

PyObject* put(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    return guard("put", count, 3,
                 [&] { return PyBool_FromLong(elements_of(self).put(args[0], args[1], args[2])); });
}

PyObject* get(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    return guard("get", count, 3,
                 [&] { return PyBool_FromLong(elements_of(self).get(args[0], args[1], args[2])); });
}

PyObject* get_new(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    return guard("get_new", count, 1,
                 [&] { return elements_of(self).get_new(args[0]).release().ptr(); });
}

PyObject* accumulate(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    return guard("accumulate", count, 5, [&] {
        const int type = py::handle(args[2]).cast<int>();
        const auto scale = py::cast<py::array>(py::handle(args[3]));
        return PyBool_FromLong(
            elements_of(self).accumulate(args[0], args[1], type, scale, args[4]));
    });
}

PyObject* fence(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    return guard("fence", count, 1, [&] {
        return PyBool_FromLong(elements_of(self).fence(py::cast<py::int_>(py::handle(args[0]))));
    });
}

using Function = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t);

PyMethodDef method(const char* name, Function function) {
    // METH_FASTCALL says that the function has this type.
    return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)),
            METH_FASTCALL, nullptr};
}

}  // namespace

void define_fast_calls(py::handle elements_class, py::handle error) {
    static PyMethodDef methods[] = {method("put", put), method("get", get),
                                    method("get_new", get_new), method("accumulate", accumulate),
                                    method("fence", fence)};
    error_type = error.inc_ref().ptr();
    auto* const type = reinterpret_cast<PyTypeObject*>(elements_class.ptr());
    for (PyMethodDef& entry : methods) {
        PyObject* const descriptor = PyDescr_NewMethod(type, &entry);
        if (descriptor == nullptr) {
            throw py::error_already_set();
        }
        elements_class.attr(entry.ml_name) = py::reinterpret_steal<py::object>(descriptor);
    }
}

}  // namespace armci::python

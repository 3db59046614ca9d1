// SPDX-License-Identifier: BSD-3-Clause
// The Python module armci._core: the classes of this folder. Arguments are checked by the package's
// Python code, except indices and what is only known here.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "elements.h"
#include "fast_calls.h"
#include "group.h"
#include "index.h"
#include "job.h"
#include "memory.h"

namespace py = pybind11;

namespace armci::python {
namespace {

using WithoutGil = py::call_guard<py::gil_scoped_release>;

py::dict stats() {
    check_call();
    armcix_stats_t now{};
    ARMCIX_Stats(&now, sizeof now);
    const auto by_route = [](const armcix_counter_t(&counters)[3]) {
        py::dict result;
        const char* const names[3] = {"local", "rma", "server"};
        for (int route = 0; route < 3; ++route) {
            result[names[route]] =
                py::make_tuple(counters[route].operations, counters[route].bytes);
        }
        return result;
    };
    py::dict result;
    result["put"] = by_route(now.put);
    result["get"] = by_route(now.get);
    result["accumulate"] = by_route(now.acc);
    result["rmw"] = now.rmw;
    result["fences"] = now.fences;
    result["messages_sent"] = now.messages_sent;
    return result;
}

/** Collective; None if a rank has not enough memory. */
std::unique_ptr<Elements> allocate(Numbers shape, Numbers blocks, py::dtype type,
                                   std::shared_ptr<Group> group) {
    Grid grid(std::move(shape), std::move(blocks), type.itemsize());
    std::unique_ptr<Memory> memory;
    {
        const py::gil_scoped_release release;
        memory = Memory::allocate(std::move(grid), std::move(group));
    }
    return memory ? std::make_unique<Elements>(std::move(memory), std::move(type)) : nullptr;
}

/** Ends the job because this rank ends alone. */
void abort_job(const std::string& message, int status) {
    ARMCI_Error(message.c_str(), status);
}

void define_job(py::module_& m) {
    py::register_exception<Error>(m, "Error", PyExc_RuntimeError).attr("__module__") = "armci";
    m.def("start", start, py::arg("comm_address"), WithoutGil());
    m.def("stop", stop, WithoutGil());
    m.def("stop_mpi", stop_mpi, WithoutGil());
    m.def("is_up", is_up);
    m.def("check_call", [] { check_call(); });
    m.def("mpi_version", mpi_version);
    m.def("ranks_of", ranks_of, py::arg("comm_address"));
    m.def("abort_job", abort_job);
    m.def(
        "all_fence",
        [] {
            check_call();
            ARMCI_AllFence();
        },
        WithoutGil());
    m.def(
        "fence",
        [](int rank) {
            check_call();
            ARMCI_Fence(rank);
        },
        WithoutGil());
    m.def("node", ARMCIX_Node);
    m.def("node_count", ARMCIX_Node_count);
    m.def("route", ARMCIX_Route);
    m.def("provider", ARMCIX_Provider);
    m.def("stats", stats);
}

void define_groups(py::module_& m) {
    py::class_<Group, std::shared_ptr<Group>>(m, "Group")
        .def(py::init<>())
        .def(py::init<std::vector<int>>(), WithoutGil())
        .def("free", &Group::free, WithoutGil())
        .def("check_member", &Group::check_member)
        .def_property_readonly(
            "ranks", [](const Group& group) { return py::tuple(py::cast(group.ranks())); })
        .def_property_readonly("rank", &Group::rank)
        .def("fence", &Group::fence, WithoutGil())
        .def("sync", &Group::sync, WithoutGil())
        .def("reduce", &Group::reduce, WithoutGil());
    py::class_<Mutexes>(m, "Mutexes")
        .def(py::init<int, Group&>(), py::keep_alive<1, 3>(), WithoutGil())
        .def("free", &Mutexes::free, WithoutGil())
        .def("lock", &Mutexes::lock, WithoutGil())
        .def("try_lock", &Mutexes::try_lock, WithoutGil())
        .def("unlock", &Mutexes::unlock, WithoutGil());
}

void define_arrays(py::module_& m) {
    py::class_<Region>(m, "Region")
        .def_property_readonly(
            "shape", [](const Region& region) { return py::tuple(py::cast(shape_of(region))); })
        .def_property_readonly("is_element", &Region::is_element);
    py::class_<Handle>(m, "Handle")
        .def(py::init<>())
        .def("wait", &Handle::wait, WithoutGil())
        .def("test", &Handle::test, WithoutGil());
    py::class_<Elements> elements_class(m, "Elements");
    elements_class.def_static("allocate", allocate)
        .def("release", [](const Elements& elements) { elements.memory().release(); })
        .def_property_readonly(
            "is_released", [](const Elements& elements) { return elements.memory().is_released(); })
        .def(
            "free", [](const Elements& elements) { elements.memory().free(); }, WithoutGil())
        .def("check", [](const Elements& elements) { elements.memory().check(); })
        .def("region", &Elements::region)
        .def("first_of",
             [](const Elements& elements, size_t dimension, int64_t block) {
                 return elements.memory().grid().first_of(dimension, block);
             })
        .def("owner", &Elements::owner)
        .def("block_shape",
             [](const Elements& elements, int rank) {
                 return py::tuple(py::cast(elements.memory().block_shape(rank)));
             })
        .def("own", &Elements::own)
        .def("update", &Elements::update)
        .def_property(
            "largest_argument",
            [](const Elements& elements) { return elements.memory().largest_argument; },
            [](const Elements& elements, int64_t largest) {
                elements.memory().largest_argument = largest;
            });
    define_fast_calls(elements_class, m.attr("Error"));
}

}  // namespace

PYBIND11_MODULE(_core, m) {
    m.doc() = "The part of the package armci that calls the library.";
    define_job(m);
    define_groups(m);
    define_arrays(m);
    m.attr("VERSION") = ARMCI_PYTHON_VERSION;
    m.attr("MAX_DIMENSIONS") = kMaxDimensions;
    m.attr("FETCH_AND_ADD") = static_cast<int>(ARMCI_FETCH_AND_ADD);
    m.attr("FETCH_AND_ADD_LONG") = static_cast<int>(ARMCI_FETCH_AND_ADD_LONG);
    m.attr("SWAP") = static_cast<int>(ARMCI_SWAP);
    m.attr("SWAP_LONG") = static_cast<int>(ARMCI_SWAP_LONG);
    m.attr("ACC_INT") = static_cast<int>(ARMCI_ACC_INT);
    m.attr("ACC_LNG") = static_cast<int>(ARMCI_ACC_LNG);
    m.attr("ACC_FLT") = static_cast<int>(ARMCI_ACC_FLT);
    m.attr("ACC_DBL") = static_cast<int>(ARMCI_ACC_DBL);
    m.attr("ACC_CPL") = static_cast<int>(ARMCI_ACC_CPL);
    m.attr("ACC_DCP") = static_cast<int>(ARMCI_ACC_DCP);
}

}  // namespace armci::python

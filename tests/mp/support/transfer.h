// SPDX-License-Identifier: BSD-3-Clause
// One ARMCI data transfer as a value: issued through the C interface, or applied to plain memory.
#pragma once

#include <string>
#include <vector>

#include "armci/armci.h"
#include "support/element.h"
#include "support/shape.h"

namespace armci::mp {

enum class Verb { put, get, acc };

// How a transfer is called and completed.
enum class Completion {
    blocking,
    handle_wait,         // explicit handle, ARMCI_Wait
    handle_test,         // explicit handle, ARMCI_Test until it says complete
    implicit_wait_proc,  // NULL handle, ARMCI_WaitProc
    implicit_wait_all,   // NULL handle, ARMCI_WaitAll
};

const std::vector<Completion>& all_completions();
const char* name_of(Verb verb);
const char* name_of(Completion completion);

struct Transfer {
    Verb verb = Verb::put;
    Shape shape;
    int type = ARMCI_ACC_INT;  // of the elements; only acc looks at it
    Scale scale;               // only for acc

    std::string describe() const;
};

// Issues the transfer. The stride, count, pointer and descriptor arrays and the scale that the
// library gets are overwritten and freed before this returns, as the contract allows. `handle` is
// used only if not `blocking`, and may be NULL (implicit). Returns the result of the library.
int issue(const Transfer& transfer, char* local, char* remote, int proc, bool blocking,
          armci_hdl_t* handle);

// issue() and completion in the given way; adds a failure when a call returns non-zero.
void run(const Transfer& transfer, char* local, char* remote, int proc, Completion completion);

// What the transfer has to do, on plain memory.
void apply(const Transfer& transfer, char* local, char* remote);

}  // namespace armci::mp

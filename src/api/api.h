// SPDX-License-Identifier: BSD-3-Clause
// Every file with entry points includes this first: the public headers, which export their names.
//
// Functions with a profiling twin are defined under the PARMCI_ name; the ARMCI_ name is a weak
// alias of it, which programs may override. The library itself therefore never calls an ARMCI_
// name.
#pragma once

#include <mpi.h>

#include "armci/armci.h"
#include "armci/armcix.h"
#include "armci/message.h"

// Must come after the definition of `target` in the same file.
#define ARMCI_ALIAS(result, name, arguments, target) \
    extern "C" result name arguments __attribute__((weak, alias(#target)))

// SPDX-License-Identifier: BSD-3-Clause
// ARMCI's header for C++: some implementations' own header lacks the linkage declaration.
#pragma once

#include <mpi.h>
// After mpi.h, which cannot stand inside the block.
extern "C" {
#include <armci.h>
#include <message.h>
}

// SPDX-License-Identifier: BSD-3-Clause
// Names of functions by their addresses, from the symbol tables in the files of the program and its
// libraries. Unlike dladdr() this also knows functions that are not exported, so it works in
// programs that are linked with the static library, position-independent or not.
#pragma once

#include <cstddef>
#include <cstdint>

namespace armci::base {

// Nothing here allocates memory: an error may be about the lack of it.
struct CodePlace {
    char function[512] = {};  // as the linker knows it; empty if the file does not name it
    char file[256] = {};      // the program's or library's name without folders; empty if unknown
    uintptr_t load_base = 0;  // what its addresses in memory are larger by than those in the file
    uintptr_t offset = 0;  // from the function's begin, or without a name the address in the file
};

CodePlace find_code(uintptr_t address);

}  // namespace armci::base

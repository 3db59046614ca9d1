// SPDX-License-Identifier: BSD-3-Clause
// Memory that both processes map, from which mechanisms make their buffers.
#pragma once

#include "pair.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

namespace armci::mechanisms {

// Filled with zeros. Both sides call; to be unmapped by munmap().
inline char* map_shared(Pair& pair, size_t bytes) {
    int memory = -1;
    if (pair.is_source()) {
        memory = memfd_create("transfer_mechanisms", MFD_CLOEXEC);
        if (memory < 0 || ftruncate(memory, static_cast<off_t>(bytes)) != 0) {
            pair.fail("memfd_create, ftruncate", errno);
        }
    }
    memory = pair.share_descriptor(memory);
    void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    if (mapped == MAP_FAILED) {
        pair.fail("mmap", errno);
    }
    close(memory);
    return static_cast<char*>(mapped);
}

}  // namespace armci::mechanisms

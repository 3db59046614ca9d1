// SPDX-License-Identifier: BSD-3-Clause
// Detects a program of one MPI that has found this library of another. Both have then loaded their
// MPI, and calls go to the program's. The first one with a communicator would crash, or complain of
// a communicator that nobody has made. The functions that are called here have none.
#include "lifecycle/mpi_match.h"

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <cstring>

#include "base/log.h"

// Of MPI 5: whether an MPI has the standard binary interface. Older ones do not have the function.
extern "C" int PMPI_Abi_get_version(int* major, int* minor) __attribute__((weak));

namespace armci::lifecycle {

namespace {

const void* object_of(const void* function) {
    Dl_info info;
    return dladdr(function, &info) != 0 ? info.dli_fbase : nullptr;
}

// Whether the MPI that the program's calls go to has the standard binary interface. Calls of the
// PMPI interface, because tools for profiling replace the others.
bool has_standard_interface() {
    int major = -1;
    int minor = -1;
    return PMPI_Abi_get_version != nullptr &&
           object_of(reinterpret_cast<const void*>(PMPI_Abi_get_version)) ==
               object_of(reinterpret_cast<const void*>(PMPI_Get_library_version)) &&
           PMPI_Abi_get_version(&major, &minor) == MPI_SUCCESS && major >= 1;
}

}  // namespace

void check_mpi(const char* function) {
    char version[8192] = "";  // more than any MPI's MPI_MAX_LIBRARY_VERSION_STRING
    int length = 0;
    MPI_Get_library_version(version, &length);
    const char* remedy = nullptr;
#ifdef MPI_ABI_VERSION
    constexpr const char* kBuiltFor = "the standard binary interface of MPI 5";
    if (!has_standard_interface()) {
        remedy =
            std::strstr(version, "Open MPI") != nullptr ? "libarmci-openmpi" : "libarmci-mpich";
    }
#else
#ifdef OPEN_MPI
    constexpr const char* kBuiltFor = "Open MPI";
    constexpr const char* kOther = "MPICH";
    constexpr const char* kOtherLibrary = "libarmci-mpich";
#else
    constexpr const char* kBuiltFor = "MPICH or one compatible with it";
    constexpr const char* kOther = "Open MPI";
    constexpr const char* kOtherLibrary = "libarmci-openmpi";
#endif
    if (has_standard_interface()) {
        remedy = "libarmci-abi";
    } else if (std::strstr(version, kOther) != nullptr) {
        remedy = kOtherLibrary;
    }
#endif
    if (remedy == nullptr) {
        return;
    }
    version[std::strcspn(version, "\n,")] = '\0';
    std::replace(version, version + std::strlen(version), '\t', ' ');
    base::fatal(function,
                "this libarmci is for %s, and the program runs with \"%s\"%s; link it with %s, "
                "or build both for the same MPI",
                kBuiltFor, version,
                has_standard_interface() ? " and its standard binary interface" : "", remedy);
}

}  // namespace armci::lifecycle

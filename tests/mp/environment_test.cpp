// SPDX-License-Identifier: BSD-3-Clause
// Threads of providers call getenv, and crash if setenv moves the environment meanwhile. So
// ARMCI_Init must not set variables once libfabric has opened something. This program's own
// setenv and fi_fabric take the place of the usual ones. The exit status is the whole test.
#include <dlfcn.h>
#include <mpi.h>
#include <rdma/fabric.h>

#include <cstdio>

#include "armci/armci.h"

namespace {

bool g_is_in_init = false;
bool g_has_fabric = false;
int g_early = 0;  // variables that were set before
int g_late = 0;   // and after

template <class Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int setenv(const char* name, const char* value, int replace) noexcept {
    if (g_is_in_init) {
        ++(g_has_fabric ? g_late : g_early);
    }
    return next<int(const char*, const char*, int)>("setenv")(name, value, replace);
}

int fi_fabric(fi_fabric_attr* attributes, fid_fabric** fabric, void* context) {
    g_has_fabric |= g_is_in_init;
    return next<int(fi_fabric_attr*, fid_fabric**, void*)>("fi_fabric")(attributes, fabric,
                                                                        context);
}
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    g_is_in_init = true;
    const bool is_up = ARMCI_Init() == 0;
    g_is_in_init = false;
    const bool is_right = is_up && g_has_fabric && g_early > 0 && g_late == 0;
    if (!is_right) {
        std::printf("%d variables before fi_fabric, which was%s called, and %d after\n", g_early,
                    g_has_fabric ? "" : " not", g_late);
    }
    ARMCI_Finalize();
    MPI_Finalize();
    return is_right ? 0 : 1;
}

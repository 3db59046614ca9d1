// SPDX-License-Identifier: BSD-3-Clause
// Access to another process's memory, which the kernel grants or refuses.
#pragma once

#include "mechanism.h"

#include <sys/prctl.h>

#include <cerrno>
#include <cstring>

namespace armci::mechanisms {

// Where the Yama module allows only ancestors to trace a process, the process may allow one other.
// Without that module the call fails, which does no harm.
inline void admit_peer(const Pair& pair) {
    prctl(PR_SET_PTRACER, static_cast<unsigned long>(pair.peer_pid()), 0, 0, 0);
}

// What the errno of a first attempt means.
inline Availability explain_refusal(const char* call, int error) {
    if (error == ENOSYS) {
        return {Availability::Kind::absent, std::string(call) + ": this kernel does not have it"};
    }
    return {Availability::Kind::not_permitted,
            std::string(call) + ": " + std::strerror(error) +
                "; needs the same user and kernel.yama.ptrace_scope below 2, in a container also "
                "--cap-add=SYS_PTRACE or a seccomp profile that lets the call through"};
}

}  // namespace armci::mechanisms

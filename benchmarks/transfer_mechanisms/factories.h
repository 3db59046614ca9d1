// SPDX-License-Identifier: BSD-3-Clause
// Functions that make the mechanisms; mechanisms.cpp lists them.
#pragma once

#include "mechanism.h"

namespace armci::mechanisms {

std::unique_ptr<Mechanism> make_mapped_copy(const Kind& kind, const Sizes& sizes);
std::unique_ptr<Mechanism> make_mapped_streaming(const Kind& kind, const Sizes& sizes);
std::unique_ptr<Mechanism> make_mapped_string(const Kind& kind, const Sizes& sizes);
std::unique_ptr<Mechanism> make_shared_buffers(const Kind& kind, const Sizes& sizes);
std::unique_ptr<Mechanism> make_message_queue(const Kind& kind, const Sizes& sizes);
std::unique_ptr<Mechanism> make_process_vm(const Kind& kind, const Sizes& sizes);
std::unique_ptr<Mechanism> make_proc_mem(const Kind& kind, const Sizes& sizes);
std::unique_ptr<Mechanism> make_ptrace(const Kind& kind, const Sizes& sizes);
std::unique_ptr<Mechanism> make_ptrace_alone(const Kind& kind, const Sizes& sizes);
std::unique_ptr<Mechanism> make_ofi_tcp(const Kind& kind, const Sizes& sizes);
std::unique_ptr<Mechanism> make_ofi_shm(const Kind& kind, const Sizes& sizes);

}  // namespace armci::mechanisms

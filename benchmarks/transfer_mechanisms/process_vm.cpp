// SPDX-License-Identifier: BSD-3-Clause
// One copy by the kernel: process_vm_writev and process_vm_readv.
#include "factories.h"
#include "kernel_copy.h"

#include <sys/uio.h>

namespace armci::mechanisms {

namespace {

class ProcessVm : public KernelCopy {
  public:
    using KernelCopy::KernelCopy;

  protected:
    const char* name() const override {
        return writes() ? "process_vm_writev" : "process_vm_readv";
    }

    ssize_t copy_some(char* own, char* remote, size_t bytes) override {
        const iovec here{own, bytes};
        const iovec there{remote, bytes};
        const pid_t peer = pair_->peer_pid();
        return writes() ? process_vm_writev(peer, &here, 1, &there, 1, 0)
                        : process_vm_readv(peer, &here, 1, &there, 1, 0);
    }
};

}  // namespace

std::unique_ptr<Mechanism> make_process_vm(const Kind& kind, const Sizes&) {
    return std::make_unique<ProcessVm>(kind.worker);
}

}  // namespace armci::mechanisms

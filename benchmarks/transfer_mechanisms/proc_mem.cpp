// SPDX-License-Identifier: BSD-3-Clause
// One copy by the kernel through the file /proc/PID/mem, with the other process stopped by ptrace
// for each transfer, as old kernels required it, or not stopped.
#include "factories.h"
#include "kernel_copy.h"

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

namespace armci::mechanisms {

namespace {

class ProcMem : public KernelCopy {
  public:
    using KernelCopy::KernelCopy;

    void tear_down() override { close_memory(); }

  protected:
    const char* name() const override { return "/proc/PID/mem"; }

    Availability first_access() override {
        return open_memory() ? KernelCopy::first_access() : explain_refusal(name(), errno);
    }

    bool open_memory() {
        const std::string path = "/proc/" + std::to_string(pair_->peer_pid()) + "/mem";
        file_ = open(path.c_str(), O_RDWR | O_CLOEXEC);
        return file_ >= 0;
    }

    void close_memory() {
        if (file_ >= 0) {
            close(file_);
            file_ = -1;
        }
    }

    ssize_t copy_some(char* own, char* remote, size_t bytes) override {
        const auto position = reinterpret_cast<off_t>(remote);
        return writes() ? pwrite(file_, own, bytes, position) : pread(file_, own, bytes, position);
    }

  private:
    int file_ = -1;
};

class Ptrace : public ProcMem {
  public:
    Ptrace(Worker worker, bool copies) : ProcMem(worker), copies_(copies) {}

    void act(size_t offset, size_t bytes) override {
        if (!attach()) {
            pair_->fail("PTRACE_ATTACH", errno);
        }
        if (copies_) {
            if (!open_memory() || !copy(offset, bytes)) {
                pair_->fail(name(), errno);
            }
            close_memory();
        }
        if (!detach()) {
            pair_->fail("PTRACE_DETACH", errno);
        }
    }

  protected:
    Availability first_access() override {
        return attach() && detach() ? Availability{} : explain_refusal("PTRACE_ATTACH", errno);
    }

  private:
    bool attach() {
        int status = 0;
        return ptrace(PTRACE_ATTACH, pair_->peer_pid(), nullptr, nullptr) == 0 &&
               waitpid(pair_->peer_pid(), &status, __WALL) == pair_->peer_pid() &&
               WIFSTOPPED(status);
    }
    bool detach() { return ptrace(PTRACE_DETACH, pair_->peer_pid(), nullptr, nullptr) == 0; }

    const bool copies_;
};

}  // namespace

std::unique_ptr<Mechanism> make_proc_mem(const Kind& kind, const Sizes&) {
    return std::make_unique<ProcMem>(kind.worker);
}

std::unique_ptr<Mechanism> make_ptrace(const Kind& kind, const Sizes&) {
    return std::make_unique<Ptrace>(kind.worker, true);
}

std::unique_ptr<Mechanism> make_ptrace_alone(const Kind& kind, const Sizes&) {
    return std::make_unique<Ptrace>(kind.worker, false);
}

}  // namespace armci::mechanisms

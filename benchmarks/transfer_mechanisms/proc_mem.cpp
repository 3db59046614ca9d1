// One copy by the kernel through the file /proc/PID/mem, with the other process stopped by ptrace
// for each transfer, as old kernels wanted it, or not stopped.
#include "factories.h"
#include "permission.h"

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

namespace armci::mechanisms {

namespace {

class ProcMem : public Mechanism {
  public:
    explicit ProcMem(Worker worker) : worker_(worker) {}

    Availability set_up(Pair& pair, char* own, size_t, char** area) override {
        pair_ = &pair;
        own_ = own;
        *area = own;
        admit_peer(pair);
        remote_ = pair.exchange(own);
        return works(worker_, pair.side()) ? first_access() : Availability{};
    }

    void tear_down() override { close_memory(); }

    void act(size_t offset, size_t bytes) override {
        if (!copy(offset, bytes)) {
            pair_->fail("/proc/PID/mem", errno);
        }
    }

  protected:
    virtual Availability first_access() {
        // The kernel checks the permission here, once.
        return open_memory() && copy(0, 1) ? Availability{}
                                           : explain_refusal("/proc/PID/mem", errno);
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

    bool copy(size_t offset, size_t bytes) {
        while (bytes > 0) {
            const auto position = reinterpret_cast<off_t>(remote_ + offset);
            const ssize_t moved = worker_ == Worker::source
                                      ? pwrite(file_, own_ + offset, bytes, position)
                                      : pread(file_, own_ + offset, bytes, position);
            if (moved <= 0) {
                return false;
            }
            offset += static_cast<size_t>(moved);
            bytes -= static_cast<size_t>(moved);
        }
        return true;
    }

    const Worker worker_;
    Pair* pair_ = nullptr;

  private:
    char* own_ = nullptr;
    char* remote_ = nullptr;
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
                pair_->fail("/proc/PID/mem", errno);
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

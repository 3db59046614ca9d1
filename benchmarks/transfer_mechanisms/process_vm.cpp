// One copy by the kernel: process_vm_writev and process_vm_readv.
#include "factories.h"
#include "permission.h"

#include <sys/uio.h>

namespace armci::mechanisms {

namespace {

class ProcessVm : public Mechanism {
  public:
    explicit ProcessVm(Worker worker) : worker_(worker) {}

    Availability set_up(Pair& pair, char* own, size_t, char** area) override {
        pair_ = &pair;
        own_ = own;
        *area = own;
        admit_peer(pair);
        remote_ = pair.exchange(own);
        if (!works(worker_, pair.side()) || copy(0, 1)) {
            return {};
        }
        return explain_refusal(name(), errno);
    }

    void tear_down() override {}

    void act(size_t offset, size_t bytes) override {
        if (!copy(offset, bytes)) {
            pair_->fail(name(), errno);
        }
    }

  private:
    const char* name() const {
        return worker_ == Worker::source ? "process_vm_writev" : "process_vm_readv";
    }

    // The kernel may stop early, at a page or at its limit for one call.
    bool copy(size_t offset, size_t bytes) {
        while (bytes > 0) {
            const iovec local{own_ + offset, bytes};
            const iovec remote{remote_ + offset, bytes};
            const pid_t peer = pair_->peer_pid();
            const ssize_t moved = worker_ == Worker::source
                                      ? process_vm_writev(peer, &local, 1, &remote, 1, 0)
                                      : process_vm_readv(peer, &local, 1, &remote, 1, 0);
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
    char* own_ = nullptr;
    char* remote_ = nullptr;
};

}  // namespace

std::unique_ptr<Mechanism> make_process_vm(const Kind& kind, const Sizes&) {
    return std::make_unique<ProcessVm>(kind.worker);
}

}  // namespace armci::mechanisms

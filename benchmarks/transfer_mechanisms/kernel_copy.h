// SPDX-License-Identifier: BSD-3-Clause
// The common part of mechanisms in which the kernel copies between one side's memory and the
// other's, in a system call of the worker.
#pragma once

#include "permission.h"

#include <sys/types.h>

namespace armci::mechanisms {

class KernelCopy : public Mechanism {
  public:
    explicit KernelCopy(Worker worker) : worker_(worker) {}

    Availability set_up(Pair& pair, char* own, size_t, char** area) override {
        pair_ = &pair;
        own_ = own;
        *area = own;
        admit_peer(pair);
        remote_ = pair.exchange(own);
        return works(worker_, pair.side()) ? first_access() : Availability{};
    }

    void tear_down() override {}

    void act(size_t offset, size_t bytes) override {
        if (!copy(offset, bytes)) {
            pair_->fail(name(), errno);
        }
    }

  protected:
    // Of the system call or file, for messages.
    virtual const char* name() const = 0;
    // Whether the worker may do it; the kernel checks that when it is done first.
    virtual Availability first_access() {
        return copy(0, 1) ? Availability{} : explain_refusal(name(), errno);
    }
    // One system call. The kernel may copy less than requested; returns how much it copied.
    virtual ssize_t copy_some(char* own, char* remote, size_t bytes) = 0;

    bool copy(size_t offset, size_t bytes) {
        while (bytes > 0) {
            const ssize_t moved = copy_some(own_ + offset, remote_ + offset, bytes);
            if (moved <= 0) {
                return false;
            }
            offset += static_cast<size_t>(moved);
            bytes -= static_cast<size_t>(moved);
        }
        return true;
    }
    bool writes() const { return worker_ == Worker::source; }

    Pair* pair_ = nullptr;

  private:
    const Worker worker_;
    char* own_ = nullptr;
    char* remote_ = nullptr;
};

}  // namespace armci::mechanisms

// SPDX-License-Identifier: BSD-3-Clause
// The two processes that measure one mechanism: they are started, waited for, and ended if
// necessary.
#pragma once

#include "options.h"
#include "result.h"

#include <memory>
#include <string>

#include <sys/mman.h>

namespace armci::mechanisms {

// Memory that processes share with those they fork.
template <class Value>
class Inherited {
  public:
    Inherited() {
        void* memory =
            mmap(nullptr, sizeof(Value), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        value_ = memory == MAP_FAILED ? nullptr : new (memory) Value;
    }
    ~Inherited() {
        if (value_ != nullptr) {
            munmap(value_, sizeof(Value));
        }
    }
    Inherited(const Inherited&) = delete;
    Inherited& operator=(const Inherited&) = delete;

    Value* get() const { return value_; }

  private:
    Value* value_;
};

struct JobResult {
    const Kind* kind = nullptr;
    std::unique_ptr<Inherited<Results>> results;
    std::string failure;  // why it did not complete; empty if it did
};

JobResult run_job(const Kind& kind, const Options& options);

}  // namespace armci::mechanisms

// SPDX-License-Identifier: BSD-3-Clause
#include "fiber.h"

#include <signal.h>
#include <sys/mman.h>

#include <utility>
#include <vector>

#include "base/sanitizers.h"
#include "simulation.h"

#if ARMCI_HAS_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

namespace armci::sim {
namespace {

constexpr size_t kStackBytes = 512 << 10;

Fiber* g_current = nullptr;

// Stacks of earlier runs are reused: the system would have to provide the pages of new ones again.
std::vector<void*>& spare_stacks() {
    static std::vector<void*> stacks;
    return stacks;
}

void* take_stack() {
    std::vector<void*>& spare = spare_stacks();
    if (!spare.empty()) {
        void* stack = spare.back();
        spare.pop_back();
        return stack;
    }
    void* stack = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED) {
        violation("no memory for a stack");
    }
    return stack;
}

}  // namespace

Fiber::Fiber(std::function<void()> body) : body_(std::move(body)), stack_(take_stack()) {
    getcontext(&beginning_);
    beginning_.uc_stack.ss_sp = stack_;
    beginning_.uc_stack.ss_size = kStackBytes;
    beginning_.uc_link = nullptr;
    sigemptyset(&beginning_.uc_sigmask);  // the library starts its threads with all blocked
    makecontext(&beginning_, run, 0);
}

Fiber::~Fiber() {
    spare_stacks().push_back(stack_);
}

void Fiber::resume() {
    g_current = this;
#if ARMCI_HAS_ASAN
    __sanitizer_start_switch_fiber(&back_fake_stack_, stack_, kStackBytes);
#endif
    if (_setjmp(there_) == 0) {
        switch_to();
    }
#if ARMCI_HAS_ASAN
    __sanitizer_finish_switch_fiber(g_current->back_fake_stack_, nullptr, nullptr);
#endif
    g_current = nullptr;
}

void Fiber::switch_to() {
    if (has_begun_) {
        _longjmp(here_, 1);
    }
    has_begun_ = true;
    setcontext(&beginning_);
}

void Fiber::switch_back() {
    _longjmp(there_, 1);
}

void Fiber::run() {
    Fiber* self = g_current;
#if ARMCI_HAS_ASAN
    __sanitizer_finish_switch_fiber(nullptr, &self->back_stack_, &self->back_stack_bytes_);
#endif
    self->body_();
    self->has_ended_ = true;
#if ARMCI_HAS_ASAN
    __sanitizer_start_switch_fiber(nullptr, self->back_stack_, self->back_stack_bytes_);
#endif
    self->switch_back();
}

bool Fiber::is_inside() {
    return g_current != nullptr;
}

void Fiber::yield() {
    Fiber* self = g_current;
    if (self == nullptr) {
        return;
    }
#if ARMCI_HAS_ASAN
    __sanitizer_start_switch_fiber(&self->own_fake_stack_, self->back_stack_,
                                   self->back_stack_bytes_);
#endif
    if (_setjmp(self->here_) == 0) {
        self->switch_back();
    }
#if ARMCI_HAS_ASAN
    __sanitizer_finish_switch_fiber(g_current->own_fake_stack_, &g_current->back_stack_,
                                    &g_current->back_stack_bytes_);
#endif
}

}  // namespace armci::sim

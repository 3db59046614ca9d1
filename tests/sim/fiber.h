// SPDX-License-Identifier: BSD-3-Clause
// A rank of the simulated job: a stack of its own on the one thread of the program, on which the
// library's blocking calls run unchanged. It yields the thread wherever a process would poll.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <functional>

namespace armci::sim {

class Fiber {
  public:
    explicit Fiber(std::function<void()> body);
    ~Fiber();
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    // Runs until it yields or ends. Only called outside fibers.
    void resume();
    bool has_ended() const { return has_ended_; }

    static bool is_inside();
    // Continues after the call of resume(). Outside fibers it does nothing.
    static void yield();

  private:
    static void run();
    void switch_to();
    void switch_back();

    std::function<void()> body_;
    void* stack_ = nullptr;
    ucontext_t beginning_;
    // Where each side continues. Unlike swapcontext() a jump makes no system call.
    jmp_buf here_;
    jmp_buf there_;
    bool has_begun_ = false;
    bool has_ended_ = false;
    void* own_fake_stack_ = nullptr;  // of the address sanitizer
    void* back_fake_stack_ = nullptr;
    const void* back_stack_ = nullptr;
    size_t back_stack_bytes_ = 0;
};

}  // namespace armci::sim

// SPDX-License-Identifier: BSD-3-Clause
#include "base/thread.h"

#include <signal.h>

#include "base/log.h"

namespace armci::base {

void* Thread::enter(void* self) {
    exit_without_hook();
    const Thread* thread = static_cast<Thread*>(self);
    thread->run_(thread->argument_);
    return nullptr;
}

bool Thread::start(const char* name, void (*block)(void*), void* argument) {
    run_ = block;
    argument_ = argument;
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    is_started_ = pthread_create(&thread_, nullptr, enter, this) == 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (is_started_) {
        pthread_setname_np(thread_, name);
    }
    return is_started_;
}

void Thread::join() {
    if (is_started_) {
        pthread_join(thread_, nullptr);
        is_started_ = false;
    }
}

}  // namespace armci::base

// SPDX-License-Identifier: BSD-3-Clause
// Below MPI_THREAD_MULTIPLE one thread at a time may be in the library. Two at a time would destroy
// what it keeps, most of all the sequence of frames between nodes, so this looks for them: whoever
// uses the network or waits says so meanwhile, and in checking mode every call does. The second
// thread ends the job. Short operations inside a node are not looked at outside checking mode,
// because that would cost them as much as the rest of their checks.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <string>

namespace armci::core {

struct Runtime;

class OneCaller {
  public:
    // The calling thread starts the library.
    void start();
    bool is_starter() const;
    // "thread 1234 ("name")"
    std::string describe_starter() const;
    static std::string describe_this_thread();

    // The calling thread is inside, in the function of that public name, until it calls leave().
    // False: it was inside already. Ends the job when another thread is.
    bool enter(const Runtime& runtime, const char* function);
    void leave() { inside_.store(0, std::memory_order_release); }

  private:
    [[noreturn]] void fail(const Runtime& runtime, const char* function, pid_t other) const;

    pid_t starter_ = 0;
    std::atomic<pid_t> inside_{0};
    std::atomic<const char*> function_{nullptr};  // of the thread that is inside
};

}  // namespace armci::core

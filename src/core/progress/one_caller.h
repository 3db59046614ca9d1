// SPDX-License-Identifier: BSD-3-Clause
// Below MPI_THREAD_MULTIPLE one thread at a time may be in the library. Two at a time would destroy
// what it keeps, most of all the sequence of frames between nodes, so this looks for them: whoever
// uses the network or waits says so meanwhile, and in checking mode every call does. The second
// thread is refused, which ends the job. Short operations inside a node are not looked at outside
// checking mode, because that would cost them as much as the rest of their checks.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <string>

namespace armci::core {

class OneCaller {
  public:
    // The calling thread starts the library.
    void start();
    bool is_starter() const;
    // "thread 1234 ("name")"
    std::string describe_starter() const;
    static std::string describe_this_thread();

    enum class Entered { first, again, refused };
    // The calling thread is inside, in the function of that public name, until it calls leave().
    // Again: it was inside already. Refused: another thread is, whose number is in *other.
    Entered enter(const char* function, pid_t* other);
    void leave() { inside_.store(0, std::memory_order_release); }
    // "thread 1234 ("name") is in ARMCI_Put", of a thread that was found inside.
    std::string describe_inside(pid_t other) const;

  private:
    pid_t starter_ = 0;
    std::atomic<pid_t> inside_{0};
    std::atomic<const char*> function_{nullptr};  // of the thread that is inside
};

}  // namespace armci::core

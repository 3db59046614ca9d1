// SPDX-License-Identifier: BSD-3-Clause
// Below MPI_THREAD_MULTIPLE one thread at a time may be in the library. Two at a time would destroy
// its state, most of all the sequence of frames between nodes, so this detects them. A thread that
// uses the network or waits registers meanwhile, and in checking mode every call does. The second
// thread is refused, which ends the job. Outside checking mode, short operations inside a node do
// not register, because that would cost them as much as the rest of their checks.
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
    // Returns "thread 1234 ("name")".
    std::string describe_starter() const;
    static std::string describe_this_thread();

    enum class Entered { first, again, refused };
    // The calling thread is inside, in the function of that public name, until it calls leave().
    // Returns `again` if it was inside already, and `refused`, with the number in *other, if
    // another thread is.
    Entered enter(const char* function, pid_t* other);
    void leave() { inside_.store(0, std::memory_order_release); }
    // Returns "thread 1234 ("name") is in ARMCI_Put", for a thread that was found inside.
    std::string describe_inside(pid_t other) const;

  private:
    pid_t starter_ = 0;
    std::atomic<pid_t> inside_{0};
    std::atomic<const char*> function_{nullptr};  // of the thread that is inside
};

}  // namespace armci::core

// SPDX-License-Identifier: BSD-3-Clause
// Memory that stops a thread: its first access is a fault, whose handler waits until the test lets
// it continue. So a thread can be held in the middle of a library call as long as the test needs,
// without any support of the library. There can be one at a time in a process.
#pragma once

namespace armci::mp {

class StoppingPage {
  public:
    static constexpr int kBytes = 64 << 10;

    StoppingPage();
    ~StoppingPage();
    StoppingPage(const StoppingPage&) = delete;
    StoppingPage& operator=(const StoppingPage&) = delete;

    char* memory() const { return memory_; }
    // Waits until a thread has stopped at the memory. Only then let_go() may be called.
    void wait_until_reached() const;
    void let_go() const;

  private:
    char* memory_ = nullptr;
};

}  // namespace armci::mp

// SPDX-License-Identifier: BSD-3-Clause
// Memory that a thread stops at: its first access is a fault, whose handler waits until the test
// lets go. So a thread can be held in the middle of a library call for as long as the test likes,
// without any help from the library. One at a time in a process.
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
    // Until a thread stands at the memory. Then, and only then, let_go().
    void wait_until_reached() const;
    void let_go() const;

  private:
    char* memory_ = nullptr;
};

}  // namespace armci::mp

// SPDX-License-Identifier: BSD-3-Clause
// Tells who waits for a long run how far it is, on standard error.
#pragma once

#include <chrono>
#include <string>

namespace armci::tools {

// "40 s", "3 min", "2 h": rounded to what matters.
std::string duration_text(double seconds);

class Progress {
  public:
    // If the run takes some seconds, says so: "PROGRAM: WHAT; takes at least 40 s".
    Progress(const std::string& program, const std::string& what, double expected_s);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // Shows which part of the run (0 to 1) is done and how much time is left, in one line that is
    // replaced each time. Only on a terminal, and not if standard output shows the results there.
    void show(double part);

  private:
    const std::string program_;
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    const bool is_shown_;
    bool has_line_ = false;
};

}  // namespace armci::tools

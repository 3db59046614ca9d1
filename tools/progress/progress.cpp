// SPDX-License-Identifier: BSD-3-Clause
#include "progress/progress.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>

namespace armci::tools {

namespace {

constexpr double kLong = 5;  // seconds
constexpr const char* kReplaceLine = "\r\033[K";

}  // namespace

std::string duration_text(double seconds) {
    if (seconds < 90) {
        return std::to_string(std::lround(seconds)) + " s";
    }
    return seconds < 90 * 60 ? std::to_string(std::lround(seconds / 60)) + " min"
                             : std::to_string(std::lround(seconds / 3600)) + " h";
}

Progress::Progress(const std::string& program, const std::string& what, double expected_s)
    : program_(program), is_shown_(isatty(STDERR_FILENO) != 0 && isatty(STDOUT_FILENO) == 0) {
    if (expected_s >= kLong) {
        std::fprintf(stderr, "%s: %s; takes at least %s\n", program_.c_str(), what.c_str(),
                     duration_text(expected_s).c_str());
    }
}

Progress::~Progress() {
    if (has_line_) {
        std::fputs(kReplaceLine, stderr);
    }
}

void Progress::show(double part) {
    if (!is_shown_ || part <= 0) {
        return;
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
    std::fprintf(stderr, "%s%s: %.0f %%, %s left", kReplaceLine, program_.c_str(), 100 * part,
                 duration_text(elapsed.count() * (1 - part) / part).c_str());
    std::fflush(stderr);
    has_line_ = true;
}

}  // namespace armci::tools

// SPDX-License-Identifier: BSD-3-Clause
#include "command_line/standard_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace armci::tools {

void reserve_standard_output() {
    if (::fcntl(STDOUT_FILENO, F_GETFD) >= 0) {
        return;
    }
    // A directory cannot be written, and not opened for writing as /dev/stdout either.
    const int directory = ::open("/", O_PATH | O_CLOEXEC);
    if (directory >= 0 && directory != STDOUT_FILENO) {
        ::dup3(directory, STDOUT_FILENO, O_CLOEXEC);  // standard input is closed, too
        ::close(directory);
    }
}

int finish_standard_output(const char* program, int status) {
    constexpr int kExitFailed = 1;
    errno = 0;
    const bool is_flushed = std::fflush(stdout) == 0;
    if (status != 0 || (is_flushed && std::ferror(stdout) == 0)) {
        return status;
    }
    if (errno == 0 && ::write(STDOUT_FILENO, "\n", 1) >= 0) {  // repeats an error of before
        errno = EIO;
    }
    if (errno != EPIPE) {
        std::fprintf(stderr, "%s: standard output cannot be written: %s\n", program,
                     std::strerror(errno));
    }
    return kExitFailed;
}

}  // namespace armci::tools

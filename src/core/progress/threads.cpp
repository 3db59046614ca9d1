// SPDX-License-Identifier: BSD-3-Clause
#include "core/progress/threads.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/log.h"
#include "core/job/thread_level.h"

namespace armci::core {

bool Threads::raise_level(int level, bool calls_do_more) {
    level_ = std::max(level_, level);
    const bool is_raised = level_ == MPI_THREAD_MULTIPLE && !is_multiple_;
    if (is_raised && !lock_.open()) {
        base::fatal(function(),
                    "the system refuses the event that MPI_THREAD_MULTIPLE needs (eventfd: %s); "
                    "raise the limit on open files (ulimit -n)",
                    std::strerror(errno));
    }
    const bool is_new = is_raised || (calls_do_more && !is_concurrent_);
    is_multiple_ |= is_raised;
    is_concurrent_ |= is_new;
    calls_do_more_ |= calls_do_more;
    return is_new;
}

std::string Threads::describe_level() const {
    return std::string("the library runs at ") + name_of_level(level_);
}

std::string Threads::how_to_raise_level() const {
    return core::how_to_raise_level(level_, config_);
}

bool Threads::enter_once(const char* function) {
    pid_t other = 0;
    const OneCaller::Entered entered = one_caller_.enter(function, &other);
    if (entered == OneCaller::Entered::refused) {
        base::fatal(function,
                    "called by %s while %s, but %s, where calls of threads must not overlap; "
                    "let one thread call at a time, or %s",
                    OneCaller::describe_this_thread().c_str(),
                    one_caller_.describe_inside(other).c_str(), describe_level().c_str(),
                    how_to_raise_level().c_str());
    }
    return entered == OneCaller::Entered::first;
}

}  // namespace armci::core

// SPDX-License-Identifier: BSD-3-Clause
#include "core/progress/one_caller.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>

namespace armci::core {
namespace {

pid_t this_thread() {
    static thread_local pid_t id = 0;
    if (id == 0) {
        id = static_cast<pid_t>(syscall(SYS_gettid));
    }
    return id;
}

std::string describe(pid_t thread) {
    std::string text = "thread " + std::to_string(thread);
    std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/comm");
    std::string name;
    if (std::getline(file, name)) {
        text += " (\"" + name + "\")";
    }
    return text;
}

}  // namespace

void OneCaller::start() {
    starter_ = this_thread();
}

bool OneCaller::is_starter() const {
    return this_thread() == starter_;
}

std::string OneCaller::describe_starter() const {
    return describe(starter_);
}

std::string OneCaller::describe_this_thread() {
    return describe(this_thread());
}

OneCaller::Entered OneCaller::enter(const char* function, pid_t* other) {
    const pid_t me = this_thread();
    pid_t inside = inside_.load(std::memory_order_relaxed);
    if (inside == me) {
        return Entered::again;
    }
    if (inside != 0 || !inside_.compare_exchange_strong(inside, me, std::memory_order_acquire)) {
        *other = inside;
        return Entered::refused;
    }
    function_.store(function, std::memory_order_relaxed);
    return Entered::first;
}

std::string OneCaller::describe_inside(pid_t other) const {
    const char* function = function_.load(std::memory_order_relaxed);
    return describe(other) + " is in " + (function != nullptr ? function : "another call");
}

}  // namespace armci::core

// SPDX-License-Identifier: BSD-3-Clause
#include "core/one_caller.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>

#include "base/log.h"
#include "core/runtime.h"

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

bool OneCaller::enter(const Runtime& runtime, const char* function) {
    const pid_t me = this_thread();
    pid_t inside = inside_.load(std::memory_order_relaxed);
    if (inside == me) {
        return false;
    }
    if (inside != 0 || !inside_.compare_exchange_strong(inside, me, std::memory_order_acquire)) {
        fail(runtime, function, inside);
    }
    function_.store(function, std::memory_order_relaxed);
    return true;
}

void OneCaller::fail(const Runtime& runtime, const char* function, pid_t other) const {
    const char* in = function_.load(std::memory_order_relaxed);
    base::fatal(function,
                "called by %s while %s is in %s, but %s, where calls of threads must not overlap; "
                "let one thread call at a time, or %s",
                describe_this_thread().c_str(), describe(other).c_str(),
                in != nullptr ? in : "another call", describe_level(runtime).c_str(),
                how_to_raise_level(runtime).c_str());
}

}  // namespace armci::core

// SPDX-License-Identifier: BSD-3-Clause
// What the kernel reports of a thread.
#pragma once

#include <dirent.h>
#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

namespace armci::test {

inline std::string first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

// The folder of the only thread with that name; empty when there is none.
inline std::string task_named(const std::string& name) {
    std::string found;
    DIR* tasks = opendir("/proc/self/task");
    while (const dirent* entry = tasks != nullptr ? readdir(tasks) : nullptr) {
        const std::string path = std::string("/proc/self/task/") + entry->d_name;
        if (entry->d_name[0] != '.' && first_line(path + "/comm") == name) {
            found = path;
        }
    }
    if (tasks != nullptr) {
        closedir(tasks);
    }
    return found;
}

inline std::string task_of(int tid) {
    return "/proc/self/task/" + std::to_string(tid);
}

inline bool is_asleep(const std::string& task) {
    const std::string line = first_line(task + "/stat");
    const size_t end_of_name = line.rfind(')');
    return end_of_name != std::string::npos && line.compare(end_of_name, 3, ") S") == 0;
}

// Waits forever if it never sleeps.
inline void wait_until_asleep(const std::string& task) {
    while (!is_asleep(task)) {
        sched_yield();
    }
}

// How often it has gone to sleep.
inline long sleeps_of(const std::string& task) {
    std::ifstream file(task + "/status");
    std::string line;
    long count = 0;
    while (std::getline(file, line) &&
           std::sscanf(line.c_str(), "voluntary_ctxt_switches: %ld", &count) != 1) {
    }
    return count;
}

// Waits until most of many looks find it asleep, which is rare for a thread that polls, or until it
// has gone to sleep often: on a busy machine one that naps spends its time waiting for a processor.
// Waits forever if it never sleeps.
inline void wait_until_it_stays_asleep(const std::string& task) {
    constexpr int kLooks = 200;
    constexpr long kSleeps = 100;
    const long sleeps = sleeps_of(task);
    for (int looks = 0; looks < kLooks && sleeps_of(task) < sleeps + kSleeps;) {
        looks = is_asleep(task) ? looks + 1 : std::max(0, looks - 3);
        sched_yield();
    }
}

// Whether it is blocked in that system call.
inline bool is_blocked_in(const std::string& task, long call) {
    const std::string line = first_line(task + "/syscall");
    long number = -1;
    return std::sscanf(line.c_str(), "%ld", &number) == 1 && number == call;
}

// How long it has been on a processor, in ticks of the system's clock.
inline long processor_ticks(const std::string& task) {
    const std::string line = first_line(task + "/stat");
    long user = 0;
    long system = 0;
    const size_t end_of_name = line.rfind(')');
    if (end_of_name != std::string::npos) {
        std::sscanf(line.c_str() + end_of_name,
                    ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user, &system);
    }
    return user + system;
}

}  // namespace armci::test

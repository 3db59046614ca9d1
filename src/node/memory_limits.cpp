// SPDX-License-Identifier: BSD-3-Clause
#include "node/memory_limits.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>

namespace armci::node {
namespace {

constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

int64_t read_number(const std::string& path) {
    std::ifstream file(path);
    int64_t value = kUnlimited;
    if (!(file >> value)) {
        return kUnlimited;  // "max", or no such file
    }
    return value;
}

int64_t meminfo_bytes(const std::string& path, const char* key) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        long long kibibytes = 0;
        if (line.compare(0, std::strlen(key), key) == 0 &&
            std::sscanf(line.c_str() + std::strlen(key), ": %lld kB", &kibibytes) == 1) {
            return kibibytes * 1024;
        }
    }
    return kUnlimited;
}

// The versions of control groups give these different names to the same things.
struct GroupFiles {
    const char* limit;
    const char* usage;
    const char* inactive_cache;  // in memory.stat, with the groups below
    const char* active_cache;
};
constexpr GroupFiles kVersion1{"memory.limit_in_bytes", "memory.usage_in_bytes",
                               "total_inactive_file", "total_active_file"};
constexpr GroupFiles kVersion2{"memory.max", "memory.current", "inactive_file", "active_file"};
// Beyond this limit of version 2, the kernel slows the group's processes down.
constexpr GroupFiles kThrottled2{"memory.high", "memory.current", "inactive_file", "active_file"};

// Processes wait for memory in this share of the last ten seconds, and it counts as short.
constexpr double kShortPercent = 1.0;

// Returns the pages of files, which the kernel takes back before it refuses memory. Pages of shared
// memory are not among them: the kernel counts these as anonymous.
int64_t cache_bytes(const std::string& directory, const GroupFiles& files) {
    std::ifstream file(directory + "/memory.stat");
    int64_t sum = 0;
    std::string key;
    for (int64_t bytes = 0; file >> key >> bytes;) {
        if (key == files.inactive_cache || key == files.active_cache) {
            sum += bytes;
        }
    }
    return sum;
}

// Checks every group from the process's own to the root, because any of them may be the tightest.
void apply_group_limits(const std::string& root, std::string group, const GroupFiles& files,
                        MemoryLimit* limit) {
    for (;;) {
        const std::string directory = root + group;
        const int64_t maximum = read_number(directory + "/" + files.limit);
        const int64_t used = read_number(directory + "/" + files.usage);
        if (maximum != kUnlimited && used != kUnlimited) {
            // The files are not read at the same moment, so differences may be negative.
            const int64_t kept = std::max<int64_t>(0, used - cache_bytes(directory, files));
            const int64_t left = std::max<int64_t>(0, maximum - kept);
            if (left < limit->available_bytes) {
                limit->available_bytes = left;
                limit->reason = "the control group (" + directory + "/" + files.limit + ")";
            }
        }
        if (group.empty() || group == "/") {
            return;
        }
        group.resize(group.rfind('/'));
    }
}

// Calls of_version_1 or of_version_2 with the process's own group.
template <class OfVersion1, class OfVersion2>
void for_own_groups(const MemoryFiles& files, OfVersion1&& of_version_1,
                    OfVersion2&& of_version_2) {
    std::ifstream groups(files.own_groups);
    for (std::string line; std::getline(groups, line);) {
        if (line.compare(0, 3, "0::") == 0) {
            of_version_2(line.substr(3));
        } else if (const size_t memory = line.find(":memory:"); memory != std::string::npos) {
            of_version_1(line.substr(memory + 8));
        }
    }
}

bool is_short(const std::string& pressure_file) {
    std::ifstream file(pressure_file);
    std::string line;
    double percent = 0;
    return std::getline(file, line) && std::sscanf(line.c_str(), "some avg10=%lf", &percent) == 1 &&
           percent >= kShortPercent;
}

}  // namespace

MemoryLimit available_memory(const MemoryFiles& files) {
    MemoryLimit limit;
    limit.available_bytes = meminfo_bytes(files.meminfo, "MemAvailable");
    limit.reason = "the host";
    for_own_groups(
        files,
        [&](const std::string& group) {
            apply_group_limits(files.groups + "/memory", group, kVersion1, &limit);
        },
        [&](const std::string& group) {
            apply_group_limits(files.groups, group, kVersion2, &limit);
        });
    return limit;
}

int64_t spare_memory(const MemoryFiles& files) {
    MemoryLimit limit = available_memory(files);
    bool short_of_memory = is_short(files.pressure);
    for_own_groups(
        files, [](const std::string&) {},
        [&](const std::string& group) {
            apply_group_limits(files.groups, group, kThrottled2, &limit);
            short_of_memory =
                short_of_memory || is_short(files.groups + group + "/memory.pressure");
        });
    return short_of_memory ? 0 : limit.available_bytes;
}

int64_t total_memory() {
    return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

}  // namespace armci::node

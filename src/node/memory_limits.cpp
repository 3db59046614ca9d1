#include "node/memory_limits.h"

#include <unistd.h>

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

int64_t meminfo_bytes(const char* key) {
    std::ifstream file("/proc/meminfo");
    for (std::string line; std::getline(file, line);) {
        long long kibibytes = 0;
        if (line.compare(0, std::strlen(key), key) == 0 &&
            std::sscanf(line.c_str() + std::strlen(key), ": %lld kB", &kibibytes) == 1) {
            return kibibytes * 1024;
        }
    }
    return kUnlimited;
}

// Walks from the process's own group to the root: any of them may be the tightest.
void apply_group_limits(const std::string& root, std::string group, const char* limit_file,
                        const char* usage_file, MemoryLimit* limit) {
    for (;;) {
        const std::string directory = root + group;
        const int64_t maximum = read_number(directory + "/" + limit_file);
        const int64_t used = read_number(directory + "/" + usage_file);
        if (maximum != kUnlimited && used != kUnlimited) {
            const int64_t left = maximum > used ? maximum - used : 0;
            if (left < limit->available_bytes) {
                limit->available_bytes = left;
                limit->reason = "the control group (" + directory + "/" + limit_file + ")";
            }
        }
        if (group.empty() || group == "/") {
            return;
        }
        group.resize(group.rfind('/'));
    }
}

}  // namespace

MemoryLimit available_memory() {
    MemoryLimit limit;
    limit.available_bytes = meminfo_bytes("MemAvailable");
    limit.reason = "the host";
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        if (line.compare(0, 3, "0::") == 0) {
            apply_group_limits("/sys/fs/cgroup", line.substr(3), "memory.max", "memory.current",
                               &limit);
        } else if (const size_t memory = line.find(":memory:"); memory != std::string::npos) {
            apply_group_limits("/sys/fs/cgroup/memory", line.substr(memory + 8),
                               "memory.limit_in_bytes", "memory.usage_in_bytes", &limit);
        }
    }
    return limit;
}

int64_t total_memory() {
    return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

}  // namespace armci::node

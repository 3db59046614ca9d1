// SPDX-License-Identifier: BSD-3-Clause
// Files in which the system reports memory, of a host that a test makes up.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "node/memory_limits.h"

namespace armci::test {

inline constexpr int64_t kMebi = 1 << 20;

// The system's files of a host with 8 GiB left. This process is in the group /job/step.
class SystemFiles {
  public:
    SystemFiles() {
        std::string name = std::filesystem::temp_directory_path() / "armci-limits-XXXXXX";
        directory_ = mkdtemp(name.data());
        write("meminfo", "MemTotal: 16777216 kB\nMemAvailable: 8388608 kB\n");
    }
    ~SystemFiles() { std::filesystem::remove_all(directory_); }

    void write(const std::string& path, const std::string& text) const {
        std::filesystem::create_directories((directory_ / path).parent_path());
        std::ofstream(directory_ / path) << text;
    }
    void write(const std::string& path, int64_t bytes) const {
        write(path, std::to_string(bytes) + "\n");
    }
    node::MemoryFiles files() const {
        return {directory_ / "meminfo", directory_ / "own", directory_ / "groups",
                directory_ / "pressure"};
    }
    node::MemoryLimit available() const { return node::available_memory(files()); }
    int64_t spare() const { return node::spare_memory(files()); }

  private:
    std::filesystem::path directory_;
};

class SystemFilesOfVersion1 : public SystemFiles {
  public:
    SystemFilesOfVersion1() {
        write("own", "9:cpu:/\n4:memory:/job/step\n");
        write("groups/memory/job/step/memory.limit_in_bytes", 1000 * kMebi);
        write("groups/memory/job/step/memory.usage_in_bytes", 900 * kMebi);
    }
};

class SystemFilesOfVersion2 : public SystemFiles {
  public:
    SystemFilesOfVersion2() {
        write("own", "0::/job/step\n");
        write("groups/job/step/memory.max", 1000 * kMebi);
        write("groups/job/step/memory.current", 900 * kMebi);
    }
};

}  // namespace armci::test

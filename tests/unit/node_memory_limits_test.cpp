// SPDX-License-Identifier: BSD-3-Clause
#include "node/memory_limits.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace armci::node::test {
namespace {

TEST(MemoryLimits, TotalMemoryIsPositive) {
    EXPECT_GT(total_memory(), int64_t{1} << 20);
    EXPECT_EQ(total_memory() % sysconf(_SC_PAGESIZE), 0);
}

TEST(MemoryLimits, AvailableIsAtMostTotal) {
    const MemoryLimit limit = available_memory();
    EXPECT_GT(limit.available_bytes, 0);
    EXPECT_LE(limit.available_bytes, total_memory());
}

TEST(MemoryLimits, ReasonIsTheHostOrAnExistingFile) {
    const std::string reason = available_memory().reason;
    if (reason == "the host") {
        return;
    }
    const size_t open = reason.find('(');
    ASSERT_TRUE(reason.starts_with("the control group ") && open != std::string::npos &&
                reason.back() == ')')
        << reason;
    const std::string path = reason.substr(open + 1, reason.size() - open - 2);
    EXPECT_EQ(access(path.c_str(), R_OK), 0) << path;
}

constexpr int64_t kMebi = 1 << 20;

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
    MemoryLimit available() const {
        return available_memory(
            {directory_ / "meminfo", directory_ / "own", directory_ / "groups"});
    }

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

std::string stat_line(const char* key, int64_t bytes) {
    return key + (" " + std::to_string(bytes) + "\n");
}

TEST(MemoryLimits, UsesTheHostWithoutAControlGroup) {
    EXPECT_EQ(SystemFiles().available().available_bytes, 8192 * kMebi);
}

TEST(MemoryLimits, GroupWithoutStatisticsHasNoCache) {
    EXPECT_EQ(SystemFilesOfVersion1().available().available_bytes, 100 * kMebi);
    EXPECT_EQ(SystemFilesOfVersion2().available().available_bytes, 100 * kMebi);
}

// In version 1, numbers without "total_" do not include the groups below.
TEST(MemoryLimits, CountsTheCacheOfAGroupOfVersion1AsAvailable) {
    const SystemFilesOfVersion1 files;
    files.write("groups/memory/job/step/memory.stat",
                stat_line("cache", 500 * kMebi) + stat_line("inactive_file", 1 * kMebi) +
                    stat_line("active_file", 2 * kMebi) +
                    stat_line("total_inactive_file", 300 * kMebi) +
                    stat_line("total_active_file", 50 * kMebi));
    EXPECT_EQ(files.available().available_bytes, 450 * kMebi);
}

TEST(MemoryLimits, CountsTheCacheOfAGroupOfVersion2AsAvailable) {
    const SystemFilesOfVersion2 files;
    files.write("groups/job/step/memory.stat",
                stat_line("file", 500 * kMebi) + stat_line("shmem", 150 * kMebi) +
                    stat_line("inactive_anon", 150 * kMebi) +
                    stat_line("inactive_file", 300 * kMebi) + stat_line("active_file", 50 * kMebi));
    EXPECT_EQ(files.available().available_bytes, 450 * kMebi);
    EXPECT_NE(files.available().reason.find("groups/job/step/memory.max"), std::string::npos);
}

TEST(MemoryLimits, AvailableIsAtMostTheMaximumOfTheGroup) {
    const SystemFilesOfVersion2 files;
    files.write("groups/job/step/memory.stat", stat_line("inactive_file", 5000 * kMebi));
    EXPECT_EQ(files.available().available_bytes, 1000 * kMebi);
}

TEST(MemoryLimits, GroupBeyondItsMaximumHasNothingAvailable) {
    const SystemFilesOfVersion2 files;
    files.write("groups/job/step/memory.current", 1200 * kMebi);
    files.write("groups/job/step/memory.stat", stat_line("inactive_file", 50 * kMebi));
    EXPECT_EQ(files.available().available_bytes, 0);
}

TEST(MemoryLimits, TightestEnclosingGroupDecides) {
    const SystemFilesOfVersion2 files;
    files.write("groups/job/memory.max", 2000 * kMebi);
    files.write("groups/job/memory.current", 1990 * kMebi);
    files.write("groups/job/memory.stat", stat_line("active_file", 20 * kMebi));
    EXPECT_EQ(files.available().available_bytes, 30 * kMebi);
    EXPECT_NE(files.available().reason.find("groups/job/memory.max"), std::string::npos);
}

}  // namespace
}  // namespace armci::node::test

// SPDX-License-Identifier: BSD-3-Clause
#include "node/memory_limits.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "system_files.h"

namespace armci::node::test {
namespace {

using armci::test::kMebi;
using armci::test::SystemFiles;
using armci::test::SystemFilesOfVersion1;
using armci::test::SystemFilesOfVersion2;

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

const char* const kSlightPressure =
    "some avg10=0.93 avg60=5.00 avg300=9.00 total=123\nfull avg10=0.00 avg60=0.00 avg300=0.00 "
    "total=12\n";
const char* const kPressure =
    "some avg10=1.52 avg60=0.00 avg300=0.00 total=123\nfull avg10=0.00 avg60=0.00 avg300=0.00 "
    "total=12\n";

TEST(SpareMemory, IsWhatIsAvailableWhileNothingIsShort) {
    EXPECT_EQ(SystemFiles().spare(), 8192 * kMebi);
    EXPECT_EQ(SystemFilesOfVersion1().spare(), 100 * kMebi);
    EXPECT_EQ(SystemFilesOfVersion2().spare(), 100 * kMebi);
    const SystemFiles files;
    files.write("pressure", kSlightPressure);
    EXPECT_EQ(files.spare(), 8192 * kMebi);
}

TEST(SpareMemory, EndsWhereAGroupIsSlowedDown) {
    const SystemFilesOfVersion2 files;
    files.write("groups/job/memory.high", 960 * kMebi);
    files.write("groups/job/memory.current", 900 * kMebi);
    EXPECT_EQ(files.spare(), 60 * kMebi);
    EXPECT_EQ(files.available().available_bytes, 100 * kMebi) << "more can be had, slowly";
}

TEST(SpareMemory, IsNothingWhileTheHostIsShort) {
    const SystemFilesOfVersion1 files;
    files.write("pressure", kPressure);
    EXPECT_EQ(files.spare(), 0);
    EXPECT_EQ(files.available().available_bytes, 100 * kMebi);
}

TEST(SpareMemory, IsNothingWhileTheOwnGroupIsShort) {
    const SystemFilesOfVersion2 files;
    files.write("groups/job/step/memory.pressure", kPressure);
    EXPECT_EQ(files.spare(), 0);
}

}  // namespace
}  // namespace armci::node::test

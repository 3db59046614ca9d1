#include "node/memory_limits.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace armci::node::test {
namespace {

TEST(MemoryLimits, TheMachineHasMemory) {
    EXPECT_GT(total_memory(), int64_t{1} << 20);
    EXPECT_EQ(total_memory() % sysconf(_SC_PAGESIZE), 0);
}

TEST(MemoryLimits, NoMoreIsAvailableThanThereIs) {
    const MemoryLimit limit = available_memory();
    EXPECT_GT(limit.available_bytes, 0);
    EXPECT_LE(limit.available_bytes, total_memory());
}

TEST(MemoryLimits, TheReasonIsTheHostOrAnExistingFile) {
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

}  // namespace
}  // namespace armci::node::test

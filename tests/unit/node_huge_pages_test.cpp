// SPDX-License-Identifier: BSD-3-Clause
#include "node/huge_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace armci::node::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace fs = std::filesystem;

// The description where the kernel's file has this line, or where there is no such file.
std::string described(const std::string& line) {
    const fs::path root = fs::temp_directory_path() / ("armci-pages-" + std::to_string(getpid()));
    const fs::path folder = root / "sys/kernel/mm/transparent_hugepage";
    fs::create_directories(folder);
    if (!line.empty()) {
        std::ofstream(folder / "shmem_enabled") << line << '\n';
    }
    const std::string text = describe_huge_pages(root.string());
    fs::remove_all(root);
    return text;
}

TEST(HugePages, AvailableWhereTheKernelAllowsAdvice) {
    for (const char* line : {"[always] within_size advise never deny force",
                             "always [within_size] advise never deny force",
                             "always within_size [advise] never deny force",
                             "always within_size advise never deny [force]"}) {
        EXPECT_THAT(described(line), StartsWith("huge pages where")) << line;
    }
}

TEST(HugePages, UnavailableWhereDisabledWithAdviceToEnableThem) {
    const std::string text = described("always within_size advise [never] deny force");
    EXPECT_THAT(text, StartsWith("no huge pages, because "));
    EXPECT_THAT(text, HasSubstr("shmem_enabled is never; advise lets"));
    EXPECT_THAT(described("always within_size advise never [deny] force"), HasSubstr("is deny"));
}

TEST(HugePages, UnavailableWithoutTheKernelSetting) {
    EXPECT_THAT(described(""), StartsWith("no huge pages, because the kernel has none"));
    EXPECT_THAT(described("nonsense]["), StartsWith("no huge pages, because the kernel has none"));
}

}  // namespace
}  // namespace armci::node::test

// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/adapters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "fabric/provider.h"

namespace armci::fabric::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

namespace fs = std::filesystem;

constexpr uint64_t kUnlimited = ~uint64_t{0};
constexpr AdapterKind kAnyButEfa = {"/sys/class/infiniband", nullptr, "efa"};
constexpr AdapterKind kEfa = {"/sys/class/infiniband", "efa", nullptr};
constexpr AdapterKind kCassini = {"/sys/class/cxi", nullptr, nullptr};

// A directory tree like /sys, empty at first.
class Adapters : public ::testing::Test {
  protected:
    void SetUp() override {
        root_ =
            (fs::temp_directory_path() / ("armci-adapters-" + std::to_string(getpid()))).string();
        fs::remove_all(root_);
        fs::create_directories(root_);
    }
    void TearDown() override { fs::remove_all(root_); }

    // Without a driver it is a software adapter.
    void add(const std::string& directory, const std::string& name, const std::string& driver) {
        const fs::path device = fs::path(root_ + directory) / name / "device";
        fs::create_directories(device);
        if (!driver.empty()) {
            fs::create_symlink("../../../../bus/pci/drivers/" + driver, device / "driver");
        }
    }
    const std::string& root() const { return root_; }

  private:
    std::string root_;
};

TEST_F(Adapters, FindsNoneInAnEmptyTree) {
    EXPECT_EQ(find_adapter(root(), kAnyButEfa), "");
    fs::create_directories(root() + "/sys/class/infiniband");
    EXPECT_EQ(find_adapter(root(), kAnyButEfa), "");
    EXPECT_EQ(find_adapter(root(), AdapterKind{}), "");
}

TEST_F(Adapters, DistinguishesAdaptersByDriver) {
    add("/sys/class/infiniband", "rdmap0s6", "efa");
    EXPECT_EQ(find_adapter(root(), kAnyButEfa), "");
    EXPECT_EQ(find_adapter(root(), kEfa), "rdmap0s6");
    add("/sys/class/infiniband", "mlx5_0", "mlx5_core");
    EXPECT_EQ(find_adapter(root(), kAnyButEfa), "mlx5_0");
    EXPECT_EQ(find_adapter(root(), kCassini), "");
}

TEST_F(Adapters, FindsSoftwareAdapters) {
    add("/sys/class/infiniband", "rxe0", "");
    EXPECT_EQ(find_adapter(root(), kAnyButEfa), "rxe0");
    EXPECT_EQ(find_adapter(root(), kEfa), "");
}

TEST_F(Adapters, ExplainsAMissingAdapter) {
    const std::string text = explain_absence(kEfa, {"", 8192, false});
    EXPECT_THAT(text, HasSubstr("no adapter for it here (/sys/class/infiniband, driver efa)"));
    EXPECT_THAT(text, Not(HasSubstr("ulimit")));
}

TEST_F(Adapters, ExplainsTheLockedMemoryLimitBeforeTheBuild) {
    const std::string known = explain_absence(kAnyButEfa, {"mlx5_0", 8192, true});
    EXPECT_THAT(known, HasSubstr("adapter mlx5_0 is here, but this process may lock only 8192"));
    EXPECT_THAT(known, HasSubstr("ulimit -l unlimited"));
    EXPECT_THAT(known, Not(HasSubstr("built")));
    // A provider that cannot lock memory may not even be registered with libfabric.
    EXPECT_THAT(explain_absence(kAnyButEfa, {"mlx5_0", 8192, false}), HasSubstr("built with"));
}

TEST_F(Adapters, ExplainsALibfabricBuiltWithoutTheProvider) {
    const std::string text = explain_absence(kAnyButEfa, {"mlx5_0", kUnlimited, false});
    EXPECT_THAT(text, HasSubstr("adapter mlx5_0 is here, but libfabric was built without"));
    EXPECT_THAT(explain_absence(kAnyButEfa, {"mlx5_0", kUnlimited, true}),
                HasSubstr("FI_LOG_LEVEL=warn"));
}

// This machine may lack the hardware of some rows. Whichever provider is chosen, all preferred ones
// are explained, and an idle adapter is reported only if the chosen provider needs none.
TEST_F(Adapters, ExplainsEveryPreferredProvider) {
    const ProviderChoice choice = choose_provider({"", "", true, root()});
    ASSERT_TRUE(choice.info) << choice.error;
    for (const ProviderRow& row : provider_table()) {
        const auto is_its = [&row](const std::string& line) {
            return line.find(row.name) != std::string::npos;
        };
        if (row.preference > choice.row->preference) {
            EXPECT_TRUE(std::any_of(choice.passed_over.begin(), choice.passed_over.end(), is_its))
                << row.name;
        }
    }
    EXPECT_EQ(choice.idle_adapter, "");
}

TEST_F(Adapters, ReportsAnIdleAdapter) {
    add("/sys/class/infiniband", "mlx5_7", "mlx5_core");
    const ProviderChoice choice = choose_provider({"", "", true, root()});
    ASSERT_TRUE(choice.info) << choice.error;
    if (choice.row->adapter.directory != nullptr) {
        EXPECT_EQ(choice.idle_adapter, "");
        GTEST_SKIP() << choice.row->name << " is used";
    }
    EXPECT_THAT(choice.idle_adapter, HasSubstr("verbs;ofi_rxm: adapter mlx5_7 is here, but"));
}

TEST_F(Adapters, ReportsNoIdleAdapterWhenAProviderIsNamed) {
    add("/sys/class/infiniband", "mlx5_7", "mlx5_core");
    const ProviderChoice choice = choose_provider({"tcp", "", true, root()});
    EXPECT_EQ(choice.idle_adapter, "");
    EXPECT_TRUE(choice.passed_over.empty());
}

TEST_F(Adapters, ExplainsWhyANamedProviderIsMissing) {
    const ProviderChoice choice = choose_provider({"cxi", "", true, root()});
    if (choice.info) {
        GTEST_SKIP() << "it is offered here";
    }
    EXPECT_THAT(choice.error, HasSubstr("no provider \"cxi\""));
    EXPECT_THAT(choice.error, HasSubstr("cxi: no adapter for it here (/sys/class/cxi)"));
}

}  // namespace
}  // namespace armci::fabric::test

// SPDX-License-Identifier: BSD-3-Clause
#include "lifecycle/rails.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace armci::lifecycle {
namespace {

// A rail with an adapter, or with an IP interface if that has no name.
RailChoice rail_of(const char* fabric, const char* adapter) {
    static constexpr fabric::ProviderRow kRow = {.fabrics_have_names = true};
    RailChoice rail;
    rail.choice.row = &kRow;
    rail.choice.info = fabric::InfoPtr(fi_allocinfo());
    rail.choice.info->fabric_attr->name = strdup(fabric);
    rail.choice.info->domain_attr->name = strdup(adapter);
    if (adapter[0] != '\0') {
        rail.choice.adapters.push_back({adapter, "0000:41:00.0"});
    }
    return rail;
}

std::vector<RailChoice> rails_of(const std::vector<const char*>& adapters) {
    std::vector<RailChoice> rails;
    for (const char* adapter : adapters) {
        rails.push_back(rail_of("cxi", adapter));
    }
    return rails;
}

std::string names_of(const std::vector<RailChoice>& rails) {
    std::string names;
    for (const RailChoice& rail : rails) {
        names += fabric::interface_name(*rail.choice.info) + " ";
    }
    return names;
}

TEST(Rails, AdaptersOfOneFabricReachEachOther) {
    std::vector<RailChoice> rails = rails_of({"cxi0", "cxi1"});
    const std::vector<fabric::Adapter> adapters = adapters_of(rails);
    ASSERT_EQ(adapters.size(), 2U);
    EXPECT_EQ(adapters[1].name, "cxi1");
    EXPECT_EQ(adapters[1].bus_id, "0000:41:00.0");
    rails.push_back(rail_of("another", "cxi2"));
    EXPECT_TRUE(adapters_of(rails).empty());
}

TEST(Rails, InterfacesWithAddressesMayNot) {
    EXPECT_TRUE(adapters_of(rails_of({"cxi0", ""})).empty());
    EXPECT_TRUE(adapters_of({}).empty());
}

TEST(Rails, TheNearestIsTheFirstAndTheOthersFollowInTurn) {
    std::vector<RailChoice> rails = rails_of({"cxi0", "cxi1", "cxi2", "cxi3"});
    EXPECT_EQ(rotate_to("cxi2", &rails), 2U);
    EXPECT_EQ(names_of(rails), "cxi2 cxi3 cxi0 cxi1 ");
    EXPECT_EQ(rotate_to("cxi2", &rails), 0U);
    EXPECT_EQ(rotate_to("", &rails), 0U);
    EXPECT_EQ(names_of(rails), "cxi2 cxi3 cxi0 cxi1 ");
}

}  // namespace
}  // namespace armci::lifecycle

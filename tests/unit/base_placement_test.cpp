// SPDX-License-Identifier: BSD-3-Clause
// Adapters of ranks and processors of data servers, on machines that hwloc reads from a
// description.
#include "base/placement.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/machine.h"
#include "base/processor_set.h"

namespace armci::base::test {
namespace {

std::string processors(int first, int last) {
    const ProcessorSet set;
    hwloc_bitmap_set_range(set.get(), static_cast<unsigned>(first), last);
    return set.text();
}

std::vector<std::string> one_per_processor(int first, int count) {
    std::vector<std::string> ranks;
    for (int processor = first; processor < first + count; ++processor) {
        ranks.push_back(processors(processor, processor));
    }
    return ranks;
}

// Two sockets with two NUMA nodes of four cores each.
constexpr const char* kTwoSockets = "package:2 numa:2 core:4 pu:1";

TEST(Placement, RankUsesTheAdapterOfItsMemory) {
    const Placement placement =
        place_on({kTwoSockets,
                  "",
                  "",
                  {one_per_processor(0, 16),
                   {0},
                   {processors(0, 3), processors(4, 7), processors(8, 11), processors(12, 15)}}});
    EXPECT_EQ(placement.adapter_of_rank,
              (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}));
}

TEST(Placement, RankPrefersAnAdapterOfItsSocket) {
    const Placement placement =
        place_on({kTwoSockets,
                  "",
                  "",
                  {one_per_processor(0, 16), {0}, {processors(8, 11), processors(0, 3)}}});
    EXPECT_EQ(placement.adapter_of_rank,
              (std::vector<int>{1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(Placement, EquallyNearAdaptersAreUsedInTurn) {
    // Ranks alternate between the sockets, which have two adapters each.
    std::vector<std::string> ranks;
    for (int i = 0; i < 8; ++i) {
        ranks.push_back(i % 2 == 0 ? processors(i, i) : processors(8 + i, 8 + i));
    }
    const std::vector<std::string> adapters = {processors(0, 7), processors(0, 7),
                                               processors(8, 15), processors(8, 15)};
    const Placement placement = place_on({kTwoSockets, "", "", {ranks, {0}, adapters}});
    EXPECT_EQ(placement.adapter_of_rank, (std::vector<int>{0, 2, 1, 3, 0, 2, 1, 3}));
}

// All that comes from other nodes comes to the data servers, here of 96 ranks of a large node.
TEST(Placement, DataServersDoNotShareAnAdapterWhereThereIsAnother) {
    std::vector<std::string> ranks = one_per_processor(1, 48);
    for (const std::string& rank : one_per_processor(53, 48)) {
        ranks.push_back(rank);
    }
    std::vector<std::string> adapters(4, processors(0, 51));
    adapters.resize(8, processors(52, 103));
    const std::vector<int> server_ranks = {0, 16, 32, 48, 64, 80};
    const Placement placement =
        place_on({"package:2 numa:1 core:52 pu:1", "", "", {ranks, server_ranks, adapters}});
    std::vector<int> of_servers;
    for (const int rank : server_ranks) {
        of_servers.push_back(placement.adapter_of_rank[static_cast<size_t>(rank)]);
    }
    EXPECT_EQ(of_servers, (std::vector<int>{0, 1, 2, 4, 5, 6}));
    for (int adapter = 0; adapter < 8; ++adapter) {
        EXPECT_EQ(
            std::count(placement.adapter_of_rank.begin(), placement.adapter_of_rank.end(), adapter),
            12);
    }
}

TEST(Placement, UnboundRanksUseAllAdaptersInTurn) {
    const std::vector<std::string> anywhere(5, processors(0, 15));
    const Placement placement =
        place_on({kTwoSockets, "", "", {anywhere, {0}, {processors(0, 3), processors(8, 11), ""}}});
    EXPECT_EQ(placement.adapter_of_rank, (std::vector<int>{0, 1, 2, 0, 1}));
    EXPECT_EQ(placement.processor_of_server, (std::vector<int>{-1}));
}

TEST(Placement, ServerRunsNearTheMemoryOfItsRanks) {
    // Three ranks on each NUMA node; the last processor of each is free.
    std::vector<std::string> ranks;
    for (int node = 0; node < 4; ++node) {
        for (int i = 0; i < 3; ++i) {
            ranks.push_back(processors(4 * node + i, 4 * node + i));
        }
    }
    const Placement four = place_on({kTwoSockets, "", "", {ranks, {0, 3, 6, 9}, {}}});
    EXPECT_EQ(four.processor_of_server, (std::vector<int>{3, 7, 11, 15}));
    const std::vector<std::string> nodes = {"0x00000001", "0x00000002", "0x00000004", "0x00000008"};
    EXPECT_EQ(four.memory_of_server, nodes);
    // One server of all ranks is near all memory everywhere, so the adapter decides.
    const Placement one = place_on({kTwoSockets, "", "", {ranks, {0}, {processors(8, 11)}}});
    EXPECT_EQ(one.processor_of_server, (std::vector<int>{11}));
}

// Two sockets and four NUMA nodes have equally many of the servers of 56 ranks.
TEST(Placement, EachSixteenRanksHaveADataServer) {
    const std::vector<std::pair<int64_t, int>> cases = {
        {1, 1}, {16, 1}, {23, 1}, {24, 2}, {28, 2}, {56, 4}, {102, 6}, {128, 8}, {1024, 8}};
    for (const auto& [ranks, servers] : cases) {
        EXPECT_EQ(default_server_count({ranks, 1, false}), servers) << ranks;
        EXPECT_EQ(default_server_count({ranks, 1, true}), 1) << ranks;
    }
}

// What other nodes put and get passes through the adapters of the servers only.
TEST(Placement, EachAdapterHasADataServerIfThereAreRanksEnough) {
    struct Case {
        int64_t ranks;
        int64_t adapters;
        int servers;
    };
    for (const Case& one : std::vector<Case>{
             {56, 4, 4}, {8, 4, 4}, {102, 8, 8}, {3, 4, 3}, {128, 1, 8}, {1, 8, 1}, {64, 32, 8}}) {
        EXPECT_EQ(default_server_count({one.ranks, one.adapters, false}), one.servers)
            << one.ranks << " ranks, " << one.adapters << " adapters";
        EXPECT_EQ(default_server_count({one.ranks, one.adapters, true}), 1);
    }
    EXPECT_EQ(default_server_count({16, 0, false}), 1) << "a provider that has no list of them";
}

// Memory behind CXL, or interleaved, may be as near to all processors. It makes no two of them near
// to each other.
TEST(Placement, MemoryOfTheWholeMachineIsNearToNoneInParticular) {
    const PlacementQuestion question = {{processors(0, 0), processors(1, 1), processors(8, 8)},
                                        {0, 2},
                                        {processors(8, 15), processors(0, 7)}};
    for (const char* machine : {"pack:2 [numa] core:8 pu:1", "[numa] pack:2 [numa] core:8 pu:1",
                                "[numa] [numa] pack:2 [numa] core:8 pu:1"}) {
        const Placement placement = place_on({machine, "", "", question});
        EXPECT_EQ(placement.adapter_of_rank, (std::vector<int>{1, 1, 0})) << machine;
        EXPECT_EQ(placement.processor_of_server, (std::vector<int>{2, 9})) << machine;
    }
    // If there is no other memory, all is as near as can be. Ranks 0 and 2 have data servers.
    const Placement placement = place_on({"[numa] pack:2 core:8 pu:1", "", "", question});
    EXPECT_EQ(placement.adapter_of_rank, (std::vector<int>{0, 0, 1}));
    // So it is in a control group that has the processors of one NUMA node.
    const Placement inside = place_on({"pack:2 [numa] core:8 pu:1",
                                       "",
                                       processors(0, 7),
                                       {one_per_processor(0, 2), {0}, {"", processors(0, 7)}}});
    EXPECT_EQ(inside.adapter_of_rank, (std::vector<int>{0, 1}));
}

// So is such memory of one socket, whose NUMA nodes are parts of it.
TEST(Placement, MemoryOfASocketIsNearToNoneOfItsPartsInParticular) {
    const PlacementQuestion question = {
        {processors(0, 0), processors(4, 4), processors(8, 8), processors(12, 12)},
        {0, 1, 2, 3},
        {processors(12, 15), processors(8, 11), processors(4, 7), processors(0, 3)}};
    const Placement placement =
        place_on({"pack:2 [numa] group:2 [numa] core:4 pu:1", "", "", question});
    EXPECT_EQ(placement.adapter_of_rank, (std::vector<int>{3, 2, 1, 0}));
    EXPECT_EQ(placement.processor_of_server, (std::vector<int>{1, 5, 9, 13}));
}

TEST(Placement, ServerPrefersACoreWithoutRanks) {
    const Placement placement = place_on(
        {"package:1 numa:1 core:3 pu:2", "", "", {{processors(0, 0), processors(2, 2)}, {0}, {}}});
    EXPECT_EQ(placement.processor_of_server, (std::vector<int>{4}));
}

TEST(Placement, ServersDoNotShareAProcessor) {
    const Placement placement =
        place_on({kTwoSockets, "", "", {one_per_processor(0, 14), {0, 5, 10}, {}}});
    EXPECT_EQ(placement.processor_of_server, (std::vector<int>{15, -1, 14}));
}

// Two servers on the first socket, one on the second, and one spare processor at each.
TEST(Placement, ServerIsNotMovedAwayFromAProcessorNearIt) {
    std::vector<std::string> ranks = one_per_processor(1, 7);
    for (const std::string& rank : one_per_processor(9, 7)) {
        ranks.push_back(rank);
    }
    const Placement placement =
        place_on({"package:2 numa:1 core:8 pu:1", "", "", {ranks, {0, 4, 7}, {}}});
    EXPECT_EQ(placement.processor_of_server, (std::vector<int>{0, -1, 8}));
}

TEST(Placement, NothingIsSpareWhereABindingIsUnknown) {
    for (const std::vector<std::string>& ranks :
         {std::vector<std::string>{processors(0, 0), ""}, {"", processors(0, 0)}, {"nonsense"}}) {
        const Placement placement = place_on({kTwoSockets, "", "", {ranks, {0}, {}}});
        EXPECT_EQ(placement.processor_of_server, (std::vector<int>{-1}));
    }
}

TEST(Placement, NoProcessorOutsideTheControlGroupIsSpare) {
    const Placement placement =
        place_on({kTwoSockets, "", processors(8, 15), {one_per_processor(8, 6), {0, 3}, {}}});
    EXPECT_EQ(placement.processor_of_server, (std::vector<int>{15, 14}));
    const Placement full =
        place_on({kTwoSockets, "", processors(8, 15), {one_per_processor(8, 8), {0, 4}, {}}});
    EXPECT_EQ(full.processor_of_server, (std::vector<int>{-1, -1}));
}

TEST(Placement, UnknownMachineBindsNothing) {
    const Placement placement =
        place_on({"no such machine", "", "", {one_per_processor(0, 3), {0, 2}, {"", ""}}});
    EXPECT_EQ(placement.adapter_of_rank, (std::vector<int>{0, 0, 0}));
    EXPECT_EQ(placement.processor_of_server, (std::vector<int>{-1, -1}));
}

// An object of hwloc's description of a machine, with what it contains. The bits of `cpus` and
// `nodes` are processors and NUMA nodes.
std::string object(const char* type, int number, unsigned cpus, unsigned nodes,
                   const std::string& inside = "") {
    char begin[256];
    std::snprintf(begin, sizeof begin,
                  R"(<object type="%s" os_index="%d" cpuset="0x%x" complete_cpuset="0x%x" )"
                  R"(nodeset="0x%x" complete_nodeset="0x%x">)"
                  "\n",
                  type, number, cpus, cpus, nodes, nodes);
    return begin + inside + "</object>\n";
}

// A PCI bus with one adapter, which the system calls mlx5_`number`.
std::string adapter(int number, const char* bus) {
    char text[512];
    std::snprintf(text, sizeof text,
                  R"(<object type="Bridge" bridge_type="0-1" depth="0" bridge_pci="0000:[%s-%s]">
<object type="PCIDev" pci_busid="0000:%s:00.0" pci_type="0207 [15b3:1019] [15b3:0001] 00">
<object type="OSDev" name="mlx5_%d" osdev_type="3"/>
</object>
</object>
)",
                  bus, bus, bus, number);
    return text;
}

// A package with a NUMA node, two cores and an adapter.
std::string package(int number, const char* bus) {
    const unsigned node = 1U << number;
    const int first = 2 * number;
    std::string inside = object("NUMANode", number, 3U << first, node);
    for (const int core : {first, first + 1}) {
        inside += object("Core", core, 1U << core, node, object("PU", core, 1U << core, node));
    }
    return object("Package", number, 3U << first, node, inside + adapter(number, bus));
}

// A machine from a file, with devices: an adapter at each of two NUMA nodes.
Hardware two_packages() {
    const std::string path =
        ::testing::TempDir() + "armci_machine_" + std::to_string(getpid()) + ".xml";
    std::ofstream(path) << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                           "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
                           "<topology version=\"2.0\">\n"
                        << object("Machine", 0, 0xf, 0x3, package(0, "01") + package(1, "41"))
                        << "</topology>\n";
    Hardware hardware = Hardware::from_xml(path);
    std::remove(path.c_str());
    return hardware;
}

TEST(Placement, DevicesOfAFileAreFound) {
    const Hardware hardware = two_packages();
    ASSERT_TRUE(hardware.is_known());
    EXPECT_EQ(hardware.processors_near("0000:01:00.0"), "0x00000003");
    EXPECT_EQ(hardware.processors_near("0000:41:00.0"), "0x0000000c");
    EXPECT_EQ(hardware.processors_near("0000:42:00.0"), "");
    EXPECT_EQ(hardware.processors_near(""), "");
    PlacementQuestion question;
    question.ranks = {processors(0, 0), processors(2, 2)};
    question.server_ranks = {0, 1};
    question.adapters = {hardware.processors_near("0000:01:00.0"),
                         hardware.processors_near("0000:41:00.0")};
    const Placement placement = place_node(hardware, question);
    EXPECT_EQ(placement.adapter_of_rank, (std::vector<int>{0, 1}));
    EXPECT_EQ(placement.processor_of_server, (std::vector<int>{1, 3}));
}

// A control group leaves the second package. The adapter at the first one has not come nearer.
TEST(Placement, AdapterStaysWhereItIsOutsideTheControlGroup) {
    Hardware hardware = two_packages();
    ASSERT_TRUE(hardware.restrict_to("0x0000000c"));
    EXPECT_EQ(hardware.processors_near("0000:01:00.0"), "0x00000003");
    const PlacementQuestion question = {
        {processors(2, 2), processors(3, 3)},
        {0},
        {hardware.processors_near("0000:01:00.0"), hardware.processors_near("0000:41:00.0")}};
    EXPECT_EQ(place_node(hardware, question).adapter_of_rank, (std::vector<int>{1, 1}));
}

TEST(Placement, FileThatIsNoneIsNoMachine) {
    EXPECT_FALSE(Hardware::from_xml("/nonexistent/machine.xml").is_known());
    EXPECT_TRUE(Hardware::of_this_host().is_known());
}

}  // namespace
}  // namespace armci::base::test

// SPDX-License-Identifier: BSD-3-Clause
#include "base/topology.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace armci::base::test {
namespace {

std::vector<int> my_processors() {
    cpu_set_t set;
    std::vector<int> processors;
    EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
    for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
        if (CPU_ISSET(processor, &set)) {
            processors.push_back(processor);
        }
    }
    return processors;
}

// Whether a processor may be spare only because this process was started on a part of the machine.
bool may_use_all_processors() {
    return static_cast<long>(my_processors().size()) >= sysconf(_SC_NPROCESSORS_ONLN);
}

// The result of allowed_processors() on a thread that is bound to that processor.
std::string bound_to(int processor) {
    std::string text;
    std::thread([&] {
        EXPECT_TRUE(bind_this_thread(processor));
        EXPECT_EQ(processor_count(), 1);
        text = allowed_processors();
    }).join();
    return text;
}

TEST(Topology, CountsTheProcessorsOfThisProcess) {
    EXPECT_EQ(processor_count(), static_cast<int>(my_processors().size()));
    EXPECT_FALSE(allowed_processors().empty());
}

TEST(Topology, BindingToAnAbsentProcessorFails) {
    const int before = processor_count();
    EXPECT_FALSE(bind_this_thread(CPU_SETSIZE - 1));
    EXPECT_EQ(processor_count(), before);
}

TEST(Topology, NoSpareProcessorWhenRanksMayRunAnywhere) {
    if (!may_use_all_processors()) {
        GTEST_SKIP() << "this process may not use all processors";
    }
    std::string everywhere;
    for (const int processor : my_processors()) {
        everywhere += (everywhere.empty() ? "" : ";") + bound_to(processor);
    }
    EXPECT_EQ(spare_processor(allowed_processors(), "", 0), -1);
    EXPECT_EQ(spare_processor(everywhere, "", 0), -1);
    EXPECT_EQ(spare_processor(everywhere, "0000:00:00.0", 0), -1);
}

TEST(Topology, SpareProcessorHasNoRankBoundToIt) {
    const std::vector<int> processors = my_processors();
    if (processors.size() < 2 || !may_use_all_processors()) {
        GTEST_SKIP() << "this process may use one processor only, or not all";
    }
    std::string others;
    for (size_t i = 1; i < processors.size(); ++i) {
        others += (others.empty() ? "" : ";") + bound_to(processors[i]);
    }
    EXPECT_EQ(spare_processor(others, "", 0), processors[0]);
    EXPECT_EQ(spare_processor(others, "ffff:ff:1f.7", 0), processors[0]);  // no such device
    EXPECT_EQ(spare_processor(others, "", 1), -1);                         // there is only one
}

// A rank whose binding is unknown may run anywhere.
TEST(Topology, NoSpareProcessorWhenABindingIsUnknown) {
    const std::string bound = bound_to(my_processors()[0]);
    EXPECT_EQ(spare_processor(";" + bound, "", 0), -1);
    EXPECT_EQ(spare_processor(bound + ";;" + bound, "", 0), -1);
    EXPECT_EQ(spare_processor(bound + ";", "", 0), -1);
    EXPECT_EQ(spare_processor("", "", 0), -1);
}

}  // namespace
}  // namespace armci::base::test

// SPDX-License-Identifier: BSD-3-Clause
#include "base/topology.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "base/processor_set.h"

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

TEST(Topology, BoundThreadMayRunThereOnly) {
    for (const int processor : my_processors()) {
        const ProcessorSet alone;
        hwloc_bitmap_set(alone.get(), static_cast<unsigned>(processor));
        EXPECT_EQ(bound_to(processor), alone.text());
    }
}

}  // namespace
}  // namespace armci::base::test

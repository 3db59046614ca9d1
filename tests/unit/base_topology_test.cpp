// SPDX-License-Identifier: BSD-3-Clause
#include "base/topology.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>
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

// The processors of a thread that is bound to that processor.
std::string bound_to(int processor) {
    std::string text;
    std::thread([&] {
        EXPECT_TRUE(bind_this_thread(processor));
        EXPECT_EQ(processor_count(), 1);
        text = processors_text(processor_bits());
    }).join();
    return text;
}

TEST(Topology, CountsTheProcessorsOfThisProcess) {
    EXPECT_EQ(processor_count(), static_cast<int>(my_processors().size()));
    EXPECT_FALSE(processors_text(processor_bits()).empty());
}

// A system with room for `kPossible` processors, of which the first and the last may be used.
template <size_t kPossible>
int large_system(pid_t, size_t bytes, cpu_set_t* set) noexcept {
    if (8 * bytes < kPossible) {
        errno = EINVAL;
        return -1;
    }
    CPU_SET_S(0, bytes, set);
    CPU_SET_S(kPossible - 1, bytes, set);
    return 0;
}

TEST(Topology, SystemsMayHave8192Processors) {
    for (const auto& [system, last] : {std::pair{&large_system<1024>, 1023U},
                                       {&large_system<2048>, 2047U},
                                       {&large_system<8192>, 8191U}}) {
        const ProcessorBits bits = processor_bits(system);
        EXPECT_EQ(count_processors(bits), 2) << last;
        const ProcessorSet expected;
        hwloc_bitmap_set(expected.get(), 0);
        hwloc_bitmap_set(expected.get(), last);
        EXPECT_EQ(processors_text(bits), expected.text());
    }
}

TEST(Topology, SystemThatTellsNothingHasOneProcessor) {
    const ProcessorBits bits = processor_bits(&large_system<16384>);
    EXPECT_EQ(count_processors(bits), 1);
    EXPECT_EQ(processors_text(bits), "");
}

TEST(Topology, BindingToAnAbsentProcessorFails) {
    const int before = processor_count();
    EXPECT_FALSE(bind_this_thread(CPU_SETSIZE - 1));
    EXPECT_FALSE(bind_this_thread(8191));
    EXPECT_FALSE(bind_this_thread(8192));
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

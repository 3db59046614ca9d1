// SPDX-License-Identifier: BSD-3-Clause
// Blocks of 64 to 256 bytes in the widest registers, with each instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "strided/wide_copy.h"

namespace armci::strided::test {
namespace {

class WideCopy : public ::testing::TestWithParam<Isa> {
  protected:
    void SetUp() override {
        if (!is_isa_available(GetParam())) {
            GTEST_SKIP() << "this processor lacks it";
        }
    }
    static char value(int64_t i) { return static_cast<char>(i * 7 + i / 251); }
};

TEST_P(WideCopy, AcceptsItsLengthsOnly) {
    const bool has_wide_registers = GetParam() != Isa::baseline;
    for (int64_t bytes = 1; bytes <= 2 * kLongestWideBlock; ++bytes) {
        const bool expected =
            has_wide_registers && bytes >= kShortestWideBlock && bytes <= kLongestWideBlock;
        EXPECT_EQ(wide_kernel_of(GetParam(), bytes) != nullptr, expected) << bytes;
    }
}

// Any alignment; no byte beside the blocks is written.
TEST_P(WideCopy, EveryLength) {
    constexpr int64_t kBlocks = 3;
    constexpr int64_t kGap = 5;
    for (int64_t bytes = kShortestWideBlock; bytes <= kLongestWideBlock; ++bytes) {
        const WideKernel kernel = wide_kernel_of(GetParam(), bytes);
        if (kernel == nullptr) {
            continue;
        }
        for (const int64_t shift : {0, 1, 31}) {
            const int64_t stride = bytes + kGap;
            std::vector<char> from(static_cast<size_t>(shift + kBlocks * stride));
            for (size_t i = 0; i < from.size(); ++i) {
                from[i] = value(static_cast<int64_t>(i));
            }
            std::vector<char> to(static_cast<size_t>(kBlocks * stride), '.');
            kernel({to.data(), stride, from.data() + shift, stride, bytes, kBlocks});
            for (int64_t i = 0; i < kBlocks * stride; ++i) {
                const char expected = i % stride < bytes ? value(shift + i) : '.';
                ASSERT_EQ(to[static_cast<size_t>(i)], expected)
                    << bytes << " bytes, byte " << i << ", shifted by " << shift;
            }
        }
    }
}

// As memmove: a block is loaded before it is stored.
TEST_P(WideCopy, OverlappingBlocks) {
    for (int64_t bytes = kShortestWideBlock; bytes <= kLongestWideBlock; ++bytes) {
        const WideKernel kernel = wide_kernel_of(GetParam(), bytes);
        if (kernel == nullptr) {
            continue;
        }
        for (const int64_t distance : {int64_t{1}, int64_t{32}, bytes - 1}) {
            for (const bool forwards : {false, true}) {
                std::vector<char> memory(static_cast<size_t>(bytes + distance));
                for (size_t i = 0; i < memory.size(); ++i) {
                    memory[i] = value(static_cast<int64_t>(i));
                }
                const int64_t from = forwards ? 0 : distance;
                const int64_t to = forwards ? distance : 0;
                kernel({memory.data() + to, 0, memory.data() + from, 0, bytes, 1});
                for (int64_t i = 0; i < bytes; ++i) {
                    ASSERT_EQ(memory[static_cast<size_t>(to + i)], value(from + i))
                        << bytes << " bytes, byte " << i << ", over " << distance;
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Strided, WideCopy, ::testing::ValuesIn(kAllIsas), [](const auto& isa) {
    return std::string(isa.param == Isa::baseline ? "baseline"
                       : isa.param == Isa::avx2   ? "avx2"
                                                  : "avx512");
});

}  // namespace
}  // namespace armci::strided::test

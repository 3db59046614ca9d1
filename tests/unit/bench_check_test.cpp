// SPDX-License-Identifier: BSD-3-Clause
// How the benchmark checks its results: it must accept right ones and find every wrong byte.
#include "armci-bench/workloads/transfer_check.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <set>

namespace armci::bench {
namespace {

constexpr int kOrigin = 1;
constexpr int kTarget = 2;

class BenchCheck : public testing::Test {
  protected:
    void set_up(Verb verb, Mode mode) {
        verb_ = verb;
        row_ = {Op::put_strided, mode, strided_shape(20 * 8, 8, 3, 2, /*local_dense=*/true)};
        options_.window = 3;
        slots_ = make_slots(row_, options_);
        local_.resize(static_cast<size_t>(slots_.count * slots_.local_bytes));
        remote_.resize(static_cast<size_t>(slots_.count * slots_.remote_bytes));
        check().fill_local(local_.data(), kOrigin);
        check().fill_remote(remote_.data(), kTarget);
    }

    TransferCheck check() const { return {row_, options_, verb_, /*row_number=*/5}; }

    // Does what the transfer should do.
    void transfer() {
        for (int64_t slot = 0; slot < slots_.count; slot++) {
            char* local = local_.data() + slot * slots_.local_bytes;
            char* remote = remote_.data() + slot * slots_.remote_bytes;
            for_each_block(row_.shape, [&](int64_t local_offset, int64_t remote_offset) {
                if (verb_ == Verb::put) {
                    std::memcpy(remote + remote_offset, local + local_offset, 8);
                } else if (verb_ == Verb::get) {
                    std::memcpy(local + local_offset, remote + remote_offset, 8);
                } else {
                    double sum;
                    double operand;
                    std::memcpy(&sum, remote + remote_offset, 8);
                    std::memcpy(&operand, local + local_offset, 8);
                    sum += options_.scale * operand;
                    std::memcpy(remote + remote_offset, &sum, 8);
                }
            });
        }
    }

    int64_t errors() const {
        return verb_ == Verb::get ? check().errors_at_origin(local_.data(), kOrigin, kTarget)
                                  : check().errors_at_target(remote_.data(), kOrigin, kTarget);
    }

    std::vector<char>& result() { return verb_ == Verb::get ? local_ : remote_; }

    void expect_exact() {
        EXPECT_GT(errors(), 0) << "a transfer that did not happen was accepted";
        transfer();
        EXPECT_EQ(errors(), 0);
        for (char& byte : result()) {
            byte = static_cast<char>(byte ^ 1);
            ASSERT_EQ(errors(), 1) << "byte " << &byte - result().data();
            byte = static_cast<char>(byte ^ 1);
        }
    }

    Verb verb_ = Verb::put;
    Row row_;
    Options options_;
    Slots slots_;
    std::vector<char> local_;
    std::vector<char> remote_;
};

TEST_F(BenchCheck, AcceptsRightPutsAndFindsEveryWrongByte) {
    set_up(Verb::put, Mode::latency);
    EXPECT_EQ(slots_.count, 1);
    expect_exact();
}

TEST_F(BenchCheck, AcceptsRightGetsAndFindsEveryWrongByte) {
    set_up(Verb::get, Mode::latency);
    expect_exact();
}

TEST_F(BenchCheck, AcceptsRightAccumulatesAndFindsEveryWrongByte) {
    set_up(Verb::acc, Mode::latency);
    expect_exact();
}

TEST_F(BenchCheck, AcceptsTheSumOfSeveralOrigins) {
    set_up(Verb::acc, Mode::latency);
    constexpr int kOrigins = 3;
    for (int origin = kOrigin; origin < kOrigin + kOrigins; ++origin) {
        EXPECT_GT(check().errors_at_target(remote_.data(), kOrigin, kTarget, kOrigins), 0);
        check().fill_local(local_.data(), origin);
        transfer();
    }
    EXPECT_EQ(check().errors_at_target(remote_.data(), kOrigin, kTarget, kOrigins), 0);
    EXPECT_GT(check().errors_at_target(remote_.data(), kOrigin, kTarget, kOrigins + 1), 0);
}

TEST_F(BenchCheck, ChecksAllTransfersOfAWindow) {
    set_up(Verb::put, Mode::window);
    EXPECT_EQ(slots_.count, 3);
    expect_exact();
}

TEST_F(BenchCheck, ChecksAllPlacesOfAWorkingSet) {
    options_.working_set_bytes = 2000;
    set_up(Verb::acc, Mode::latency);
    EXPECT_EQ(slots_.count, 2000 / slots_.remote_bytes);
    EXPECT_GT(slots_.count, 1);
    expect_exact();
}

// Places under way together are those of the working set, too; other operations have one place.
TEST(BenchSlots, WorkingSetIsForTransfersOnly) {
    Options options;
    options.working_set_bytes = 1 << 20;
    EXPECT_EQ(make_slots({Op::get, Mode::window, contiguous_shape(4096)}, options).count, 256);
    EXPECT_EQ(make_slots({Op::put, Mode::stream, contiguous_shape(2 << 20)}, options).count, 1);
    EXPECT_EQ(make_slots({Op::fence, Mode::latency, contiguous_shape(8)}, options).count, 1);
    EXPECT_EQ(make_slots({Op::overlap_put, Mode::origin, contiguous_shape(8)}, options).count, 1);
    EXPECT_EQ(make_slots({Op::raw_put, Mode::latency, contiguous_shape(8)}, options).count, 1);
}

TEST(BenchSlots, MixedStepVisitsEachSlotOnce) {
    for (int64_t count = 1; count < 200; count++) {
        const int64_t step = mixed_step(count);
        std::set<int64_t> visited;
        for (int64_t i = 0; i < count; i++) {
            visited.insert(i * step % count);
        }
        EXPECT_EQ(visited.size(), static_cast<size_t>(count)) << "step " << step;
        EXPECT_LT(step, count);
    }
}

TEST_F(BenchCheck, RefusesTheResultOfAnotherRow) {
    set_up(Verb::put, Mode::latency);
    transfer();
    const TransferCheck next_row(row_, options_, verb_, /*row_number=*/6);
    EXPECT_GT(next_row.errors_at_target(remote_.data(), kOrigin, kTarget), 0);
}

TEST(BenchElement, NamesAndSizesAgree) {
    const std::vector<std::pair<const char*, int64_t>> types = {
        {"int", 4}, {"long", 8}, {"float", 4}, {"double", 8}, {"complex", 8}, {"dcomplex", 16}};
    for (const auto& [name, bytes] : types) {
        ElementType type;
        ASSERT_TRUE(parse_element(name, &type)) << name;
        EXPECT_STREQ(element_name(type), name);
        EXPECT_EQ(element_bytes(type), bytes) << name;
    }
    ElementType type;
    EXPECT_FALSE(parse_element("Double", &type));
}

TEST(BenchElement, AddsScaled) {
    const int operand[2] = {3, -4};
    int sum[2] = {10, 20};
    add_scaled(ElementType::int32, -2, operand, sum, sizeof(sum));
    EXPECT_EQ(sum[0], 4);
    EXPECT_EQ(sum[1], 28);
    const float parts[4] = {1, 2, 3, 4};
    float complex_sum[4] = {1, 1, 1, 1};
    add_scaled(ElementType::complex64, 0.5, parts, complex_sum, sizeof(complex_sum));
    EXPECT_EQ(complex_sum[0], 1.5F);
    EXPECT_EQ(complex_sum[3], 3.0F);
}

TEST(BenchElement, ComplexScaleHasNoImaginaryPart) {
    const Scale scale = make_scale(ElementType::complex128, 2.5);
    double parts[2];
    std::memcpy(parts, scale.value, sizeof(parts));
    EXPECT_EQ(parts[0], 2.5);
    EXPECT_EQ(parts[1], 0.0);
}

TEST(BenchElement, WholeNumberTypesNeedWholeScale) {
    EXPECT_TRUE(scale_fits(ElementType::int32, -3));
    EXPECT_FALSE(scale_fits(ElementType::int32, 0.5));
    EXPECT_FALSE(scale_fits(ElementType::int64, 1e300));
    EXPECT_TRUE(scale_fits(ElementType::float64, 0.5));
    EXPECT_FALSE(scale_fits(ElementType::float64, std::numeric_limits<double>::quiet_NaN()));
}

}  // namespace
}  // namespace armci::bench

// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <climits>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "strided/accumulate_isa.h"
#include "strided/kernels.h"

namespace armci::strided::test {
namespace {

constexpr AccType kAllTypes[] = {AccType::int32,   AccType::int64,     AccType::float32,
                                 AccType::float64, AccType::complex64, AccType::complex128};

template <class T>
T load(const unsigned char* from) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
}

template <class T>
void store(unsigned char* to, T value) {
    std::memcpy(to, &value, sizeof(T));
}

// The volatile products keep the compiler from fusing multiply and add.
template <class T>
T add(T target, T product) {
    volatile T rounded = product;
    return target + rounded;
}
template <class T>
T multiply(T a, T b) {
    volatile T product = a * b;
    return product;
}

template <class T>
void reference_real(const unsigned char* scale, unsigned char* target,
                    const unsigned char* source) {
    store<T>(target, add(load<T>(target), multiply(load<T>(scale), load<T>(source))));
}

template <class T>
void reference_complex(const unsigned char* scale, unsigned char* target,
                       const unsigned char* source) {
    const T scale_re = load<T>(scale);
    const T scale_im = load<T>(scale + sizeof(T));
    const T re = load<T>(source);
    const T im = load<T>(source + sizeof(T));
    store<T>(target, add(load<T>(target), multiply(scale_re, re) - multiply(scale_im, im)));
    store<T>(target + sizeof(T),
             add(load<T>(target + sizeof(T)), multiply(scale_re, im) + multiply(scale_im, re)));
}

// One element. Signed overflow is written out as arithmetic modulo 2^n.
void reference_element(AccType type, const unsigned char* scale, unsigned char* target,
                       const unsigned char* source) {
    switch (type) {
        case AccType::int32:
            return reference_real<uint32_t>(scale, target, source);
        case AccType::int64:
            return reference_real<uint64_t>(scale, target, source);
        case AccType::float32:
            return reference_real<float>(scale, target, source);
        case AccType::float64:
            return reference_real<double>(scale, target, source);
        case AccType::complex64:
            return reference_complex<float>(scale, target, source);
        case AccType::complex128:
            return reference_complex<double>(scale, target, source);
    }
}

// `count` random elements at `shift` bytes into a block, with spare bytes after them. Integers use
// all their bits, so that products and sums overflow.
std::vector<unsigned char> random_elements(AccType type, int64_t count, int64_t shift,
                                           std::mt19937_64& random) {
    std::vector<unsigned char> bytes(static_cast<size_t>(shift + count * element_bytes(type) + 80));
    for (unsigned char& byte : bytes) {
        byte = static_cast<unsigned char>(random());
    }
    std::uniform_real_distribution<double> real(-1000, 1000);
    for (int64_t i = 0; i < count * element_bytes(type) / basic_bytes(type); ++i) {
        unsigned char* place = bytes.data() + shift + i * basic_bytes(type);
        if (type == AccType::float32 || type == AccType::complex64) {
            store<float>(place, static_cast<float>(real(random)));
        } else if (type == AccType::float64 || type == AccType::complex128) {
            store<double>(place, real(random));
        }
    }
    return bytes;
}

// Scales as (real part, imaginary part); the latter for complex types only.
AccScale scale_from(AccType type, double re, double im) {
    unsigned char bytes[17] = {};
    unsigned char* value = bytes + 1;  // make_scale must take any alignment
    switch (type) {
        case AccType::int32:
            store<int32_t>(value, static_cast<int32_t>(re));
            break;
        case AccType::int64:
            store<int64_t>(value, static_cast<int64_t>(re));
            break;
        case AccType::float32:
        case AccType::complex64:
            store<float>(value, static_cast<float>(re));
            store<float>(value + 4, static_cast<float>(im));
            break;
        case AccType::float64:
        case AccType::complex128:
            store<double>(value, re);
            store<double>(value + 8, im);
            break;
    }
    return make_scale(type, value);
}

struct Factor {
    double re;
    double im;
};
constexpr Factor kFactors[] = {{1, 0}, {0, 0}, {-1, 0}, {3, 0}, {0.3, -0.7}, {1, 2}, {0, 1}};

void expect_like_reference(AccType type, Isa isa, const AccScale& scale, int64_t count,
                           int64_t target_shift, int64_t source_shift, std::mt19937_64& random) {
    std::vector<unsigned char> target = random_elements(type, count, target_shift, random);
    std::vector<unsigned char> source = random_elements(type, count, source_shift, random);
    std::vector<unsigned char> expected = target;
    for (int64_t i = 0; i < count; ++i) {
        reference_element(type, scale.value,
                          expected.data() + target_shift + i * element_bytes(type),
                          source.data() + source_shift + i * element_bytes(type));
    }
    const std::vector<unsigned char> source_before = source;
    std::vector<unsigned char> again = target;
    const int64_t bytes = count * element_bytes(type);
    accumulate_with(isa, scale, target.data() + target_shift, source.data() + source_shift, bytes);
    ASSERT_EQ(target, expected);
    ASSERT_EQ(source, source_before);
    accumulate(scale, again.data() + target_shift, source.data() + source_shift, bytes);
    ASSERT_EQ(again, expected);
}

class AccumulateTest : public ::testing::TestWithParam<std::tuple<AccType, Isa>> {
  protected:
    void SetUp() override {
        if (!is_isa_available(isa())) {
            GTEST_SKIP() << "this processor or build lacks the instructions";
        }
    }
    AccType type() const { return std::get<0>(GetParam()); }
    Isa isa() const { return std::get<1>(GetParam()); }
};

TEST_P(AccumulateTest, EveryCountAndFactor) {
    std::mt19937_64 random(1);
    for (const Factor& factor : kFactors) {
        const AccScale scale = scale_from(type(), factor.re, factor.im);
        for (int64_t count = 0; count <= 70; ++count) {
            SCOPED_TRACE(::testing::Message()
                         << "factor (" << factor.re << ", " << factor.im << ") count " << count);
            ASSERT_NO_FATAL_FAILURE(
                expect_like_reference(type(), isa(), scale, count, 0, 0, random));
        }
        ASSERT_NO_FATAL_FAILURE(expect_like_reference(type(), isa(), scale, 4099, 0, 0, random));
    }
}

TEST_P(AccumulateTest, EveryAlignment) {
    std::mt19937_64 random(2);
    const AccScale scales[] = {scale_from(type(), 1, 0), scale_from(type(), 2.5, -1.5)};
    for (const AccScale& scale : scales) {
        for (int64_t target_shift = 0; target_shift < 17; ++target_shift) {
            for (int64_t source_shift = 0; source_shift < 17; ++source_shift) {
                SCOPED_TRACE(::testing::Message() << target_shift << ", " << source_shift);
                for (const int64_t count : {1, 3, 37}) {
                    ASSERT_NO_FATAL_FAILURE(expect_like_reference(
                        type(), isa(), scale, count, target_shift, source_shift, random));
                }
            }
        }
    }
}

TEST_P(AccumulateTest, LeavesBytesPastTheLastElementUnchanged) {
    std::mt19937_64 random(3);
    for (const double factor : {1.0, 2.0}) {
        const AccScale scale = scale_from(type(), factor, 0);
        for (int64_t extra = 1; extra < element_bytes(type()); ++extra) {
            std::vector<unsigned char> target = random_elements(type(), 6, 0, random);
            const std::vector<unsigned char> source = random_elements(type(), 6, 0, random);
            std::vector<unsigned char> expected = target;
            accumulate_with(isa(), scale, expected.data(), source.data(),
                            5 * element_bytes(type()));
            accumulate_with(isa(), scale, target.data(), source.data(),
                            5 * element_bytes(type()) + extra);
            ASSERT_EQ(target, expected) << extra;
        }
    }
}

TEST_P(AccumulateTest, TargetMayBeTheSource) {
    std::mt19937_64 random(4);
    for (const int64_t count : {1, 2, 7, 64, 101}) {
        const AccScale scale = scale_from(type(), 2, 0);
        std::vector<unsigned char> memory = random_elements(type(), count, 0, random);
        const std::vector<unsigned char> source = memory;
        std::vector<unsigned char> expected = memory;
        const int64_t bytes = count * element_bytes(type());
        accumulate_with(isa(), scale, expected.data(), source.data(), bytes);
        accumulate_with(isa(), scale, memory.data(), memory.data(), bytes);
        ASSERT_EQ(memory, expected);
        memory = source;
        accumulate(scale, memory.data(), memory.data(), bytes);
        ASSERT_EQ(memory, expected);
    }
}

// Every block length that has a loop of its own, and its neighbours, with gaps and without.
TEST_P(AccumulateTest, RowsEqualTheirBlocks) {
    std::mt19937_64 random(5);
    const AccScale scales[] = {scale_from(type(), 1, 0), scale_from(type(), 2.5, -1.5)};
    const int64_t bytes = element_bytes(type());
    for (const AccScale& scale : scales) {
        for (const int64_t block : {1, 2, 3, 4, 5, 7, 8, 9, 16, 17}) {
            for (const int64_t target_gap : {0, 1, 5}) {
                for (const int64_t source_gap : {0, 3}) {
                    constexpr int64_t kBlocks = 5;
                    const int64_t target_stride = (block + target_gap) * bytes;
                    const int64_t source_stride = (block + source_gap) * bytes;
                    const std::vector<unsigned char> source =
                        random_elements(type(), kBlocks * (block + source_gap), 0, random);
                    std::vector<unsigned char> target =
                        random_elements(type(), kBlocks * (block + target_gap), 0, random);
                    std::vector<unsigned char> expected = target;
                    for (int64_t i = 0; i < kBlocks; ++i) {
                        for (int64_t element = 0; element < block; ++element) {
                            reference_element(type(), scale.value,
                                              expected.data() + i * target_stride + element * bytes,
                                              source.data() + i * source_stride + element * bytes);
                        }
                    }
                    accumulate_row_with(isa(), scale,
                                        {target.data(), target_stride, source.data(), source_stride,
                                         block * bytes, kBlocks});
                    ASSERT_EQ(target, expected) << "blocks of " << block << ", gaps " << target_gap
                                                << " and " << source_gap;
                }
            }
        }
    }
}

// The blocks are in no order and overlap, and come from a buffer and from addresses.
TEST_P(AccumulateTest, ScatteredBlocksEqualSingleBlocks) {
    std::mt19937_64 random(7);
    const AccScale scales[] = {scale_from(type(), 1, 0), scale_from(type(), 2.5, -1.5)};
    const int64_t bytes = element_bytes(type());
    constexpr int64_t kMax = 7;
    for (const AccScale& scale : scales) {
        for (const int64_t block : {1, 2, 3, 4, 5, 7, 8, 9, 16, 17}) {
            for (const auto& [is_dense, segments] :
                 {std::pair<bool, int64_t>{true, kMax}, {false, kMax}, {true, 1}, {false, 1}}) {
                const std::vector<unsigned char> source =
                    random_elements(type(), segments * block, 0, random);
                std::vector<unsigned char> target =
                    random_elements(type(), segments * block, 0, random);
                std::vector<unsigned char> expected = target;
                uint64_t targets[kMax];
                uint64_t sources[kMax];
                for (int64_t i = 0; i < segments; ++i) {
                    const int64_t to =
                        static_cast<int64_t>(random() %
                                             static_cast<uint64_t>((segments - 1) * block + 1)) *
                        bytes;
                    const int64_t from = (is_dense ? i : segments - 1 - i) * block * bytes;
                    targets[i] = reinterpret_cast<uint64_t>(target.data() + to);
                    sources[i] = reinterpret_cast<uint64_t>(source.data() + from);
                    for (int64_t element = 0; element < block; ++element) {
                        reference_element(type(), scale.value,
                                          expected.data() + to + element * bytes,
                                          source.data() + from + element * bytes);
                    }
                }
                accumulate_segments_with(
                    isa(), scale,
                    {targets, is_dense ? nullptr : sources,
                     is_dense ? reinterpret_cast<const char*>(source.data()) : nullptr,
                     block * bytes, segments});
                ASSERT_EQ(target, expected) << "segments of " << block << ", dense " << is_dense;
            }
        }
    }
}

// Where blocks overlap, each is added to the result of the one before.
TEST_P(AccumulateTest, AddsOverlappingBlocksInTurn) {
    std::mt19937_64 random(6);
    const AccScale scale = scale_from(type(), 3, 1);
    const int64_t bytes = element_bytes(type());
    for (const int64_t block : {1, 2, 4, 8}) {
        for (const int64_t stride : {int64_t{0}, bytes, -bytes}) {
            constexpr int64_t kBlocks = 6;
            const std::vector<unsigned char> source =
                random_elements(type(), kBlocks * block, 0, random);
            std::vector<unsigned char> target = random_elements(type(), 20, 0, random);
            std::vector<unsigned char> expected = target;
            const int64_t first = 6 * bytes;
            for (int64_t i = 0; i < kBlocks; ++i) {
                for (int64_t element = 0; element < block; ++element) {
                    reference_element(type(), scale.value,
                                      expected.data() + first + i * stride + element * bytes,
                                      source.data() + (i * block + element) * bytes);
                }
            }
            accumulate_row_with(isa(), scale,
                                {target.data() + first, stride, source.data(), block * bytes,
                                 block * bytes, kBlocks});
            ASSERT_EQ(target, expected) << "blocks of " << block << ", stride " << stride;
        }
    }
}

std::string test_name(const ::testing::TestParamInfo<std::tuple<AccType, Isa>>& info) {
    constexpr const char* kTypes[] = {"Int32",   "Int64",     "Float32",
                                      "Float64", "Complex64", "Complex128"};
    constexpr const char* kIsas[] = {"Baseline", "Avx2", "Avx512"};
    return std::string(kTypes[static_cast<int>(std::get<0>(info.param))]) +
           kIsas[static_cast<int>(std::get<1>(info.param))];
}

INSTANTIATE_TEST_SUITE_P(Strided, AccumulateTest,
                         ::testing::Combine(::testing::ValuesIn(kAllTypes),
                                            ::testing::ValuesIn(kAllIsas)),
                         test_name);

TEST(Accumulate, TypesHaveTheirSizes) {
    EXPECT_EQ(static_cast<int>(AccType::int32), 0);
    EXPECT_EQ(static_cast<int>(AccType::int64), 1);
    EXPECT_EQ(static_cast<int>(AccType::float32), 2);
    EXPECT_EQ(static_cast<int>(AccType::float64), 3);
    EXPECT_EQ(static_cast<int>(AccType::complex64), 4);
    EXPECT_EQ(static_cast<int>(AccType::complex128), 5);
    const int64_t elements[] = {4, 8, 4, 8, 8, 16};
    const int64_t basics[] = {4, 8, 4, 8, 4, 8};
    for (int i = 0; i < kAccTypeCount; ++i) {
        EXPECT_TRUE(is_acc_type(i));
        EXPECT_EQ(element_bytes(static_cast<AccType>(i)), elements[i]);
        EXPECT_EQ(basic_bytes(static_cast<AccType>(i)), basics[i]);
    }
    for (const int64_t bad : {int64_t{-1}, int64_t{kAccTypeCount}, INT64_MIN, int64_t{1} << 32}) {
        EXPECT_FALSE(is_acc_type(bad));
    }
}

TEST(Accumulate, ScaleIsOneOnlyWhenExactlyOne) {
    for (const AccType type : kAllTypes) {
        SCOPED_TRACE(static_cast<int>(type));
        EXPECT_TRUE(scale_from(type, 1, 0).is_one);
        EXPECT_FALSE(scale_from(type, 0, 0).is_one);
        EXPECT_FALSE(scale_from(type, -1, 0).is_one);
        EXPECT_FALSE(scale_from(type, 2, 0).is_one);
    }
    const double above = std::nextafter(1.0, 2.0);
    const double below = std::nextafter(1.0, 0.0);
    EXPECT_FALSE(scale_from(AccType::float64, above, 0).is_one);
    EXPECT_FALSE(scale_from(AccType::float64, below, 0).is_one);
    EXPECT_FALSE(scale_from(AccType::complex128, below, 0).is_one);
    EXPECT_FALSE(scale_from(AccType::float32, std::nextafter(1.0F, 2.0F), 0).is_one);
    EXPECT_FALSE(scale_from(AccType::complex64, 1, 1e-40).is_one);
    EXPECT_FALSE(scale_from(AccType::complex128, 1, 1e-300).is_one);
    EXPECT_FALSE(scale_from(AccType::complex64, 0, 1).is_one);
    EXPECT_FALSE(scale_from(AccType::float64, NAN, 0).is_one);
}

// A scale within rounding of one still multiplies.
TEST(Accumulate, ScaleNextToOneMultiplies) {
    const double below = std::nextafter(1.0, 0.0);
    double target = 0;
    const double source = 3;
    accumulate(scale_from(AccType::float64, below, 0), &target, &source, sizeof(double));
    EXPECT_EQ(target, 3 * below);
    EXPECT_NE(target, 3);
}

TEST(Accumulate, IntegersWrapAround) {
    int32_t small[] = {INT_MAX, INT_MIN, INT_MAX, 7};
    const int32_t small_terms[] = {1, -1, INT_MAX, INT_MIN};
    accumulate(scale_from(AccType::int32, 1, 0), small, small_terms, sizeof(small));
    EXPECT_EQ(small[0], INT_MIN);
    EXPECT_EQ(small[1], INT_MAX);
    EXPECT_EQ(small[2], -2);
    EXPECT_EQ(small[3], INT_MIN + 7);
    int32_t product = 5;
    const int32_t factor_of = 1 << 20;
    accumulate(scale_from(AccType::int32, (1 << 12) + 1, 0), &product, &factor_of, sizeof(product));
    EXPECT_EQ(product, 5 + (1 << 20));

    int64_t large[] = {INT64_MAX, INT64_MIN};
    const int64_t large_terms[] = {INT64_MAX, INT64_MIN};
    accumulate(scale_from(AccType::int64, 3, 0), large, large_terms, sizeof(large));
    EXPECT_EQ(large[0], -4);  // 4 * (2^63 - 1) modulo 2^64
    EXPECT_EQ(large[1], 0);   // 4 * -2^63
}

TEST(Accumulate, ComplexProduct) {
    double double_target[] = {10, 20};
    const double double_source[] = {3, 4};
    accumulate(scale_from(AccType::complex128, 0, 1), double_target, double_source, 16);
    EXPECT_EQ(double_target[0], 6);
    EXPECT_EQ(double_target[1], 23);
    float float_target[] = {0, 0, 1, 1};
    const float float_source[] = {1, 2, 3, -1};
    accumulate(scale_from(AccType::complex64, 2, -3), float_target, float_source, 16);
    EXPECT_EQ(float_target[0], 8);  // (2 - 3i)(1 + 2i) = 8 + i
    EXPECT_EQ(float_target[1], 1);
    EXPECT_EQ(float_target[2], 4);  // 1 + i + (2 - 3i)(3 - i) = 4 - 10i
    EXPECT_EQ(float_target[3], -10);
}

// The sum is computed for every scale: zero times infinity must be visible, and -0 + 0 is +0.
TEST(Accumulate, ZeroScaleStillAdds) {
    double target[] = {1, -0.0};
    const double source[] = {std::numeric_limits<double>::infinity(), 5};
    accumulate(scale_from(AccType::float64, 0, 0), target, source, sizeof(target));
    EXPECT_TRUE(std::isnan(target[0]));
    EXPECT_EQ(target[1], 0);
    EXPECT_FALSE(std::signbit(target[1]));
}

// With a scale of one nothing is multiplied: infinity * 0 of a complex product must not appear.
TEST(Accumulate, ScaleOfOneDoesNotMultiply) {
    const double infinity = std::numeric_limits<double>::infinity();
    double target[] = {1, 2};
    const double source[] = {infinity, 5};
    accumulate(scale_from(AccType::complex128, 1, 0), target, source, sizeof(target));
    EXPECT_EQ(target[0], infinity);
    EXPECT_EQ(target[1], 7);
}

TEST(Accumulate, ZeroElementsChangeNothing) {
    for (const AccType type : kAllTypes) {
        accumulate(scale_from(type, 1, 0), nullptr, nullptr, 0);
        accumulate(scale_from(type, 2, 0), nullptr, nullptr, 0);
    }
}

}  // namespace
}  // namespace armci::strided::test

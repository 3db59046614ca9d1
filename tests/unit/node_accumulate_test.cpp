// SPDX-License-Identifier: BSD-3-Clause
// Accumulate under the stripe locks, compared with plain integer arithmetic. All numbers are small
// whole ones, so that every type is exact and the order of additions does not matter.
#include "node/accumulate.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <complex>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "task_state.h"

namespace armci::node::test {
namespace {

using strided::AccScale;
using strided::AccType;

constexpr auto kGranule = static_cast<size_t>(StripedLocks::kGranuleBytes);
constexpr size_t kGranules = 5;

// Memory that begins at a granule boundary.
class Granules {
  public:
    explicit Granules(size_t granules = kGranules) : mapped_bytes_((granules + 1) * kGranule) {
        void* memory = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        EXPECT_NE(memory, MAP_FAILED);
        mapping_ = memory;
        const auto address = reinterpret_cast<uintptr_t>(memory) + kGranule - 1;
        begin_ = reinterpret_cast<char*>(address / kGranule * kGranule);
    }
    ~Granules() { munmap(mapping_, mapped_bytes_); }
    Granules(const Granules&) = delete;
    Granules& operator=(const Granules&) = delete;

    char* begin() const { return begin_; }
    static constexpr size_t kBytes = kGranules * kGranule;

  private:
    size_t mapped_bytes_;
    void* mapping_;
    char* begin_;
};

// A thread that adds.
class Adder {
  public:
    explicit Adder(const std::function<void()>& add)
        : thread_([this, add] {
              tid_.store(gettid());
              add();
              is_done_.store(true);
          }) {}

    // Waits until a thread naps, because it has waited long for a lock, or until it is done and
    // will not wait.
    void wait_until_it_waits() {
        while (!is_done_.load() &&
               (tid_.load() == 0 || !armci::test::is_asleep(armci::test::task_of(tid_.load())))) {
            std::this_thread::yield();
        }
    }
    void join() { thread_.join(); }

  private:
    std::atomic<int> tid_{0};
    std::atomic<bool> is_done_{false};
    std::thread thread_;
};

template <class Number, AccType kType, bool kIsComplex = false>
struct Kind {
    using Component = Number;
    static constexpr AccType type = kType;
    static constexpr bool is_complex = kIsComplex;
    static constexpr size_t components = kIsComplex ? 2 : 1;
    static constexpr size_t element_bytes = components * sizeof(Number);
};

template <class K>
class LockedAccumulatorOf : public testing::Test {
  protected:
    using Component = typename K::Component;

    static AccScale scale(int64_t re, int64_t im) {
        const Component parts[2] = {static_cast<Component>(re), static_cast<Component>(im)};
        return strided::make_scale(K::type, parts);
    }
};

using Kinds =
    testing::Types<Kind<int, AccType::int32>, Kind<long, AccType::int64>,
                   Kind<float, AccType::float32>, Kind<double, AccType::float64>,
                   Kind<float, AccType::complex64, true>, Kind<double, AccType::complex128, true>>;
TYPED_TEST_SUITE(LockedAccumulatorOf, Kinds);

// The whole array as numbers of the element's component, and the same in int64.
template <class K>
class Field {
  public:
    // `shift_components`: where the first element begins. Complex elements can lie across a granule
    // boundary.
    explicit Field(size_t shift_components) : shift_(shift_components) {
        expected_.resize(Granules::kBytes / sizeof(typename K::Component));
    }

    size_t elements() const { return (expected_.size() - shift_) / K::components; }
    char* element(size_t index) const {
        return memory_.begin() + sizeof(typename K::Component) * (shift_ + index * K::components);
    }
    // target[first...] += scale * source, in int64.
    void expect_add(size_t first, const std::vector<int64_t>& source, int64_t re, int64_t im) {
        int64_t* target = &expected_[shift_ + first * K::components];
        for (size_t i = 0; i < source.size(); i += K::components) {
            if (K::is_complex) {
                target[i] += re * source[i] - im * source[i + 1];
                target[i + 1] += re * source[i + 1] + im * source[i];
            } else {
                target[i] += re * source[i];
            }
        }
    }
    void expect_equal() const {
        const auto* actual = reinterpret_cast<const typename K::Component*>(memory_.begin());
        for (size_t i = 0; i < expected_.size(); ++i) {
            ASSERT_EQ(static_cast<int64_t>(actual[i]), expected_[i]) << "component " << i;
        }
    }

  private:
    Granules memory_;
    size_t shift_;
    std::vector<int64_t> expected_;
};

template <class K>
std::vector<int64_t> random_numbers(std::mt19937_64& random, size_t elements) {
    std::vector<int64_t> numbers(elements * K::components);
    for (int64_t& number : numbers) {
        number = static_cast<int64_t>(random() % 17) - 8;
    }
    return numbers;
}

template <class K>
std::vector<typename K::Component> as_components(const std::vector<int64_t>& numbers) {
    return {numbers.begin(), numbers.end()};
}

TYPED_TEST(LockedAccumulatorOf, AddsBlocksOfAnyLength) {
    using K = TypeParam;
    auto locks = std::make_unique<StripedLocks>();
    std::mt19937_64 random(1);
    for (const auto& [re, im] : {std::pair<int64_t, int64_t>{1, 0}, {3, 2}, {-2, 0}, {0, 0}}) {
        const int64_t used_im = K::is_complex ? im : 0;
        const AccScale scale = this->scale(re, used_im);
        for (const size_t shift : {size_t{0}, size_t{1}}) {
            Field<K> field(shift);
            LockedAccumulator accumulator(*locks, scale);
            for (int round = 0; round < 60; ++round) {
                const size_t first = random() % field.elements();
                const size_t max = round % 3 == 0 ? field.elements() : 40;
                const size_t count = 1 + random() % std::min(max, field.elements() - first);
                const std::vector<int64_t> numbers = random_numbers<K>(random, count);
                const auto source = as_components<K>(numbers);
                accumulator.add(source.data(), field.element(first),
                                static_cast<int64_t>(count * K::element_bytes));
                field.expect_add(first, numbers, re, used_im);
            }
            accumulator.release();
            field.expect_equal();
        }
    }
}

// Blocks are anywhere, some of them more than once, with every length that has a loop of its own
// and with others. They come from a buffer and from addresses.
TYPED_TEST(LockedAccumulatorOf, AddsScatteredBlocks) {
    using K = TypeParam;
    auto locks = std::make_unique<StripedLocks>();
    std::mt19937_64 random(4);
    const int64_t im = K::is_complex ? -2 : 0;
    const AccScale scale = this->scale(3, im);
    for (const size_t shift : {size_t{0}, size_t{1}}) {
        Field<K> field(shift);
        for (const size_t elements : {1, 2, 3, 4, 8, 9, 33, 600, 1500}) {
            for (const int count : {1, 2, 50}) {
                std::vector<int64_t> all;
                std::vector<uint64_t> targets;
                for (int i = 0; i < count; ++i) {
                    const size_t first = random() % (field.elements() - elements);
                    targets.push_back(reinterpret_cast<uint64_t>(field.element(first)));
                    const std::vector<int64_t> numbers = random_numbers<K>(random, elements);
                    all.insert(all.end(), numbers.begin(), numbers.end());
                    field.expect_add(first, numbers, 2 * 3, 2 * im);
                }
                const auto source = as_components<K>(all);
                const auto* dense = reinterpret_cast<const char*>(source.data());
                const auto bytes = static_cast<int64_t>(elements * K::element_bytes);
                std::vector<uint64_t> sources;
                for (int i = 0; i < count; ++i) {
                    sources.push_back(reinterpret_cast<uint64_t>(dense + i * bytes));
                }
                accumulate(*locks, scale,
                           strided::AccSegments{targets.data(), nullptr, dense, bytes, count});
                accumulate(
                    *locks, scale,
                    strided::AccSegments{targets.data(), sources.data(), nullptr, bytes, count});
            }
        }
        field.expect_equal();
    }
}

// Rows with every kind of stride: rising, falling, none, and across many granules.
TYPED_TEST(LockedAccumulatorOf, AddsRowsLikeTheirBlocks) {
    using K = TypeParam;
    auto locks = std::make_unique<StripedLocks>();
    std::mt19937_64 random(2);
    const AccScale scale = this->scale(3, K::is_complex ? -2 : 0);
    for (const size_t shift : {size_t{0}, size_t{1}}) {
        Field<K> field(shift);
        LockedAccumulator accumulator(*locks, scale);
        const auto elements = static_cast<int64_t>(field.elements());
        for (int round = 0; round < 200; ++round) {
            const int64_t block = round % 2 == 0 ? 1 : 1 + static_cast<int64_t>(random() % 40);
            const int64_t stride = static_cast<int64_t>(random() % 600) - 300;
            const int64_t span = stride < 0 ? -stride : stride;
            const int64_t max = span == 0 ? 5 : (elements - block) / span + 1;
            const auto count = static_cast<int64_t>(random() % static_cast<uint64_t>(max)) + 1;
            const int64_t extent = (count - 1) * span + block;
            int64_t first =
                static_cast<int64_t>(random() % static_cast<uint64_t>(elements - extent + 1));
            first += stride < 0 ? (count - 1) * span : 0;
            const std::vector<int64_t> numbers =
                random_numbers<K>(random, static_cast<size_t>(block * count));
            const auto source = as_components<K>(numbers);
            const auto element_bytes = static_cast<int64_t>(K::element_bytes);
            accumulator.add_row({field.element(static_cast<size_t>(first)), stride * element_bytes,
                                 source.data(), block * element_bytes, block * element_bytes,
                                 count});
            for (int64_t i = 0; i < count; ++i) {
                const auto begin =
                    numbers.begin() + i * block * static_cast<int64_t>(K::components);
                field.expect_add(static_cast<size_t>(first + i * stride),
                                 {begin, begin + block * static_cast<int64_t>(K::components)}, 3,
                                 K::is_complex ? -2 : 0);
            }
        }
        accumulator.release();
        field.expect_equal();
    }
}

// Elements just before, at and after each boundary; complex ones on both sides of it.
TYPED_TEST(LockedAccumulatorOf, AddsElementsAtGranuleBoundaries) {
    using K = TypeParam;
    auto locks = std::make_unique<StripedLocks>();
    std::mt19937_64 random(2);
    const AccScale scale = this->scale(2, K::is_complex ? 3 : 0);
    for (const size_t shift : {size_t{0}, size_t{1}}) {
        Field<K> field(shift);
        LockedAccumulator accumulator(*locks, scale);
        const size_t per_granule = kGranule / K::element_bytes;
        for (size_t boundary = per_granule; boundary < field.elements(); boundary += per_granule) {
            for (size_t before = 0; before <= 2; ++before) {
                for (size_t count = 1; count <= 3; ++count) {
                    const size_t first = boundary - before;
                    const size_t fitting = std::min(count, field.elements() - first);
                    const std::vector<int64_t> numbers = random_numbers<K>(random, fitting);
                    const auto source = as_components<K>(numbers);
                    accumulator.add(source.data(), field.element(first),
                                    static_cast<int64_t>(fitting * K::element_bytes));
                    field.expect_add(first, numbers, 2, K::is_complex ? 3 : 0);
                }
            }
        }
        accumulator.release();
        field.expect_equal();
    }
}

TYPED_TEST(LockedAccumulatorOf, ThreadsLoseNoAddition) {
    using K = TypeParam;
    constexpr unsigned kThreads = 4;
    constexpr int kRounds = 60;
    auto locks = std::make_unique<StripedLocks>();
    const int64_t im = K::is_complex ? 1 : 0;
    const AccScale scale = this->scale(2, im);
    Field<K> field(1);
    struct Addition {
        size_t first;
        std::vector<int64_t> numbers;
    };
    std::vector<Addition> additions[kThreads];
    std::mt19937_64 random(3);
    for (std::vector<Addition>& list : additions) {
        for (int round = 0; round < kRounds; ++round) {
            // All near one boundary, so that the threads really conflict.
            const size_t middle = 2 * kGranule / K::element_bytes;
            const size_t first = middle - random() % 600;
            list.push_back({first, random_numbers<K>(random, 1 + random() % 1200)});
            field.expect_add(first, list.back().numbers, 2, im);
        }
    }
    std::vector<std::thread> threads;
    for (const std::vector<Addition>& list : additions) {
        threads.emplace_back([&] {
            // Two of the four in blocks of one element each.
            const bool in_segments = &list == &additions[0] || &list == &additions[1];
            LockedAccumulator accumulator(*locks, scale);
            for (const Addition& addition : list) {
                const auto source = as_components<K>(addition.numbers);
                const size_t elements = source.size() / K::components;
                if (!in_segments) {
                    accumulator.add(source.data(), field.element(addition.first),
                                    static_cast<int64_t>(elements * K::element_bytes));
                    continue;
                }
                std::vector<uint64_t> targets;
                for (size_t i = 0; i < elements; ++i) {
                    targets.push_back(
                        reinterpret_cast<uint64_t>(field.element(addition.first + i)));
                }
                accumulate(*locks, scale,
                           strided::AccSegments{targets.data(), nullptr,
                                                reinterpret_cast<const char*>(source.data()),
                                                K::element_bytes, static_cast<int64_t>(elements)});
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    field.expect_equal();
}

TEST(LockedAccumulator, ReleasesItsStripe) {
    auto locks = std::make_unique<StripedLocks>();
    Granules memory;
    const int one = 1;
    const AccScale scale = strided::make_scale(AccType::int32, &one);
    SharedLock& stripe = (*locks)[StripedLocks::stripe_of(memory.begin())];
    {
        LockedAccumulator accumulator(*locks, scale);
        accumulator.add(&one, memory.begin(), sizeof one);
        accumulator.release();
        stripe.lock();  // would never return
        stripe.unlock();
        accumulator.add(&one, memory.begin(), sizeof one);
        // Going on to another stripe releases the first.
        accumulator.add(&one, memory.begin() + kGranule, sizeof one);
        stripe.lock();
        stripe.unlock();
    }
    SharedLock& second = (*locks)[StripedLocks::stripe_of(memory.begin() + kGranule)];
    second.lock();
    second.unlock();
    EXPECT_EQ(*reinterpret_cast<int*>(memory.begin()), 2);
}

// Half of what is added lies in a granule that another thread has locked: nothing there may change
// before that thread releases it.
TYPED_TEST(LockedAccumulatorOf, ChangesNothingWithoutTheLock) {
    using Number = typename TestFixture::Component;
    constexpr size_t kCount = 240;  // components
    constexpr size_t kHalf = 128;
    const AccScale scale = this->scale(1, 0);
    const std::vector<Number> ones(kCount, 1);
    const auto expect_wait = [&](const char* what, auto&& add) {
        SCOPED_TRACE(what);
        auto locks = std::make_unique<StripedLocks>();
        Granules memory;
        volatile auto* numbers =
            reinterpret_cast<Number*>(memory.begin() + kGranule - kHalf * sizeof(Number));
        SharedLock& second = (*locks)[StripedLocks::stripe_of(memory.begin() + kGranule)];
        second.lock();
        Adder other([&] { add(*locks, const_cast<Number*>(numbers)); });
        other.wait_until_it_waits();
        for (size_t i = kHalf; i < kCount; ++i) {
            EXPECT_EQ(numbers[i], 0) << "number " << i;
        }
        second.unlock();
        other.join();
        for (size_t i = 0; i < kCount; ++i) {
            EXPECT_EQ(numbers[i], 1) << "number " << i;
        }
    };
    expect_wait("contiguous", [&](StripedLocks& locks, Number* to) {
        LockedAccumulator(locks, scale).add(ones.data(), to, kCount * sizeof(Number));
    });
    expect_wait("rows", [&](StripedLocks& locks, Number* to) {
        strided::PairLayout rows;
        rows.levels = 1;
        rows.count[0] = 8 * sizeof(Number);
        rows.count[1] = kCount / 8;
        rows.local_stride[0] = rows.remote_stride[0] = 8 * sizeof(Number);
        accumulate(locks, scale, rows, reinterpret_cast<char*>(const_cast<Number*>(ones.data())),
                   reinterpret_cast<char*>(to));
    });
    // Both kinds: several that are added under their locks together, and single ones.
    for (const size_t length : {size_t{24}, kCount / 2}) {
        expect_wait("segments", [&](StripedLocks& locks, Number* to) {
            std::vector<uint64_t> targets;
            for (size_t i = 0; i < kCount; i += length) {
                targets.push_back(reinterpret_cast<uint64_t>(to + i));
            }
            accumulate(locks, scale,
                       strided::AccSegments{targets.data(), nullptr,
                                            reinterpret_cast<const char*>(ones.data()),
                                            static_cast<int64_t>(length * sizeof(Number)),
                                            static_cast<int64_t>(targets.size())});
        });
    }
}

// More stripes than are held at a time and more data than is added under them. Each thread locks
// them in a different order.
TEST(ScatteredAccumulate, ThreadsInOppositeOrdersLoseNoAddition) {
    constexpr size_t kManyGranules = 100;
    constexpr size_t kPerGranule = 20;
    constexpr int kThreads = 4;
    constexpr int kRounds = 5;
    auto locks = std::make_unique<StripedLocks>();
    Granules memory(kManyGranules);
    const double one = 1;
    const AccScale scale = strided::make_scale(AccType::float64, &one);
    constexpr size_t kCount = 8;  // numbers in a segment
    std::vector<uint64_t> all;
    for (size_t i = 0; i < kManyGranules * kPerGranule; ++i) {
        all.push_back(reinterpret_cast<uint64_t>(memory.begin()) +
                      i * (kGranule / kPerGranule / sizeof(double) * sizeof(double)));
    }
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
        threads.emplace_back([&, thread] {
            std::mt19937_64 random(static_cast<uint64_t>(thread));
            std::vector<uint64_t> targets = all;
            const std::vector<double> numbers(targets.size() * kCount, thread + 1);
            for (int round = 0; round < kRounds; ++round) {
                std::shuffle(targets.begin(), targets.end(), random);
                accumulate(*locks, scale,
                           strided::AccSegments{targets.data(), nullptr,
                                                reinterpret_cast<const char*>(numbers.data()),
                                                kCount * sizeof(double),
                                                static_cast<int64_t>(targets.size())});
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const uint64_t address : all) {
        for (size_t i = 0; i < kCount; ++i) {
            ASSERT_EQ(reinterpret_cast<const double*>(address)[i], kRounds * (1 + 2 + 3 + 4));
        }
        SharedLock& stripe = (*locks)[StripedLocks::stripe_of(reinterpret_cast<void*>(address))];
        ASSERT_TRUE(stripe.try_lock());
        stripe.unlock();
    }
}

// It takes a lock again that it has released.
TEST(ScatteredAccumulate, TakesAReleasedLockAgain) {
    auto locks = std::make_unique<StripedLocks>();
    Granules memory;
    const int one = 1;
    const AccScale scale = strided::make_scale(AccType::int32, &one);
    const auto number = [&](size_t granule) -> volatile int& {
        return *reinterpret_cast<int*>(memory.begin() + granule * kGranule);
    };
    const auto stripe = [&](size_t granule) -> SharedLock& {
        return (*locks)[StripedLocks::stripe_of(const_cast<int*>(&number(granule)))];
    };
    stripe(1).lock();
    Adder other([&] {
        const uint64_t targets[] = {reinterpret_cast<uint64_t>(&number(0)),
                                    reinterpret_cast<uint64_t>(&number(1)),
                                    reinterpret_cast<uint64_t>(&number(0))};
        const int ones[] = {1, 1, 1};
        accumulate(*locks, scale,
                   strided::AccSegments{targets, nullptr, reinterpret_cast<const char*>(ones),
                                        sizeof(int), 3});
    });
    for (stripe(0).lock(); number(0) == 0; stripe(0).lock()) {
        stripe(0).unlock();
        std::this_thread::yield();
    }
    stripe(1).unlock();
    for (stripe(1).lock(); number(1) == 0; stripe(1).lock()) {
        stripe(1).unlock();
        std::this_thread::yield();
    }
    stripe(1).unlock();
    other.wait_until_it_waits();
    EXPECT_EQ(number(0), 1);
    stripe(0).unlock();
    other.join();
    EXPECT_EQ(number(0), 2);
}

// Two threads that hold what the other one waits for would never end.
TEST(ScatteredAccumulate, HoldsNoLockWhileItWaits) {
    auto locks = std::make_unique<StripedLocks>();
    Granules memory;
    const int one = 1;
    const AccScale scale = strided::make_scale(AccType::int32, &one);
    const auto number = [&](size_t granule) -> int& {
        return *reinterpret_cast<int*>(memory.begin() + granule * kGranule);
    };
    const auto stripe = [&](size_t granule) -> SharedLock& {
        return (*locks)[StripedLocks::stripe_of(&number(granule))];
    };
    stripe(1).lock();
    std::thread other([&] {
        const uint64_t targets[] = {
            reinterpret_cast<uint64_t>(&number(0)), reinterpret_cast<uint64_t>(&number(2)),
            reinterpret_cast<uint64_t>(&number(1)), reinterpret_cast<uint64_t>(&number(0))};
        const int ones[] = {1, 1, 1, 1};
        accumulate(*locks, scale,
                   strided::AccSegments{targets, nullptr, reinterpret_cast<const char*>(ones),
                                        sizeof(int), 4});
    });
    // Neither would end if it kept one of them.
    int sum = 0;
    while (sum < 2) {
        stripe(0).lock();
        stripe(2).lock();
        sum = number(0) + number(2);
        stripe(2).unlock();
        stripe(0).unlock();
        std::this_thread::yield();
    }
    EXPECT_EQ(sum, 2);
    EXPECT_EQ(number(1), 0);
    stripe(1).unlock();
    other.join();
    EXPECT_EQ(number(0), 2);
    EXPECT_EQ(number(1), 1);
    for (const size_t granule : {0, 1, 2}) {
        EXPECT_TRUE(stripe(granule).try_lock()) << granule;
    }
}

}  // namespace
}  // namespace armci::node::test

// SPDX-License-Identifier: BSD-3-Clause
// Which transfers register their local memory, on machines on which registrations and copies cost
// this and that. All times are of these models; no clock is read.
#include "pipeline/costs/registration_costs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

namespace armci::pipeline::test {
namespace {

constexpr double kCopyByteUs = 1e-4;  // 10 GB/s
constexpr int64_t kPageBytes = 4 << 10;

// Costs of a machine, in microseconds.
struct Machine {
    const char* name;
    double registration_us;  // with its end, in addition to:
    double page_us;
    double copy_byte_us = kCopyByteUs;
    // With a cache that has room for so many buffers, the others cost:
    size_t cached_buffers = 0;
    double hit_us = 0.3;

    double miss_us(int64_t bytes) const {
        return registration_us + page_us * static_cast<double>(bytes / kPageBytes);
    }
    double copy_us(int64_t bytes) const { return copy_byte_us * static_cast<double>(bytes); }
    // Of a network with 100 Gbit/s.
    static double network_us(int64_t bytes) { return 3 + 8e-5 * static_cast<double>(bytes); }
};

constexpr Machine kMachines[] = {
    {"as the prior", 4.9, 0.1},
    {"a cache", 20, 0.2, kCopyByteUs, 4000},
    {"a cache that is too small", 20, 0.2, kCopyByteUs, 3},
    {"a cache, and slow misses", 400, 0.2, kCopyByteUs, 4000},
    {"no pages to pin", 0.9, 0},
    {"slow calls", 60, 0.1},
    {"slow pages", 5, 0.8},
    {"slow copies", 5, 0.1, 4e-4},
    {"fast copies", 5, 0.1, 5e-5},
};
constexpr std::array<int64_t, 9> kLengths = {4 << 10,   (8 << 10) - 8,  12 << 10,
                                             32 << 10,  (64 << 10) - 8, 100 << 10,
                                             127 << 10, 1 << 20,        16 << 20};
constexpr int64_t kLongestCopy = 256 << 10;  // of a buffer

// A program that makes transfers of some buffers in turn.
class Program {
  public:
    explicit Program(const Machine& machine, size_t buffers = 1)
        : machine_(machine), buffers_(buffers) {}

    // Returns the time of a transfer.
    double transfer(int64_t bytes) {
        if (costs_.should_register(bytes)) {
            const double us = register_next(bytes);
            costs_.note_registration(bytes, us);
            return Machine::network_us(bytes) + us;
        }
        for (int64_t left = bytes; left > 0; left -= kLongestCopy) {
            const int64_t piece = std::min(left, kLongestCopy);
            costs_.note_copy(piece, machine_.copy_us(piece));
        }
        return Machine::network_us(bytes) + machine_.copy_us(bytes);
    }
    double transfers(int64_t bytes, int count) {
        double sum_us = 0;
        for (int i = 0; i < count; ++i) {
            sum_us += transfer(bytes);
        }
        return sum_us;
    }
    void go_to(const Machine& machine) {
        machine_ = machine;
        cache_.clear();
    }
    RegistrationCosts& costs() { return costs_; }

  private:
    // The cache keeps what was used last.
    double register_next(int64_t bytes) {
        const std::pair buffer(bytes, next_buffer_++ % buffers_);
        const auto found = std::find(cache_.begin(), cache_.end(), buffer);
        const bool is_hit = found != cache_.end();
        if (is_hit) {
            cache_.erase(found);
        }
        cache_.push_back(buffer);
        if (cache_.size() > machine_.cached_buffers) {
            cache_.pop_front();
        }
        return is_hit ? machine_.hit_us : machine_.miss_us(bytes);
    }

    Machine machine_;
    size_t buffers_;
    size_t next_buffer_ = 0;
    std::deque<std::pair<int64_t, size_t>> cache_;
    RegistrationCosts costs_ = RegistrationCosts::learning(kCopyByteUs);
};

// The time of a transfer in the long run.
double lasting_us(const Machine& machine, bool registers, int64_t bytes, size_t buffers) {
    const double registration_us =
        machine.cached_buffers >= buffers ? machine.hit_us : machine.miss_us(bytes);
    return Machine::network_us(bytes) + (registers ? registration_us : machine.copy_us(bytes));
}

double best_us(const Machine& machine, int64_t bytes, size_t buffers) {
    return std::min(lasting_us(machine, true, bytes, buffers),
                    lasting_us(machine, false, bytes, buffers));
}

double prior_us(const Machine& machine, int64_t bytes, size_t buffers) {
    return lasting_us(machine, bytes >= RegistrationCosts::kPriorMinBytes, bytes, buffers);
}

// A class that registers is patient for 25 ms, and it takes some trials to leave copies.
TEST(RegistrationCosts, TransfersTakeLittleMoreThanTheBetterWay) {
    for (const Machine& machine : kMachines) {
        for (const int64_t bytes : kLengths) {
            for (const size_t buffers : {1, 8}) {
                Program program(machine, buffers);
                program.transfers(bytes, 10'000);
                const double us = program.transfers(bytes, 4000) / 4000;
                EXPECT_LE(us, 1.2 * best_us(machine, bytes, buffers))
                    << machine.name << ", " << bytes << ", " << buffers << " buffers";
            }
        }
    }
}

TEST(RegistrationCosts, NoProgramTakesMuchLongerThanWithThePrior) {
    for (const Machine& machine : kMachines) {
        for (const int64_t bytes : kLengths) {
            for (const size_t buffers : {1, 8}) {
                Program program(machine, buffers);
                const double us = program.transfers(bytes, 2000) / 2000;
                EXPECT_LE(us, 1.2 * prior_us(machine, bytes, buffers) + 1)
                    << machine.name << ", " << bytes << ", " << buffers << " buffers";
            }
        }
    }
}

// All lengths in turn, so classes learn beside each other.
TEST(RegistrationCosts, LengthsLearnForThemselves) {
    for (const Machine& machine : kMachines) {
        if (machine.cached_buffers > 0) {
            continue;  // all lengths would share the cache
        }
        Program program(machine);
        for (int i = 0; i < 10'000; ++i) {
            for (const int64_t bytes : kLengths) {
                program.transfer(bytes);
            }
        }
        std::array<double, kLengths.size()> us{};
        constexpr int kTransfers = 4000;
        for (int i = 0; i < kTransfers; ++i) {
            for (size_t of = 0; of < us.size(); ++of) {
                us[of] += program.transfer(kLengths[of]) / kTransfers;
            }
        }
        for (size_t of = 0; of < us.size(); ++of) {
            EXPECT_LE(us[of], 1.2 * best_us(machine, kLengths[of], 1))
                << machine.name << ", " << kLengths[of];
        }
    }
}

// Each buffer misses the cache once, which costs more than copies of all.
TEST(RegistrationCosts, ManyBuffersAreRegisteredUntilACacheHasThem) {
    constexpr int kBuffers = 1000;
    Program program({"a cache", 20, 0.2, kCopyByteUs, 4000}, kBuffers);
    program.transfers(64 << 10, kBuffers);
    EXPECT_TRUE(program.costs().registers(64 << 10));
    const double us = program.transfers(64 << 10, kBuffers) / kBuffers;
    EXPECT_LE(us, 1.1 * (Machine::network_us(64 << 10) + 0.3));
}

TEST(RegistrationCosts, ChangesAreFollowed) {
    const Machine cached = {"a cache", 20, 0.2, kCopyByteUs, 4000};
    const Machine slow = {"slow calls", 600, 0.1};
    const Machine slow_copies = {"slow copies", 5, 0.1, 4e-4};
    const Machine fast_copies = {"fast copies", 5, 0.1, 5e-5};
    for (const auto& [before, after] :
         {std::pair(cached, slow), std::pair(slow, cached), std::pair(slow_copies, fast_copies),
          std::pair(fast_copies, slow_copies)}) {
        for (const int64_t bytes : {32 << 10, 256 << 10}) {
            Program program(before);
            program.transfers(bytes, 20'000);
            program.go_to(after);
            program.transfers(bytes, 40'000);
            const double us = program.transfers(bytes, 4000) / 4000;
            EXPECT_LE(us, 1.2 * best_us(after, bytes, 1))
                << before.name << ", then " << after.name << ", " << bytes;
        }
    }
}

// Threads that lose their processor for 4 ms tell nothing.
TEST(RegistrationCosts, InterruptionsChangeNothing) {
    Program program({"as the prior", 4.9, 0.1});
    program.transfers(512 << 10, 100);
    for (int i = 0; i < 10; ++i) {
        program.costs().note_registration(512 << 10, 4000);
    }
    EXPECT_TRUE(program.costs().registers(512 << 10));
    program.transfers(16 << 10, 1000);
    program.costs().note_copy(16 << 10, 4000);
    program.costs().note_registration(16 << 10, 5.3);
    EXPECT_FALSE(program.costs().registers(16 << 10));
}

// The first copies of a length may have page faults.
TEST(RegistrationCosts, SlowFirstCopiesAreForgotten) {
    Program program({"as the prior", 4.9, 0.1});
    for (int i = 0; i < 16; ++i) {
        program.costs().note_copy(32 << 10, 20);
    }
    for (int i = 0; i < RegistrationCosts::kMinTimes; ++i) {
        program.costs().note_registration(32 << 10, 5.7);
    }
    EXPECT_TRUE(program.costs().registers(32 << 10));
    program.transfers(32 << 10, 20'000);
    EXPECT_FALSE(program.costs().registers(32 << 10));
}

TEST(RegistrationCosts, ThePriorDecidesAtFirst) {
    for (const double copy_byte_us : {kCopyByteUs, 0.0}) {
        RegistrationCosts costs = RegistrationCosts::learning(copy_byte_us);
        EXPECT_TRUE(costs.should_register(RegistrationCosts::kPriorMinBytes));
        EXPECT_FALSE(costs.should_register(RegistrationCosts::kPriorMinBytes - 1));
        EXPECT_TRUE(costs.should_register(int64_t{1} << 62));
    }
}

TEST(RegistrationCosts, ShortTransfersAreNeverRegistered) {
    Program program({"free", 0.001, 0});
    program.transfers(4 << 10, 1000);
    EXPECT_TRUE(program.costs().registers(RegistrationCosts::kMinBytes));
    EXPECT_FALSE(program.costs().is_timed(RegistrationCosts::kMinBytes - 1));
    EXPECT_FALSE(program.costs().registers(RegistrationCosts::kMinBytes - 1));
    for (int i = 0; i < 2000; ++i) {
        EXPECT_FALSE(program.costs().should_register(RegistrationCosts::kMinBytes - 1));
    }
}

TEST(RegistrationCosts, TrialsBecomeRare) {
    Program program({"slow calls", 600, 0.1});
    program.transfers(16 << 10, 20'000);
    const int64_t before = program.costs().registrations();
    program.transfers(16 << 10, 10 * RegistrationCosts::kTrialPeriods.back());
    EXPECT_EQ(program.costs().registrations() - before, 10);
}

// The setting ARMCI_REGISTER_MIN.
TEST(RegistrationCosts, AFixedLengthStays) {
    for (const int64_t min : {int64_t{0}, int64_t{100}, int64_t{1} << 20}) {
        RegistrationCosts costs(min);
        EXPECT_FALSE(costs.is_timed(1 << 20));
        for (int i = 0; i < 2000; ++i) {
            EXPECT_TRUE(costs.should_register(min));
            EXPECT_FALSE(costs.should_register(min - 1));
        }
        EXPECT_TRUE(costs.registers(min));
        EXPECT_FALSE(costs.registers(min - 1));
    }
}

TEST(RegistrationCosts, NothingRegistersOnceTheSystemRefuses) {
    for (RegistrationCosts costs : {RegistrationCosts(0), RegistrationCosts::learning(0)}) {
        costs.stop();
        for (int i = 0; i < 2000; ++i) {
            EXPECT_FALSE(costs.should_register(1 << 20));
            EXPECT_FALSE(costs.should_register(16 << 10));
        }
        EXPECT_FALSE(costs.registers(1 << 20));
    }
}

}  // namespace
}  // namespace armci::pipeline::test

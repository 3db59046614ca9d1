// SPDX-License-Identifier: BSD-3-Clause
// Decides which transfers register their local memory where the provider wants it registered. The
// others are copied through a registered buffer. Both are timed while transfers are made, because a
// registration may cost a tenth of a copy or ten copies: some providers keep a cache of
// registrations, some pin each page every time.
//
// Each class of lengths (from a power of two to the next) has a way, and the mean times of both
// ways as multiples of what they cost at the start. The other way is tried now and then; a trial
// that does not cost less makes the next one later.
//
// * A class that copies registers as soon as some trials show that this costs less.
// * A class that registers is patient, because each buffer must be registered once before a cache
//   has it. It copies when registrations have taken kPatienceUs more than copies would have.
//
// This class knows neither clock nor network: the same times give the same decisions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace armci::pipeline {

class RegistrationCosts {
  public:
    // Shorter transfers are copied, untimed: reading the clock would be a part of their cost.
    static constexpr int64_t kMinBytes = 4 << 10;
    // Until something is learned, transfers of at least this many bytes register.
    static constexpr int64_t kPriorMinBytes = 64 << 10;
    static constexpr double kPatienceUs = 25'000;
    static constexpr double kWorthwhile = 0.8;  // of a copy, for a registration
    static constexpr int kMinTimes = 4;         // of a class, before they count
    // Longer transfers are copied in pieces of about that length, whose times they have.
    static constexpr int64_t kLongestTriedCopy = 256 << 10;
    // From one trial to the next. Primes, because programs repeat patterns.
    static constexpr std::array<int, 6> kTrialPeriods = {31, 61, 127, 251, 509, 1021};

    // Nothing is learned: transfers of at least that many bytes register.
    explicit RegistrationCosts(int64_t min_bytes = kPriorMinBytes) : fixed_min_bytes_(min_bytes) {}
    // `copy_byte_us` is the time to copy a byte, as measured at start; 0: unknown.
    static RegistrationCosts learning(double copy_byte_us);

    // Returns whether a transfer of that many bytes may have to register, perhaps as a trial.
    bool may_register(int64_t bytes) const {
        return !has_stopped_ && bytes >= (learns_ ? kMinBytes : fixed_min_bytes_);
    }
    // Returns whether the next such transfer should register its local memory. May begin a trial,
    // so ask only if it can, and if may_register().
    bool should_register(int64_t bytes);
    // From now on nothing registers, because the system refuses it.
    void stop() { has_stopped_ = true; }
    bool has_stopped() const { return has_stopped_; }

    // Returns whether registrations and copies of that many bytes are to be timed.
    bool is_timed(int64_t bytes) const { return learns_ && bytes >= kMinBytes; }
    // Take a time: of a registration and its end, or of a copy.
    void note_registration(int64_t bytes, double us);
    void note_copy(int64_t bytes, double us);

    bool learns() const { return learns_; }
    // Returns from which length on transfers register, where nothing is learned.
    int64_t fixed_min_bytes() const { return fixed_min_bytes_; }
    // Returns the number of timed registrations.
    int64_t registrations() const { return registrations_; }
    // Returns whether a transfer of that many bytes registers if it is no trial.
    bool registers(int64_t bytes) const;

  private:
    static constexpr int kFirstClass = 12;  // of kMinBytes
    static constexpr int kClasses = 24;     // the last one has everything longer, too
    static constexpr int kLastingTimes = 16;

    struct Mean {
        double ratio = 1;  // to the time at the start
        int times = 0;     // that it is the mean of, at most kLastingTimes

        void note(double of_one);
    };
    struct Class {
        Mean registration;
        Mean copy;
        bool registers = false;
        double lost_us = 0;  // by registrations
        int since_trial = 0;
        size_t trial_period = 0;  // index into kTrialPeriods

        void change(bool to_registers);
        void note_trial(bool costs_less, const Mean& mean);
    };

    static size_t class_of(int64_t bytes);
    double prior_copy_us(int64_t bytes) const;
    double prior_registration_us(int64_t bytes) const;
    double copy_us(int64_t bytes) const;

    std::array<Class, kClasses> classes_;
    double copy_byte_us_ = 0;
    int64_t fixed_min_bytes_ = kPriorMinBytes;
    int64_t registrations_ = 0;
    bool learns_ = false;
    bool has_stopped_ = false;
};

}  // namespace armci::pipeline

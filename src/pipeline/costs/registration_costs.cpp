// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/costs/registration_costs.h"

#include <algorithm>
#include <bit>

namespace armci::pipeline {

RegistrationCosts RegistrationCosts::learning(double copy_byte_us) {
    constexpr double kUsualByteUs = 1e-4;  // 10 GB/s
    RegistrationCosts costs;
    costs.learns_ = true;
    costs.copy_byte_us_ = copy_byte_us > 0 ? copy_byte_us : kUsualByteUs;
    for (size_t i = class_of(kPriorMinBytes); i < kClasses; ++i) {
        costs.classes_[i].registers = true;
    }
    return costs;
}

size_t RegistrationCosts::class_of(int64_t bytes) {
    const int bits = std::bit_width(static_cast<uint64_t>(std::max(bytes, kMinBytes)));
    return static_cast<size_t>(std::min(bits - 1 - kFirstClass, kClasses - 1));
}

double RegistrationCosts::prior_copy_us(int64_t bytes) const {
    return copy_byte_us_ * static_cast<double>(bytes);
}

// A registration has a part for each call and a part for each page. With these two, both ways cost
// the same at kPriorMinBytes.
double RegistrationCosts::prior_registration_us(int64_t bytes) const {
    constexpr double kOfPages = 0.25;
    return (1 - kOfPages) * prior_copy_us(kPriorMinBytes) + kOfPages * prior_copy_us(bytes);
}

// Long transfers are copied in pieces, so classes without times of their own have those of the next
// shorter class that has some.
double RegistrationCosts::copy_us(int64_t bytes) const {
    for (size_t i = class_of(bytes) + 1; i > 0; --i) {
        const Mean& copy = classes_[i - 1].copy;
        if (copy.times >= kMinTimes) {
            return copy.ratio * prior_copy_us(bytes);
        }
    }
    return prior_copy_us(bytes);
}

// The mean moves by a sixteenth of a difference at least, so it follows a change.
void RegistrationCosts::Mean::note(double of_one) {
    times = std::min(times + 1, kLastingTimes);
    ratio += (of_one - ratio) / times;
}

void RegistrationCosts::Class::change(bool to_registers) {
    registers = to_registers;
    lost_us = 0;
    since_trial = 0;
    trial_period = 0;
}

void RegistrationCosts::Class::note_trial(bool costs_less, const Mean& mean) {
    if (costs_less) {
        trial_period = 0;
    } else if (mean.times >= kMinTimes) {
        trial_period = std::min(trial_period + 1, kTrialPeriods.size() - 1);
    }
}

bool RegistrationCosts::should_register(int64_t bytes) {
    if (!learns_ || !may_register(bytes)) {
        return may_register(bytes);
    }
    Class& of = classes_[class_of(bytes)];
    if (of.registers && bytes > kLongestTriedCopy) {
        return true;
    }
    const bool is_trial = ++of.since_trial >= kTrialPeriods[of.trial_period];
    of.since_trial = is_trial ? 0 : of.since_trial;
    return of.registers != is_trial;
}

void RegistrationCosts::note_registration(int64_t bytes, double us) {
    // Some times are those of a thread that has lost its processor.
    constexpr double kLongUs = 1000;
    constexpr double kLong = 16;
    ++registrations_;
    Class& of = classes_[class_of(bytes)];
    const double prior_us = prior_registration_us(bytes);
    const double counted_us = std::min(us, std::max(kLong * prior_us, kLongUs));
    of.registration.note(counted_us / prior_us);
    const double other_us = copy_us(bytes);
    if (of.registers) {
        of.lost_us = std::max(of.lost_us + counted_us - other_us, 0.0);
        if (of.lost_us > kPatienceUs) {
            of.change(false);
        }
        return;
    }
    of.note_trial(counted_us < kWorthwhile * other_us, of.registration);
    if (of.registration.times >= kMinTimes &&
        of.registration.ratio * prior_us < kWorthwhile * other_us) {
        of.change(true);
    }
}

void RegistrationCosts::note_copy(int64_t bytes, double us) {
    constexpr double kLong = 8;
    Class& of = classes_[class_of(bytes)];
    const double prior_us = prior_copy_us(bytes);
    const double counted_us = std::min(us, kLong * prior_us);
    of.copy.note(counted_us / prior_us);
    if (of.registers) {
        const double other_us = of.registration.ratio * prior_registration_us(bytes);
        of.note_trial(counted_us < other_us, of.copy);
    }
}

bool RegistrationCosts::registers(int64_t bytes) const {
    return may_register(bytes) && (!learns_ || classes_[class_of(bytes)].registers);
}

}  // namespace armci::pipeline

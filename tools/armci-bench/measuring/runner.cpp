// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/measuring/runner.h"

#include "armci-bench/workloads/armci_api.h"
#include "armci-bench/workloads/busy_target.h"
#include "armci-bench/workloads/computation.h"
#include "armci-bench/workloads/implementation.h"
#include "armci-bench/workloads/workload.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

namespace armci::bench {

namespace {

// Disables pipelining in the library while it exists, if the mode says so.
class PipelineLimit {
  public:
    explicit PipelineLimit(Mode mode) : limits_(is_serial(mode)) {
        if (limits_) {
            before_ = set_pipeline_depth(1);
        }
    }
    ~PipelineLimit() {
        if (limits_) {
            set_pipeline_depth(before_);
        }
    }
    PipelineLimit(const PipelineLimit&) = delete;
    PipelineLimit& operator=(const PipelineLimit&) = delete;

  private:
    const bool limits_;
    int before_ = 0;
};

}  // namespace

// One row under way. All members run on every rank, in the same order: for each series check(),
// then time() as often as wanted, then check_again(); at last finish().
class Measurement {
  public:
    Measurement(const Options& options, const Row& row, const Roles& roles, const Arena& part,
                RawNetwork* raw)
        : options_(options), roles_(roles), arena_(part), raw_(raw) {
        result_.row = row;
        result_.actor_count = roles_.actor_count;
        result_.series_count = options.series;
        result_.route = is_raw(row.op) ? raw_peer_name(options.raw_peer) : "-";
    }

    // Begins a series. `number` differs from those of all other series of all rows.
    void check(int64_t number) {
        if (result_.status != Status::ok) {
            return;
        }
        release_value_ = static_cast<long>(number) << kReleaseBits;
        workload_ = make_workload({options_, result_.row, roles_, arena_, raw_, number});
        workload_->prepare();
        ARMCI_Barrier();
        if (roles_.acts()) {
            const PipelineLimit limit(result_.row.mode);
            workload_->perform(workload_->check_count());
            dismiss_server();
        } else if (is_server()) {
            workload_->serve();
        }
        ARMCI_Barrier();
        count_errors();
    }

    // Takes samples, unless something was wrong before. The first call determines how many
    // operations make a sample.
    void time(int64_t sample_count) {
        if (result_.status != Status::ok) {
            return;
        }
        if (result_.row.mode == Mode::target) {
            time_against_target(sample_count);
        } else {
            time_phase(sample_count);
        }
    }

    // Ends a series.
    void check_again() {
        if (result_.status == Status::ok && workload_->result_lasts()) {
            count_errors();
        }
        workload_.reset();
    }

    Result finish() {
        if (result_.status == Status::ok) {
            summarize_samples();
            if (result_.row.mode == Mode::target) {
                summarize_target_samples();
            }
        }
        return result_;
    }

  private:
    // Room for this many phases of one series.
    static constexpr int kReleaseBits = 32;
    // Some two microseconds.
    static constexpr int64_t kUnitsOfATurn = 100;

    void count_errors() {
        long long errors = workload_->count_errors();
        MPI_Allreduce(MPI_IN_PLACE, &errors, 1, MPI_LONG_LONG, MPI_SUM, world());
        result_.errors = errors;
        if (errors != 0) {
            result_.status = Status::wrong;
        }
    }

    // -- Time --

    void time_phase(int64_t sample_count) {
        release_value_++;
        MPI_Barrier(world());
        int stalled = 0;
        if (roles_.acts()) {
            act(sample_count);
            dismiss_server();
            if (stays_outside(options_.target_wait) && !workload_->needs_service()) {
                release_target();
            }
        } else if (is_server()) {
            workload_->serve();
        } else if (is_outside()) {
            stalled = stays_until_released() ? 0 : 1;
        }
        if (options_.target_wait == TargetWait::armci) {
            ARMCI_Barrier();
        } else {
            MPI_Barrier(world());
        }
        MPI_Allreduce(MPI_IN_PLACE, &stalled, 1, MPI_INT, MPI_MAX, world());
        if (stalled != 0) {
            result_.status = Status::stalled;
        }
    }

    void act(int64_t sample_count) {
        const PipelineLimit limit(result_.row.mode);
        const Verb verb = verb_of(result_.row.op);
        const RouteCounts before = route_counts(verb);
        if (iterations_ == 0) {
            iterations_ = calibrate();
        }
        for (int64_t i = 0; i < sample_count; i++) {
            take_sample();
        }
        if (verb != Verb::other) {
            result_.route = routes_between(before, route_counts(verb));
        }
    }

    void take_sample() {
        samples_.push_back(timed_together(iterations_) * 1e6 / static_cast<double>(iterations_));
        shares_.push_back(static_cast<double>(workload_->share()));
        const std::vector<OriginSample>& parts = workload_->origin_samples();
        origin_samples_.insert(origin_samples_.end(), parts.begin(), parts.end());
    }

    // Finds how many operations fill the wanted time. All acting ranks come to the same number.
    int64_t calibrate() {
        const double wanted_s = static_cast<double>(options_.min_time_ms) * 1e-3;
        const int64_t batch = workload_->batch_count();
        int64_t count = batch;
        for (;;) {
            // The better of two, so that a cold start or an interruption is not taken for the
            // operation's time. Times below a nanosecond are rounded up.
            const double first_s = slowest(timed_together(count));
            const double second_s = slowest(timed_together(count));
            const double elapsed_s = std::max(std::min(first_s, second_s), 1e-9);
            if (elapsed_s * 4 >= wanted_s) {
                const double needed = static_cast<double>(count) * wanted_s / elapsed_s;
                const auto batches =
                    static_cast<int64_t>(std::ceil(needed / static_cast<double>(batch)));
                return std::max<int64_t>(batches, 1) * batch;
            }
            count *= elapsed_s * 32 < wanted_s ? 8 : 2;
        }
    }

    void summarize_samples() {
        if (!roles_.acts()) {
            return;
        }
        result_.iterations = iterations_;
        result_.sample_count = static_cast<int64_t>(samples_.size());
        summarize_values(reduce_to_rank_0(samples_, MPI_MAX, roles_.actors));
        if (!origin_samples_.empty()) {
            summarize_origin_samples();
        }
        if (result_.row.op == Op::lock_fairness) {
            result_.fairness =
                tools::median_of_quotients(reduce_to_rank_0(shares_, MPI_MIN, roles_.actors),
                                           reduce_to_rank_0(shares_, MPI_MAX, roles_.actors));
        }
    }

    // As many samples were taken in each series.
    void summarize_values(const std::vector<double>& samples) {
        result_.values = options_.series > 1
                             ? medians_of_parts(samples, static_cast<size_t>(options_.series))
                             : samples;
        result_.microseconds = tools::summarize(result_.values);
        result_.two_speeds = find_two_speeds(result_.values);
    }

    // All figures are of the same samples, so that they can be compared with each other.
    void summarize_origin_samples() {
        const std::vector<OriginSample> samples = mean_origin_samples();
        std::vector<double> together;
        together.reserve(samples.size());
        for (const OriginSample& sample : samples) {
            together.push_back(sample.together);
        }
        result_.sample_count = static_cast<int64_t>(samples.size());
        summarize_values(together);
        result_.overlap = summarize_origin(samples);
    }

    // Rank 0 acts in every pattern and is the first of the acting ranks.
    static std::vector<double> reduce_to_rank_0(const std::vector<double>& values, MPI_Op operation,
                                                MPI_Comm ranks) {
        std::vector<double> reduced(values.size());
        MPI_Reduce(values.data(), reduced.data(), static_cast<int>(values.size()), MPI_DOUBLE,
                   operation, 0, ranks);
        return reduced;
    }

    // Over the acting ranks.
    std::vector<OriginSample> mean_origin_samples() const {
        constexpr size_t kFields = sizeof(OriginSample) / sizeof(double);
        std::vector<double> values;
        for (const OriginSample& sample : origin_samples_) {
            values.insert(values.end(), {sample.transfer, sample.compute, sample.together,
                                         sample.compute_during});
        }
        const std::vector<double> sums = reduce_to_rank_0(values, MPI_SUM, roles_.actors);
        std::vector<OriginSample> means(origin_samples_.size());
        for (size_t i = 0; i < means.size(); i++) {
            const double* sum = &sums[i * kFields];
            const double count = roles_.actor_count;
            means[i] = {sum[0] / count, sum[1] / count, sum[2] / count, sum[3] / count};
        }
        return means;
    }

    double timed_together(int64_t count) {
        if (roles_.actor_count > 1) {
            MPI_Barrier(roles_.actors);
        }
        return workload_->timed(count);
    }

    double slowest(double seconds) const {
        MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, roles_.actors);
        return seconds;
    }

    // -- Targets --

    bool is_server() const { return workload_->needs_service() && roles_.serves(); }

    void dismiss_server() {
        if (workload_->needs_service()) {
            workload_->dismiss();
        }
    }

    bool is_outside() const {
        return stays_outside(options_.target_wait) && roles_.serves() &&
               !workload_->needs_service();
    }

    static bool stays_outside(TargetWait wait) {
        return wait == TargetWait::busy || wait == TargetWait::asleep;
    }

    // If there is a target that does nothing else. It may be the target of all actors, so none of
    // them measures any more.
    void release_target() {
        if (roles_.actor_count < roles_.rank_count) {
            MPI_Barrier(roles_.actors);
            release_busy_target(arena_, roles_.target, release_value_);
        }
    }

    bool stays_until_released() const {
        if (options_.target_wait == TargetWait::asleep) {
            return bench::stay_outside_until_released(
                arena_, roles_.rank, release_value_, options_.busy_limit_s,
                [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); });
        }
        double number = 1;
        return bench::stay_outside_until_released(
            arena_, roles_.rank, release_value_, options_.busy_limit_s, [&] {
                for (int i = 0; i < 1000; i++) {
                    number = std::sqrt(number + i);
                }
                computed_ = number;  // volatile, so that the work is really done
            });
    }

    // -- Mode::target --

    // Each sample has three phases: the targets compute alone; transfers go to targets that wait in
    // the library; transfers go to targets that compute. So every rank takes part.
    void time_against_target(int64_t sample_count) {
        const Verb verb = verb_of(result_.row.op);
        if (iterations_ == 0) {
            iterations_ = roles_.acts() ? calibrate() : 1;
            ARMCI_Barrier();
        }
        int stalled = 0;
        for (int64_t i = 0; i < sample_count && stalled == 0; i++) {
            TargetSample sample;
            const RouteCounts before = route_counts(verb);
            MPI_Barrier(world());
            sample.unit = roles_.serves() ? timed_turn_alone() : 0;
            MPI_Barrier(world());
            sample.transfer = roles_.acts() ? timed_transfer_us() : 0;
            ARMCI_Barrier();
            release_value_++;
            MPI_Barrier(world());
            if (roles_.acts()) {
                sample.transfer_during = timed_transfer_us();
                samples_.push_back(sample.transfer_during);
                result_.route = routes_between(before, route_counts(verb));  // without the release
                release_target();
            } else if (roles_.serves()) {
                stalled = timed_turn_until_released(&sample.unit_during) ? 0 : 1;
            }
            MPI_Allreduce(MPI_IN_PLACE, &stalled, 1, MPI_INT, MPI_MAX, world());
            target_samples_.push_back(sample);
        }
        if (stalled != 0) {
            result_.status = Status::stalled;
        }
    }

    double timed_transfer_us() {
        return timed_together(iterations_) * 1e6 / static_cast<double>(iterations_);
    }

    // Seconds of a turn of the computation, with the clock looked at as often as while it waits to
    // be released.
    double timed_turn_alone() {
        using Clock = std::chrono::steady_clock;
        const auto begin = Clock::now();
        const auto end =
            begin + std::chrono::milliseconds(std::max<int64_t>(options_.min_time_ms, 1));
        int64_t turns = 0;
        auto now = begin;
        while (now < end) {
            computation_.run(kUnitsOfATurn);
            turns++;
            now = Clock::now();
        }
        return std::chrono::duration<double>(now - begin).count() / static_cast<double>(turns);
    }

    bool timed_turn_until_released(double* seconds) {
        using Clock = std::chrono::steady_clock;
        const auto begin = Clock::now();
        int64_t turns = 0;
        const bool released = bench::stay_outside_until_released(
            arena_, roles_.rank, release_value_, options_.busy_limit_s, [&] {
                computation_.run(kUnitsOfATurn);
                turns++;
            });
        const double elapsed_s = std::chrono::duration<double>(Clock::now() - begin).count();
        *seconds = elapsed_s / static_cast<double>(std::max<int64_t>(turns, 1));
        return released;
    }

    // Collective over world. Of the acting ranks the slowest counts, of the targets the mean.
    void summarize_target_samples() {
        std::vector<double> transfers;
        std::vector<double> units;
        for (const TargetSample& sample : target_samples_) {
            transfers.insert(transfers.end(), {sample.transfer, sample.transfer_during});
            units.insert(units.end(), {sample.unit, sample.unit_during});
        }
        transfers = reduce_to_rank_0(transfers, MPI_MAX, world());
        units = reduce_to_rank_0(units, MPI_SUM, world());
        for (size_t i = 0; i < target_samples_.size(); i++) {
            target_samples_[i] = {transfers[2 * i], transfers[2 * i + 1], units[2 * i],
                                  units[2 * i + 1]};
        }
        if (roles_.rank == 0) {
            result_.overlap = summarize_target(target_samples_);
        }
    }

    const Options& options_;
    const Roles& roles_;
    const Arena arena_;
    RawNetwork* const raw_;
    long release_value_ = 0;              // another one for every phase
    std::unique_ptr<Workload> workload_;  // of this series
    int64_t iterations_ = 0;              // of a sample; 0: not known yet
    std::vector<double> samples_;
    std::vector<double> shares_;  // of the samples
    std::vector<OriginSample> origin_samples_;
    std::vector<TargetSample> target_samples_;
    Computation computation_;  // of a target
    Result result_;
    mutable volatile double computed_ = 0;
};

Runner::Runner(const Options& options, const Arena& arena, RawNetwork* raw)
    : options_(options),
      arena_(arena),
      raw_(raw),
      pattern_roles_(make_pattern_roles(options)),
      contended_roles_(make_contended_roles(options)) {}

Runner::~Runner() {
    free_roles(&pattern_roles_);
    free_roles(&contended_roles_);
}

const Roles& Runner::roles_of(const Row& row) const {
    const bool everyone = is_contended(row.op) || is_collective(row.op);
    return everyone ? contended_roles_ : pattern_roles_;
}

// Memory of its own for each row, so that its result lasts while the others are measured.
Runner::Group Runner::make_group(const std::vector<Row>& rows,
                                 const std::vector<size_t>& indices) const {
    Group group;
    MemoryNeeds used;
    for (const size_t index : indices) {
        const Row& row = rows[index];
        group.push_back(std::make_unique<Measurement>(
            options_, row, roles_of(row), arena_.part(used.remote_bytes, used.local_bytes), raw_));
        used += memory_needs(row, options_);
    }
    return group;
}

void Runner::measure_series(const Group& group) {
    for (const auto& measurement : group) {
        measurement->check(series_number_++);
    }
    if (group.size() == 1) {
        group[0]->time(options_.repeat);
    } else {
        for (int64_t round = 0; round < options_.repeat; round++) {
            for (const auto& measurement : group) {
                measurement->time(1);
            }
        }
    }
    for (const auto& measurement : group) {
        measurement->check_again();
    }
}

void Runner::measure(const std::vector<Row>& rows, const std::vector<std::vector<size_t>>& groups,
                     const std::function<void(const Result&)>& report) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<Group> under_way(groups.size());
    for (int64_t series = 0; series < options_.series; series++) {
        for (size_t i = 0; i < groups.size(); i++) {
            Group& group = under_way[i];
            if (series == 0) {
                group = make_group(rows, groups[i]);
            }
            measure_series(group);
            if (series + 1 == options_.series) {
                for (const auto& measurement : group) {
                    report(measurement->finish());
                }
                group.clear();
            }
        }
        if (series == 0 && options_.series > 1 && pattern_roles_.rank == 0) {
            const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
            std::fprintf(stderr, "armci-bench: the first of %lld series took %.1f s\n",
                         static_cast<long long>(options_.series), elapsed.count());
        }
    }
}

}  // namespace armci::bench

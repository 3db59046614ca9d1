#include "armci-bench/runner.h"

#include "armci-bench/armci_api.h"
#include "armci-bench/implementation.h"
#include "armci-bench/workload.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <vector>

namespace armci::bench {

namespace {

// Has the library not pipeline while it lives, if the mode says so.
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

// One row under way. All members run on every rank, in the same order: check(), then time() as
// often as wanted, then finish().
class Measurement {
  public:
    Measurement(const Options& options, const Row& row, const Roles& roles, const Arena& part,
                RawNetwork* raw, int64_t row_number)
        : options_(options),
          roles_(roles),
          arena_(part),
          release_value_(static_cast<long>(row_number) << kReleaseBits),
          workload_(make_workload({options, row, roles, arena_, raw, row_number})) {
        result_.row = row;
        result_.actor_count = roles_.actor_count;
        result_.route = is_raw(row.op) ? raw_peer_name(options.raw_peer) : "-";
    }

    void check() {
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

    // Takes samples, unless something was wrong before. The first time it finds out first how many
    // operations make a sample.
    void time(int64_t sample_count) {
        if (result_.status == Status::ok) {
            time_phase(sample_count);
        }
    }

    Result finish() {
        if (result_.status == Status::ok) {
            summarize_samples();
            if (workload_->result_lasts()) {
                count_errors();
            }
        }
        return result_;
    }

  private:
    // Room for this many phases of one row.
    static constexpr int kReleaseBits = 32;

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
            release_busy_target();
        } else if (is_server()) {
            workload_->serve();
        } else if (is_busy()) {
            stalled = compute_until_released() ? 0 : 1;
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
            samples_.push_back(timed_together(iterations_) * 1e6 /
                               static_cast<double>(iterations_));
        }
        if (verb != Verb::other) {
            result_.route = routes_between(before, route_counts(verb));
        }
    }

    // Finds how many operations fill the wanted time. All acting ranks come to the same number.
    int64_t calibrate() {
        const double wanted_s = static_cast<double>(options_.min_time_ms) * 1e-3;
        const int64_t batch = workload_->batch_count();
        int64_t count = batch;
        for (;;) {
            // The better of two, so that a cold start or an interruption does not pass for the
            // operation's time. No clock reads below a nanosecond.
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
        // Rank 0 acts in every pattern and is the first of the acting ranks.
        std::vector<double> slowest_samples(samples_.size());
        MPI_Reduce(samples_.data(), slowest_samples.data(), static_cast<int>(samples_.size()),
                   MPI_DOUBLE, MPI_MAX, 0, roles_.actors);
        result_.iterations = iterations_;
        result_.sample_count = static_cast<int64_t>(samples_.size());
        result_.microseconds = summarize(std::move(slowest_samples));
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

    bool is_busy() const {
        return options_.target_wait == TargetWait::busy && roles_.serves() &&
               !workload_->needs_service();
    }

    void release_busy_target() {
        if (options_.target_wait != TargetWait::busy || workload_->needs_service() ||
            roles_.actor_count == roles_.rank_count) {
            return;
        }
        long value = release_value_;
        ARMCI_Put(&value, arena_.release_word(roles_.target), sizeof(value), roles_.target);
        ARMCI_Fence(roles_.target);
    }

    // Computes, without any call into ARMCI or MPI, until the word in my memory has been set from
    // outside. Returns false if that took longer than allowed.
    bool compute_until_released() const {
        using Clock = std::chrono::steady_clock;
        const std::atomic_ref<long> word(*arena_.release_word(roles_.rank));
        const auto limit = Clock::now() + std::chrono::seconds(options_.busy_limit_s);
        double number = 1;
        while (word.load(std::memory_order_acquire) != release_value_) {
            if (Clock::now() > limit) {
                return false;
            }
            for (int i = 0; i < 1000; i++) {
                number = std::sqrt(number + i);
            }
            computed_ = number;  // volatile, so that the work is really done
        }
        return true;
    }

    const Options& options_;
    const Roles& roles_;
    const Arena arena_;
    long release_value_;  // another one for every phase
    const std::unique_ptr<Workload> workload_;
    int64_t iterations_ = 0;  // of a sample; 0: not known yet
    std::vector<double> samples_;
    Result result_;
    mutable volatile double computed_ = 0;
};

}  // namespace

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
    const bool everyone = row.op == Op::fetch_add_contended || row.op == Op::barrier;
    return everyone ? contended_roles_ : pattern_roles_;
}

std::vector<Result> Runner::measure(const std::vector<Row>& rows,
                                    const std::vector<size_t>& group) {
    // Memory of its own for each row, so that its result lasts while the others are measured.
    std::vector<std::unique_ptr<Measurement>> measurements;
    MemoryNeeds used;
    for (const size_t index : group) {
        const Row& row = rows[index];
        measurements.push_back(std::make_unique<Measurement>(
            options_, row, roles_of(row), arena_.part(used.remote_bytes, used.local_bytes), raw_,
            static_cast<int64_t>(index)));
        used += memory_needs(row, options_);
    }
    for (const auto& measurement : measurements) {
        measurement->check();
    }
    if (group.size() == 1) {
        measurements[0]->time(options_.repeat);
    } else {
        for (int64_t round = 0; round < options_.repeat; round++) {
            for (const auto& measurement : measurements) {
                measurement->time(1);
            }
        }
    }
    std::vector<Result> results;
    results.reserve(measurements.size());
    for (const auto& measurement : measurements) {
        results.push_back(measurement->finish());
    }
    return results;
}

}  // namespace armci::bench

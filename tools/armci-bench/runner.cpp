#include "armci-bench/runner.h"

#include "armci-bench/armci_api.h"
#include "armci-bench/implementation.h"
#include "armci-bench/workload.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <vector>

namespace armci::bench {

namespace {

// One row under way. All members run on every rank, in the same order.
class Measurement {
  public:
    explicit Measurement(const Context& context)
        : options_(context.options),
          roles_(context.roles),
          arena_(context.arena),
          release_value_(context.row_number + 1),
          workload_(make_workload(context)) {
        result_.row = context.row;
        result_.actor_count = roles_.actor_count;
    }

    Result run() {
        check_once();
        if (result_.status == Status::ok) {
            time();
        }
        if (result_.status == Status::ok && workload_->result_lasts()) {
            count_errors();
        }
        return result_;
    }

  private:
    // -- Check --

    void check_once() {
        workload_->prepare();
        ARMCI_Barrier();
        if (roles_.acts()) {
            workload_->perform(workload_->check_count());
            dismiss_server();
        } else if (is_server()) {
            workload_->serve();
        }
        ARMCI_Barrier();
        count_errors();
    }

    void count_errors() {
        long long errors = workload_->count_errors();
        MPI_Allreduce(MPI_IN_PLACE, &errors, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
        result_.errors = errors;
        if (errors != 0) {
            result_.status = Status::wrong;
        }
    }

    // -- Time --

    void time() {
        MPI_Barrier(MPI_COMM_WORLD);
        int stalled = 0;
        if (roles_.acts()) {
            const Verb verb = verb_of(result_.row.op);
            const RouteCounts before = route_counts(verb);
            const int64_t iterations = calibrate();
            take_samples(iterations);
            result_.route = routes_between(before, route_counts(verb));
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
            MPI_Barrier(MPI_COMM_WORLD);
        }
        MPI_Allreduce(MPI_IN_PLACE, &stalled, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (stalled != 0) {
            result_.status = Status::stalled;
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

    void take_samples(int64_t iterations) {
        std::vector<double> samples(static_cast<size_t>(options_.repeat));
        for (double& sample : samples) {
            sample = timed_together(iterations) * 1e6 / static_cast<double>(iterations);
        }
        // Rank 0 acts in every pattern and is the first of the acting ranks.
        std::vector<double> slowest_samples(samples.size());
        MPI_Reduce(samples.data(), slowest_samples.data(), static_cast<int>(samples.size()),
                   MPI_DOUBLE, MPI_MAX, 0, roles_.actors);
        result_.iterations = iterations;
        result_.sample_count = options_.repeat;
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
    const Arena& arena_;
    const long release_value_;
    const std::unique_ptr<Workload> workload_;
    Result result_;
    mutable volatile double computed_ = 0;
};

}  // namespace

Runner::Runner(const Options& options, const Arena& arena)
    : options_(options),
      arena_(arena),
      pattern_roles_(make_pattern_roles(options)),
      contended_roles_(make_contended_roles(options)) {}

Runner::~Runner() {
    free_roles(&pattern_roles_);
    free_roles(&contended_roles_);
}

Result Runner::measure(const Row& row, int64_t row_number) {
    const bool everyone = row.op == Op::fetch_add_contended || row.op == Op::barrier;
    const Roles& roles = everyone ? contended_roles_ : pattern_roles_;
    return Measurement({options_, row, roles, arena_, row_number}).run();
}

}  // namespace armci::bench

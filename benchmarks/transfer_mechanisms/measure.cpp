// SPDX-License-Identifier: BSD-3-Clause
#include "measure.h"

#include "area.h"
#include "working_set.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

namespace armci::mechanisms {

namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kSetUpAreaBytes = size_t{1} << 20;
constexpr size_t kFirstTransferBytes = size_t{64} << 10;
constexpr size_t kHandOversPerSample = 256;
constexpr size_t kStreamBytesPerSample = size_t{8} << 20;
constexpr size_t kMaxStreamed = 512;
// Other phases take several readings for each of these: these are single and short.
constexpr int64_t kCacheSamples = 5;

double microseconds_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

// What a side reports to the other about set_up().
struct SetUpReport {
    double microseconds;
    Availability::Kind availability;
    std::array<char, 400> remedy;
};

class Measurement {
  public:
    Measurement(const Kind& kind, const Options& options, Pair& pair, Results* results)
        : kind_(kind),
          options_(options),
          pair_(pair),
          results_(*results),
          area_bytes_(wanted_area_bytes(options)),
          own_(area_bytes_) {}

    void run() {
        if (!time_set_up()) {
            return;
        }
        open(area_bytes_);
        rehearse();
        for (const int64_t bytes : options_.latency_sizes) {
            time_latency(static_cast<size_t>(bytes));
        }
        for (const int64_t bytes : options_.stream_sizes) {
            time_stream(static_cast<size_t>(bytes));
        }
        for (const int64_t bytes : options_.cache_sizes) {
            watch_cache(static_cast<size_t>(bytes));
        }
        close();
    }

    void block_count() {
        open(area_bytes_);
        if (!is_usable_) {
            return;
        }
        rehearse();
        for (const int64_t bytes : options_.cache_sizes) {
            count_transfers(static_cast<size_t>(bytes));
        }
        close();
    }

  private:
    // -- Phases --

    // Whether the mechanism can be used here.
    bool time_set_up() {
        std::vector<double> set_up;
        std::vector<double> first;
        std::vector<double> tear_down;
        Row row = new_row(Phase::set_up, kFirstTransferBytes);
        for (int64_t i = 0; i < options_.repeat; i++) {
            set_up.push_back(open(kSetUpAreaBytes));
            if (!is_usable_) {
                return false;
            }
            const Places places{0, 1, kFirstTransferBytes};
            first.push_back(checked_sample(places, 1, &row.wrong_words));
            tear_down.push_back(close());
        }
        row.sample_count = set_up.size();
        row.iterations = 1;
        row.microseconds = tools::summarize(set_up);
        row.first_us = tools::summarize(first).median;
        row.tear_down_us = tools::summarize(tear_down).median;
        store(row);
        return true;
    }

    double open(size_t bytes) {
        mechanism_ = kind_.make(kind_, options_.sizes);
        pair_.barrier();
        const auto begin = Clock::now();
        const Availability availability = mechanism_->set_up(pair_, own_.start(), bytes, &area_);
        SetUpReport mine{microseconds_since(begin), availability.kind, {}};
        std::snprintf(mine.remedy.data(), mine.remedy.size(), "%s", availability.remedy.c_str());
        const SetUpReport theirs = pair_.exchange(mine);
        for (const SetUpReport& report : {mine, theirs}) {
            if (report.availability != Availability::Kind::usable) {
                is_usable_ = false;
                if (pair_.is_source()) {
                    results_.availability = report.availability;
                    results_.remedy = report.remedy;
                }
            }
        }
        if (is_usable_ && pair_.is_source()) {
            fill(area_, bytes);
        }
        cursor_ = 0;
        return std::max(mine.microseconds, theirs.microseconds);
    }

    double close() {
        barrier();
        const auto begin = Clock::now();
        mechanism_->tear_down();
        const double mine = microseconds_since(begin);
        mechanism_.reset();
        return std::max(mine, pair_.exchange(mine));
    }

    // Moves the whole area once, so that no page is accessed for the first time during
    // measurements.
    void rehearse() {
        const Places everywhere{0, 1, area_bytes_ - Places::step(0)};
        size_t wrong_words = 0;
        checked_sample(everywhere, 1, &wrong_words);
        if (wrong_words > 0) {
            pair_.fail("wrong data", 0);
        }
    }

    void time_latency(size_t bytes) {
        time_transfers(Phase::latency, bytes, kHandOversPerSample, 1);
    }

    void time_stream(size_t bytes) {
        const size_t count = std::clamp<size_t>(kStreamBytesPerSample / bytes, 2, kMaxStreamed);
        time_transfers(Phase::stream, bytes, count, count);
    }

    void watch_cache(size_t bytes) {
        const WorkingSet working_set(static_cast<size_t>(options_.working_set_bytes));
        const MissCounter counter;
        Row row = new_row(Phase::cache, bytes);
        std::vector<double> transfer_us;
        // Of this side: read again at once, and after a transfer.
        std::array<std::vector<double>, 2> reading_us;
        std::array<std::vector<double>, 2> misses;
        for (int64_t i = 0; i < options_.repeat * kCacheSamples; i++) {
            for (const bool moves : {false, true}) {
                const Places places = moves ? next_places(bytes, 1) : Places{};
                clear_if_destination(places);
                warm_together(working_set);
                if (moves) {
                    transfer_us.push_back(hand_over_all(places, 1));
                    barrier();
                }
                const long long misses_before = counter.value();
                reading_us[moves].push_back(working_set.timed_reading_us());
                misses[moves].push_back(static_cast<double>(counter.value() - misses_before));
                barrier();
                if (moves) {
                    row.wrong_words += check(places);
                }
            }
        }
        CacheImpact mine;
        mine.slowdown = median(reading_us[1]) / median(reading_us[0]);
        mine.misses = counter.is_available() ? median(misses[1]) - median(misses[0]) : -1;
        row.cache[index_of(pair_.side())] = mine;
        row.cache[index_of(other(pair_.side()))] = pair_.exchange(mine);
        row.sample_count = transfer_us.size();
        row.iterations = 1;
        row.microseconds = tools::summarize(transfer_us);
        store(row);
    }

    void count_transfers(size_t bytes) {
        const WorkingSet working_set(static_cast<size_t>(options_.working_set_bytes));
        Row row = new_row(Phase::cache, bytes);
        std::vector<double> transfer_us;
        for (int64_t i = 0; i < options_.count; i++) {
            const Places places = next_places(bytes, 1);
            clear_if_destination(places);
            warm_together(working_set);
            transfer_us.push_back(hand_over_all(places, 1));
            barrier();
            working_set.read_again();
            row.wrong_words += check(places);
        }
        row.sample_count = transfer_us.size();
        row.iterations = 1;
        row.microseconds = tools::summarize(transfer_us);
        store(row);
    }

    // -- Their parts --

    static size_t wanted_area_bytes(const Options& options) {
        size_t max = 0;
        for (const auto* sizes :
             {&options.latency_sizes, &options.stream_sizes, &options.cache_sizes}) {
            for (const int64_t bytes : *sizes) {
                max = std::max(max, static_cast<size_t>(bytes));
            }
        }
        return (std::max(options.min_area_bytes, 2 * Places::step(max)) + 4095) / 4096 * 4096;
    }

    static double median(const std::vector<double>& samples) {
        return tools::summarize(samples).median;
    }

    static Row new_row(Phase phase, size_t bytes) {
        Row row{};
        row.phase = phase;
        row.bytes = bytes;
        return row;
    }

    bool acts() const { return works(kind_.worker, pair_.side()); }

    void barrier() {
        pair_.barrier([this] { mechanism_->progress(); });
    }

    // A side that waited long before the transfer might have lost its processor, and the cache with
    // it, to another program.
    void warm_together(const WorkingSet& working_set) {
        barrier();
        working_set.warm();
        barrier();
    }

    void time_transfers(Phase phase, size_t bytes, size_t count, size_t together) {
        Row row = new_row(phase, bytes);
        std::vector<double> samples;
        for (int64_t i = 0; i < options_.repeat; i++) {
            const Places places = next_places(bytes, count);
            row.iterations = places.count;
            samples.push_back(checked_sample(places, together, &row.wrong_words) /
                              static_cast<double>(places.count));
        }
        row.sample_count = samples.size();
        row.microseconds = tools::summarize(samples);
        store(row);
    }

    // The places after those used last, at most as many as there are. The same on both sides.
    Places next_places(size_t bytes, size_t count) {
        const size_t step = Places::step(bytes);
        count = std::min(count, area_bytes_ / step);
        if (cursor_ + count * step > area_bytes_) {
            cursor_ = 0;
        }
        const Places places{cursor_, count, bytes};
        cursor_ += count * step;
        return places;
    }

    void clear_if_destination(const Places& places) {
        if (!pair_.is_source()) {
            clear(area_, places);
        }
    }

    // Words that are wrong at the destination, on both sides.
    size_t check(const Places& places) {
        const bool checks = !pair_.is_source() && kind_.moves_data;
        const size_t mine = checks ? count_wrong_words(area_, places) : 0;
        return std::max(mine, pair_.exchange(mine));
    }

    double checked_sample(const Places& places, size_t together, size_t* wrong_words) {
        clear_if_destination(places);
        barrier();
        const double elapsed_us = hand_over_all(places, together);
        barrier();
        *wrong_words += check(places);
        return elapsed_us;
    }

    // Moves the data of all places, `together` of them at a time. The source's time counts: it ends
    // when the source knows that the destination has everything.
    double hand_over_all(const Places& places, size_t together) {
        const auto progress = [this] { mechanism_->progress(); };
        const auto begin = Clock::now();
        for (size_t first = 0; first < places.count; first += together) {
            const size_t end = std::min(first + together, places.count);
            if (pair_.is_source()) {
                move(places, first, end);
                pair_.set_ready();
                pair_.wait_until_done(progress);
            } else if (kind_.worker == Worker::both) {
                move(places, first, end);
                pair_.wait_until_ready(progress);
                pair_.set_done();
            } else {
                pair_.wait_until_ready(progress);
                move(places, first, end);
                pair_.set_done();
            }
        }
        return microseconds_since(begin);
    }

    void move(const Places& places, size_t first, size_t end) {
        if (acts()) {
            for (size_t number = first; number < end; number++) {
                mechanism_->act(places.offset(number), places.bytes);
            }
            mechanism_->complete();
        }
    }

    void store(const Row& row) {
        if (pair_.is_source()) {
            const size_t number = results_.row_count.load(std::memory_order_relaxed);
            results_.rows[number] = row;
            results_.row_count.store(number + 1, std::memory_order_release);
        }
    }

    const Kind& kind_;
    const Options& options_;
    Pair& pair_;
    Results& results_;
    const size_t area_bytes_;
    const PrivateMemory own_;
    char* area_ = nullptr;
    std::unique_ptr<Mechanism> mechanism_;
    bool is_usable_ = true;
    size_t cursor_ = 0;
};

}  // namespace

size_t row_count(const Options& options) {
    return 1 + options.latency_sizes.size() + options.stream_sizes.size() +
           options.cache_sizes.size();
}

void measure(const Kind& kind, const Options& options, Pair& pair, Results* results) {
    pair.meet();
    Measurement measurement(kind, options, pair, results);
    options.count > 0 ? measurement.block_count() : measurement.run();
}

}  // namespace armci::mechanisms

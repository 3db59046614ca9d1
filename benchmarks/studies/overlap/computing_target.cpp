// SPDX-License-Identifier: BSD-3-Clause
// What transfers cost a target that computes: time, and misses of its cache. overlap.py runs it
// with nobody, a thread, or a copy engine making the target's side of the transfers.
// docs/references.md: Gangadharappa
//
//   mpiexec -n 2 computing_target put|get|acc BYTES ROUNDS WORKING_SET
//
// In a round the target computes, and the origin completes one operation with it; then both meet in
// ARMCI_Barrier. Rounds without and with an operation take turns; with ROUNDS below 0, all are with
// one (or without, for 0 BYTES), so that a simulator of caches sees no others. Prints one line:
//   target PID alone_us NUMBER during_us NUMBER round_us NUMBER misses_alone N misses_during N
//   COUNTER
// with medians over the rounds. COUNTER says what the misses are, or why there are none (-1).
#include <linux/perf_event.h>
#include <mpi.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "armci/armci.h"

// Simulators of caches report by function, so it has a name of its own.
extern "C" [[gnu::noinline]] double computing_target_compute(double* values, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; ++i) {
        values[i] = values[i] * 0.999 + 0.001;
        sum += values[i];
    }
    return sum;
}

namespace {

using Clock = std::chrono::steady_clock;

double us_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

// Counts the misses of the last-level cache that this thread meets outside the kernel.
class MissCounter {
  public:
    MissCounter() {
        perf_event_attr wanted{};
        wanted.size = sizeof wanted;
        wanted.type = PERF_TYPE_HARDWARE;
        wanted.config = PERF_COUNT_HW_CACHE_MISSES;
        wanted.disabled = 1;
        wanted.exclude_kernel = 1;
        fd_ = static_cast<int>(syscall(SYS_perf_event_open, &wanted, 0, -1, -1, 0));
        state_ = fd_ >= 0 ? "last-level misses by perf_event_open"
                          : std::string("not available: perf_event_open: ") + std::strerror(errno);
    }
    ~MissCounter() {
        if (fd_ >= 0) {
            close(fd_);
        }
    }
    MissCounter(const MissCounter&) = delete;
    MissCounter& operator=(const MissCounter&) = delete;

    const std::string& state() const { return state_; }
    void start() const {
        if (fd_ >= 0) {
            ioctl(fd_, PERF_EVENT_IOC_RESET, 0);
            ioctl(fd_, PERF_EVENT_IOC_ENABLE, 0);
        }
    }
    double stop() const {
        uint64_t misses = 0;
        if (fd_ < 0 || ioctl(fd_, PERF_EVENT_IOC_DISABLE, 0) != 0 ||
            read(fd_, &misses, sizeof misses) != ssize_t{sizeof misses}) {
            return -1;
        }
        return static_cast<double>(misses);
    }

  private:
    int fd_ = -1;
    std::string state_;
};

struct Settings {
    std::string operation;
    int bytes = 0;
    int rounds = 0;
    bool takes_turns = true;
    size_t working_set = 0;
};

struct Samples {
    std::vector<double> compute_us;
    std::vector<double> round_us;
    std::vector<double> misses;
};

double median(std::vector<double> values) {
    if (values.empty()) {
        return -1;
    }
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void transfer(const Settings& settings, void* local, void* remote) {
    double one = 1;
    if (settings.operation == "put") {
        ARMCI_Put(local, remote, settings.bytes, 1);
    } else if (settings.operation == "get") {
        ARMCI_Get(remote, local, settings.bytes, 1);
    } else {
        void* sources[] = {local};
        void* targets[] = {remote};
        armci_giov_t vector = {sources, targets, settings.bytes, 1};
        ARMCI_AccV(ARMCI_ACC_DBL, &one, &vector, 1, 1);
    }
    ARMCI_Fence(1);
}

// A computation of some milliseconds: longer than a transfer, so that it can be hidden.
constexpr int kPasses = 200;

void compute(const MissCounter& counter, std::vector<double>& values, Samples* samples) {
    const auto begin = Clock::now();
    counter.start();
    double sum = 0;
    for (int pass = 0; pass < kPasses; ++pass) {
        sum += computing_target_compute(values.data(), values.size());
    }
    const double misses = counter.stop();
    samples->compute_us.push_back(us_since(begin));
    samples->misses.push_back(misses);
    if (sum == 1e300) {  // never; the compiler must not know
        std::puts("");
    }
}

void run(const Settings& settings, int rank) {
    const size_t bytes = static_cast<size_t>(std::max(settings.bytes, 8));
    void* memory[2] = {};
    if (ARMCI_Malloc(memory, static_cast<armci_size_t>(bytes)) != 0) {
        ARMCI_Error("computing_target: no memory", 1);
    }
    std::memset(memory[rank], 0, bytes);
    std::vector<double> local(bytes / sizeof(double) + 1);
    std::vector<double> values(settings.working_set / sizeof(double), 1.0);
    const MissCounter counter;
    Samples samples[2];  // without and with an operation
    for (int round = 0; round < settings.rounds; ++round) {
        const bool transfers = settings.bytes > 0 && (!settings.takes_turns || round % 2 != 0);
        ARMCI_Barrier();
        const auto begin = Clock::now();
        if (rank == 1) {
            compute(counter, values, &samples[transfers ? 1 : 0]);
        } else if (transfers) {
            transfer(settings, local.data(), memory[1]);
        }
        ARMCI_Barrier();
        samples[transfers ? 1 : 0].round_us.push_back(us_since(begin));
    }
    if (rank == 1) {
        std::printf(
            "target %d alone_us %.1f during_us %.1f round_us %.1f misses_alone %.0f "
            "misses_during %.0f %s\n",
            static_cast<int>(getpid()), median(samples[0].compute_us),
            median(samples[1].compute_us), median(samples[1].round_us), median(samples[0].misses),
            median(samples[1].misses), counter.state().c_str());
        std::fflush(stdout);
    }
    ARMCI_Barrier();
    ARMCI_Free(memory[rank]);
}

bool parse(int argc, char** argv, Settings* settings) {
    if (argc != 5) {
        return false;
    }
    settings->operation = argv[1];
    settings->bytes = std::atoi(argv[2]);
    const int rounds = std::atoi(argv[3]);
    settings->takes_turns = rounds > 0;
    settings->rounds = std::abs(rounds);
    settings->working_set = static_cast<size_t>(std::atoll(argv[4]));
    return (settings->operation == "put" || settings->operation == "get" ||
            settings->operation == "acc") &&
           settings->bytes >= 0 && settings->bytes % 8 == 0 && rounds != 0 &&
           settings->working_set >= sizeof(double);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    Settings settings;
    if (!parse(argc, argv, &settings) || size != 2) {
        if (rank == 0) {
            std::fprintf(stderr,
                         "usage: mpiexec -n 2 computing_target put|get|acc BYTES ROUNDS "
                         "WORKING_SET, with BYTES a multiple of 8 and ROUNDS not 0\n");
        }
        MPI_Finalize();
        return 2;
    }
    ARMCI_Init();
    run(settings, rank);
    ARMCI_Finalize();
    MPI_Finalize();
    return 0;
}

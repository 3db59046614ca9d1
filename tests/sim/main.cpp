// SPDX-License-Identifier: BSD-3-Clause
// Runs the library through random schedules of a simulated network, and checks every byte.
//
//   armci_sim --seeds N [--first S]    the schedules of N seeds, from S on (1)
//   armci_sim --seed S [--trace]       one; every event is printed
//   armci_sim --sabotage               networks that break their promises: each must be found out
//   ... --twin NAME[@VERSION] | all    on the terms of a real provider (twins/twin.h)
//   armci_sim --list                   names and versions of these
//
// Ends with status 0 when nothing was violated. How to read a failure: README.md.
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "child_process.h"
#include "job.h"
#include "plan.h"
#include "program.h"
#include "simulation.h"
#include "stderr_capture.h"

namespace armci::sim {
namespace {

struct Options {
    uint64_t first = 1;
    uint64_t count = 0;
    bool one = false;
    bool trace = false;
    bool sabotage = false;
    std::vector<const Twin*> twins = {nullptr};  // nullptr: random terms
};

struct Totals {
    uint64_t runs = 0;
    uint64_t deaths = 0;      // of a process
    uint64_t reported = 0;    // of these: the job ended with a message that names the peer
    uint64_t undetected = 0;  // no rank needed the failed process any more
    int64_t steps = 0;
};

void say_seed(int signal) {
    const char* text = replay_hint();
    const char head[] = "armci_sim: a crash; replay with: ";
    if (write(STDERR_FILENO, head, sizeof head - 1) < 0 ||
        write(STDERR_FILENO, text, std::strlen(text)) < 0 || write(STDERR_FILENO, "\n", 1) < 0) {
        _exit(kViolationStatus);
    }
    raise(signal);  // now with its default action
}

void watch_for_crashes() {
    static char stack[64 << 10];
    stack_t alternate{};
    alternate.ss_sp = stack;
    alternate.ss_size = sizeof stack;
    sigaltstack(&alternate, nullptr);
    struct sigaction action {};
    action.sa_handler = say_seed;
    action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL}) {
        sigaction(signal, &action, nullptr);
    }
}

// The library ends the job: an error, unless a process has died.
constexpr int kFatalStatus = 1;
void on_fatal(int) {
    std::fflush(stdout);
    std::fprintf(stderr, "  the library ended the job at step %lld; replay with: %s\n",
                 static_cast<long long>(step()), replay_hint());
    std::fflush(stderr);
    _exit(kFatalStatus);
}

void run_plan(const Plan& plan) {
    Job job(plan);
    Program program(job);
    job.run([&](int rank) { program.run(rank); }, [&] { program.watch_mutexes(); });
    if (!job.has_died(plan.victim)) {
        job.check_nothing_is_left();
    }
}

// In a child process, because the library ends the process.
bool run_with_death(const Plan& plan, Totals* totals) {
    std::string text;
    int status = 0;
    {
        const test::StderrCapture captured;
        status = test::ChildProcess([&] {
                     run_plan(plan);
                     return 0;
                 }).wait();
        text = captured.text();
    }
    ++totals->deaths;
    if (status == kUndetectedStatus) {
        ++totals->undetected;
        return true;
    }
    int node = 0;
    for (int rank = plan.victim; (rank -= plan.ranks_of_node[static_cast<size_t>(node)]) >= 0;) {
        ++node;
    }
    const std::string by_node = "with node " + std::to_string(node) + " failed";
    const std::string by_rank = "with rank " + std::to_string(plan.victim) + " failed";
    if (status == kFatalStatus &&
        (text.find(by_node) != std::string::npos || text.find(by_rank) != std::string::npos)) {
        ++totals->reported;
        return true;
    }
    if (status != 0) {
        std::fprintf(stderr,
                     "%sarmci_sim: seed %llu: rank %d of node %d died, and that is how the "
                     "job ended (status %d)\n  replay with: %s\n",
                     text.c_str(), static_cast<unsigned long long>(seed()), plan.victim, node,
                     status, replay_hint());
    }
    return status == 0;  // the scheduled death came after the end
}

// Returns the hash of all events. Ends the program when a rule was violated.
uint64_t run_seed(const Twin* twin, uint64_t seed, bool trace, Totals* totals) {
    begin_run(seed, trace, twin != nullptr ? twin->full_name() : "");
    const Plan plan = draw_plan(twin);
    if (trace) {
        std::printf("%s\n", describe(plan).c_str());
    }
    ++totals->runs;
    if (plan.victim >= 0 && !trace) {
        if (!run_with_death(plan, totals)) {
            std::exit(kViolationStatus);
        }
        return 0;
    }
    run_plan(plan);
    totals->steps += step();
    return event_hash();
}

void run_seeds(const Options& options, const Twin* twin) {
    constexpr uint64_t kRepeated = 50;  // one of so many seeds runs twice
    Totals totals;
    for (uint64_t seed = options.first; seed < options.first + options.count; ++seed) {
        const uint64_t hash = run_seed(twin, seed, options.trace, &totals);
        if (seed % kRepeated == 0 && run_seed(twin, seed, false, &totals) != hash) {
            violation("a second run of the same seed had other events");
        }
        if (options.one) {
            std::printf("seed %llu: %lld steps, hash %016llx\n",
                        static_cast<unsigned long long>(seed), static_cast<long long>(step()),
                        static_cast<unsigned long long>(hash));
        }
    }
    constexpr uint64_t kEnoughDeaths = 50;
    if (totals.deaths >= kEnoughDeaths && totals.reported == 0) {
        violation("a process died in %llu schedules, and no job ended with a message about it",
                  static_cast<unsigned long long>(totals.deaths));
    }
    if (!options.one) {
        std::printf(
            "%s%s%llu schedules, %lld steps; a process died in %llu of them: %llu ended with a "
            "message about it, in %llu no rank needed it again\n",
            twin != nullptr ? twin->full_name().c_str() : "", twin != nullptr ? ": " : "",
            static_cast<unsigned long long>(totals.runs), static_cast<long long>(totals.steps),
            static_cast<unsigned long long>(totals.deaths),
            static_cast<unsigned long long>(totals.reported),
            static_cast<unsigned long long>(totals.undetected));
        std::fflush(stdout);
    }
}

// Makes the program depend on the promised order of writes and messages.
void rely_on_order(Plan* plan) {
    ProviderPlan& provider = plan->provider;
    provider.message_order |= FI_ORDER_SAW | FI_ORDER_WAW | FI_ORDER_RMA_WAW;
    provider.ordered_bytes = size_t{1} << 30;
    provider.rma = true;
    provider.failed_registrations = 0;
    provider.delays = 300;
    provider.longest_delay = 500;
    plan->use_ordering = true;
    plan->route = base::RouteChoice::rma;
}

// Within so many seeds a network that breaks a promise must be found, and one that keeps all must
// pass.
constexpr uint64_t kMaxSeeds = 100;

// The step at which a process ends without the network reporting it.
constexpr int64_t kDiesAt = 2000;

// Whether a run on such a network fails, in a child process. Its output is shown only when it ends
// in an unexpected way.
bool is_found_out(uint64_t seed, Sabotage sabotage, bool relies_on_order) {
    std::string text;
    int status = 0;
    {
        const test::StderrCapture captured;
        status = test::ChildProcess([&] {
                     begin_run(seed, false, "");
                     Plan plan = draw_plan(nullptr);
                     plan.victim = -1;
                     plan.provider.sabotage = sabotage;
                     if (sabotage == Sabotage::unreported_death) {
                         plan.victim = plan.rank_count() - 1;
                         plan.dies_at = kDiesAt;
                     }
                     if (relies_on_order) {
                         rely_on_order(&plan);
                     }
                     run_plan(plan);
                     return 0;
                 }).wait();
        text = captured.text();
    }
    const bool is_found = status == kViolationStatus || status == kFatalStatus;
    const bool has_passed = status == 0 || status == kUndetectedStatus;
    if (is_found ? sabotage == Sabotage::none : !has_passed) {
        std::fprintf(stderr, "%sarmci_sim: seed %llu with sabotage %d ended with status %d\n",
                     text.c_str(), static_cast<unsigned long long>(seed),
                     static_cast<int>(sabotage), status);
        std::exit(kViolationStatus);
    }
    return is_found;
}

// The number of seeds until a network with this fault is found; 0 if it is not found.
uint64_t seeds_to_find(Sabotage sabotage) {
    for (uint64_t seed = 1; seed <= kMaxSeeds; ++seed) {
        if (is_found_out(seed, sabotage, sabotage == Sabotage::overtaking)) {
            return seed;
        }
    }
    return 0;
}

int run_sabotages() {
    for (uint64_t seed = 1; seed <= kMaxSeeds; ++seed) {
        is_found_out(seed, Sabotage::none, false);
        is_found_out(seed, Sabotage::none, true);
    }
    constexpr struct {
        Sabotage kind;
        const char* name;
    } kSabotages[] = {
        {Sabotage::lost_message, "lost message"},
        {Sabotage::repeated_message, "repeated message"},
        {Sabotage::lost_completion, "lost completion"},
        {Sabotage::early_completion, "early completion"},
        {Sabotage::early_immediate, "early immediate data"},
        {Sabotage::overtaking, "overtaking"},
        {Sabotage::wrong_byte, "wrong byte"},
        {Sabotage::stale_read, "stale read"},
        {Sabotage::early_end, "early end"},
        {Sabotage::unreported_death, "unreported death"},
    };
    int status = 0;
    for (const auto& [kind, name] : kSabotages) {
        const uint64_t seeds = seeds_to_find(kind);
        if (seeds == 0) {
            std::printf("%-20s not found\n", name);
            status = kViolationStatus;
        } else {
            std::printf("%-20s found by seed %llu\n", name, static_cast<unsigned long long>(seeds));
        }
        std::fflush(stdout);
    }
    return status;
}

[[noreturn]] void usage(std::FILE* out = stderr, int status = 2) {
    std::fputs(
        "usage: armci_sim [--twin NAME[@VERSION] | --twin all] --seeds N [--first S]\n"
        "       armci_sim [--twin NAME@VERSION] --seed S [--trace]\n"
        "       armci_sim --sabotage | --list\n",
        out);
    std::exit(status);
}

uint64_t parse_number(const char* text) {
    char* end = nullptr;
    const uint64_t number = text != nullptr ? std::strtoull(text, &end, 10) : 0;
    if (text == nullptr || end == text || *end != '\0') {
        usage();
    }
    return number;
}

Options parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--seeds") {
            options.count = parse_number(argv[++i]);
        } else if (word == "--first") {
            options.first = parse_number(argv[++i]);
        } else if (word == "--seed") {
            options.first = parse_number(argv[++i]);
            options.count = 1;
            options.one = true;
        } else if (word == "--trace") {
            options.trace = true;
        } else if (word == "--sabotage") {
            options.sabotage = true;
        } else if (word == "--twin") {
            options.twins = find_twins(argv[i + 1] != nullptr ? argv[++i] : "");
            if (options.twins.empty()) {
                std::fprintf(stderr, "armci_sim: no such twin; --list names them\n");
                usage();
            }
        } else if (word == "--list") {
            for (const Twin& twin : all_twins()) {
                std::printf("%s\n", twin.full_name().c_str());
            }
            std::exit(0);
        } else if (word == "--help" || word == "-h") {
            usage(stdout, 0);
        } else {
            usage();
        }
    }
    if (!options.sabotage && options.count == 0) {
        usage();
    }
    return options;
}

}  // namespace
}  // namespace armci::sim

int main(int argc, char** argv) {
    using namespace armci::sim;
    const Options options = parse(argc, argv);
    armci::base::set_log_level(armci::base::LogLevel::error);
    armci::base::set_abort_hook(on_fatal);
    watch_for_crashes();
    if (options.sabotage) {
        return run_sabotages();
    }
    for (const Twin* twin : options.twins) {
        run_seeds(options, twin);
    }
    return 0;
}

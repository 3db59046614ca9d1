// SPDX-License-Identifier: BSD-3-Clause
// Runs the library through random schedules of a simulated network, and checks every byte.
//
//   armci_sim --seeds N [--first S]    the schedules of N seeds, from S on (1)
//   armci_sim --seed S [--trace]       one; every event is printed
//   armci_sim --sabotage               networks that break their promises: each must be found out
//   ... --twin NAME[@VERSION] | all    on the terms of a real provider (twins/twin.h)
//   armci_sim --twin ... --clients N   counts the memory of a data server with so many clients
//   armci_sim --list                   names and versions of these
//
// Ends with status 0 when nothing was violated. How to read a failure: README.md.
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "child_process.h"
#include "clients.h"
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
    int clients = 0;
    std::vector<const Twin*> twins = {nullptr};  // nullptr: random terms
};

struct Totals {
    uint64_t runs = 0;
    uint64_t failures = 0;          // of a process
    uint64_t reported = 0;          // of these: the job ended with a message that names it
    uint64_t undetected = 0;        // no rank needed the failed process any more
    uint64_t refused_starts = 0;    // by the provider or the system
    uint64_t explained_starts = 0;  // of these: the job ended with a message that says what to do
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

void run_plan(const Plan& plan) {
    Job job(plan);
    std::vector<std::unique_ptr<Program>> programs;
    for (int life = 0; life < plan.lives; ++life) {
        programs.push_back(std::make_unique<Program>(job, life));
    }
    job.run([&](int rank, int life) { programs[static_cast<size_t>(life)]->run(rank); },
            [&] {
                for (const auto& program : programs) {
                    program->watch_mutexes();
                }
            });
}

int node_of(const Plan& plan, int rank) {
    int node = 0;
    for (int left = rank; (left -= plan.ranks_of_node[static_cast<size_t>(node)]) >= 0;) {
        ++node;
    }
    return node;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

size_t occurrences(const std::string& text, const std::string& part) {
    size_t count = 0;
    for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) {
        ++count;
    }
    return count;
}

// What the messages of a job say that could not start: the call, and what the user can do.
bool explains_start(const Plan& plan, const std::string& text) {
    if (plan.thread_refused_to >= 0 && contains(text, "ulimit -u")) {
        return true;
    }
    const char* const kCalls[] = {"",
                                  "no network between the nodes",
                                  "fi_domain",
                                  "fi_av_open",
                                  "fi_cq_open",
                                  "fi_endpoint",
                                  "fi_enable",
                                  "fi_mr_reg",
                                  "fi_av_insert"};
    const StartCall call = plan.provider.refusal.call;
    const bool names_call =
        contains(text, kCalls[static_cast<size_t>(call)]) ||
        (call == StartCall::information && contains(text, "rank 0 chose provider"));
    return call != StartCall::none && names_call && contains(text, "ARMCI_PROVIDER");
}

// What the watches say of a failure: the rank that has failed, once on a node, before any process
// ends. Returns what is wrong, or nullptr.
const char* wrong_report(const Plan& plan, const std::string& text) {
    const size_t first_end = text.find(" ends by itself");
    const size_t reports = occurrences(text, " has failed: ");
    if (contains(text, "libfabric ")) {
        return "an error of the network was reported, and not the failed process";
    }
    if (plan.failure == Failure::error) {
        return !contains(text, "an error of the program") ? "the error was not reported"
               : reports > 0 ? "the process that reported an error counts as failed"
                             : nullptr;
    }
    if (reports == 0 || text.find(" has failed: ") > first_end) {
        return "a process ended before the failure was reported";
    }
    if (reports > plan.ranks_of_node.size()) {
        return "a node has reported the failure twice";
    }
    const std::string name = "rank " + std::to_string(plan.victim) + " (process ";
    if (plan.failure != Failure::cut && occurrences(text, name) != reports) {
        return "another process was reported than has failed";
    }
    return nullptr;
}

enum class Output : bool { hidden, shown };

// In a child process, because the library ends the process. Returns false if a rule was violated.
bool run_in_child(const Plan& plan, Totals* totals, Output output) {
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
    const bool is_failure = plan.failure != Failure::none;
    totals->failures += is_failure ? 1 : 0;
    totals->refused_starts += plan.start_fails() ? 1 : 0;
    if (status == 0) {
        return true;  // the failure came after the end, or is none; or what was refused is optional
    }
    if (is_failure && status == kUndetectedStatus) {
        ++totals->undetected;
        return true;
    }
    const char* wrong = nullptr;
    if (status == kFatalStatus && is_failure && plan.watches) {
        wrong = wrong_report(plan, text);
    } else if (status == kFatalStatus && is_failure) {
        const std::string node = std::to_string(node_of(plan, plan.victim));
        const bool is_named = contains(text, "with node " + node + " (rank ") ||
                              contains(text, "with rank " + std::to_string(plan.victim) + " (on ");
        wrong = is_named ? nullptr : "no message names the process or its node";
    } else if (status == kFatalStatus) {
        wrong = !explains_start(plan, text) ? "the message does not say what to do"
                : contains(text, " has failed: ")
                    ? "a process that said why it ends the job counts as failed"
                    : nullptr;
    } else {
        wrong = "a rule was violated";
    }
    if (wrong != nullptr && output == Output::hidden) {
        return false;
    }
    if (wrong != nullptr) {
        std::fprintf(stderr, "%sarmci_sim: seed %llu: %s (status %d)\n%s\n  replay with: %s\n",
                     text.c_str(), static_cast<unsigned long long>(seed()), wrong, status,
                     describe(plan).c_str(), replay_hint());
        return false;
    }
    totals->reported += is_failure ? 1 : 0;
    totals->explained_starts += is_failure ? 0 : 1;
    return true;
}

// Returns the hash of all events. Ends the program when a rule was violated.
uint64_t run_seed(const Twin* twin, uint64_t seed, bool trace, Totals* totals) {
    begin_run(seed, trace, twin != nullptr ? twin->full_name() : "");
    const Plan plan = draw_plan(twin);
    if (trace) {
        std::printf("%s\n", describe(plan).c_str());
    }
    ++totals->runs;
    if ((plan.failure != Failure::none || plan.start_fails()) && !trace) {
        if (!run_in_child(plan, totals, Output::shown)) {
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
    constexpr uint64_t kEnoughFailures = 50;
    if (totals.failures >= kEnoughFailures && totals.reported == 0) {
        violation("a process failed in %llu schedules, and no job ended with a message about it",
                  static_cast<unsigned long long>(totals.failures));
    }
    if (!options.one) {
        std::printf(
            "%s%s%llu schedules, %lld steps; a process failed in %llu of them: %llu ended with a "
            "message about it, in %llu no rank needed it again; %llu starts were refused, and %llu "
            "of these jobs ended\n",
            twin != nullptr ? twin->full_name().c_str() : "", twin != nullptr ? ": " : "",
            static_cast<unsigned long long>(totals.runs), static_cast<long long>(totals.steps),
            static_cast<unsigned long long>(totals.failures),
            static_cast<unsigned long long>(totals.reported),
            static_cast<unsigned long long>(totals.undetected),
            static_cast<unsigned long long>(totals.refused_starts),
            static_cast<unsigned long long>(totals.explained_starts));
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
constexpr int64_t kDiesAt = 6000;

// A plan in which only the sabotage can make the run fail.
Plan sabotaged_plan(Sabotage sabotage, bool relies_on_order) {
    Plan plan = draw_plan(nullptr);
    plan.failure = Failure::none;
    plan.provider.refusal = {};
    plan.thread_refused_to = -1;
    plan.provider.sabotage = sabotage;
    if (sabotage == Sabotage::unreported_death) {
        plan.watches = false;
        plan.watch_weight = 0;
        plan.failure = Failure::death;
        plan.victim = plan.rank_count() - 1;
        plan.fails_at = kDiesAt;
    }
    if (relies_on_order) {
        rely_on_order(&plan);
    }
    return plan;
}

// Whether a run on such a network fails, in a child process. Its output is shown only when it ends
// in an unexpected way.
bool is_found_out(uint64_t seed, Sabotage sabotage, bool relies_on_order) {
    std::string text;
    int status = 0;
    {
        const test::StderrCapture captured;
        status = test::ChildProcess([&] {
                     begin_run(seed, false, "");
                     run_plan(sabotaged_plan(sabotage, relies_on_order));
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

// The number of seeds until a system is found out that loses notes of the watches, or does not tell
// the end of a process; 0 if it is not found. Without the sabotage the same runs must pass.
uint64_t seeds_to_find_in_streams(bool StreamPlan::*sabotage) {
    for (uint64_t seed = 1; seed <= kMaxSeeds; ++seed) {
        begin_run(seed, false, "");
        Plan plan = sabotaged_plan(Sabotage::none, false);
        plan.watches = true;
        plan.watch_weight = 1;
        plan.failure = Failure::death;
        plan.victim = plan.rank_count() - 1;
        plan.fails_at = kDiesAt;
        Totals totals;
        if (!run_in_child(plan, &totals, Output::shown)) {
            std::exit(kViolationStatus);
        }
        plan.streams.*sabotage = true;
        if (!run_in_child(plan, &totals, Output::hidden)) {
            return seed;
        }
    }
    return 0;
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
    const auto report = [&status](const char* name, uint64_t seeds) {
        if (seeds == 0) {
            std::printf("%-20s not found\n", name);
            status = kViolationStatus;
        } else {
            std::printf("%-20s found by seed %llu\n", name, static_cast<unsigned long long>(seeds));
        }
        std::fflush(stdout);
    };
    for (const auto& [kind, name] : kSabotages) {
        report(name, seeds_to_find(kind));
    }
    report("lost note", seeds_to_find_in_streams(&StreamPlan::loses_notes));
    report("hidden end", seeds_to_find_in_streams(&StreamPlan::hides_ends));
    return status;
}

[[noreturn]] void usage(std::FILE* out = stderr, int status = 2) {
    std::fputs(
        "usage: armci_sim [--twin NAME[@VERSION] | --twin all] --seeds N [--first S]\n"
        "       armci_sim [--twin NAME@VERSION] --seed S [--trace]\n"
        "       armci_sim --twin NAME[@VERSION] | --twin all --clients N\n"
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
        } else if (word == "--clients") {
            options.clients = static_cast<int>(parse_number(argv[++i]));
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
    const bool needs_twin = options.clients > 0;
    if ((!options.sabotage && options.count == 0 && options.clients == 0) ||
        (needs_twin && options.twins.front() == nullptr)) {
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
    watch_for_crashes();
    if (options.sabotage) {
        return run_sabotages();
    }
    for (const Twin* twin : options.twins) {
        if (options.clients > 0) {
            count_server_memory(*twin, options.clients);
            continue;
        }
        run_seeds(options, twin);
    }
    return 0;
}

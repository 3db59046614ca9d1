// SPDX-License-Identifier: BSD-3-Clause
// What operations of whole jobs cost in virtual time, over the number of nodes.
//
//   armci_scale --nodes N[,N...] [--peers K] [--all-up-to N] [--provider NAME | --profile FILE]
//       runs the studies for each number of nodes and prints a table of comma-separated values
//   armci_scale --report FILE...
//       prints such tables as one in Markdown, with how each cost grows
//   armci_scale --check
//       small jobs, whose costs must grow as promised (kPromises)
//   armci_scale --links | --some-links
//       what is learned of links of different speed (links.h)
//   armci_scale --servers
//       accumulates into one array on a node with one, two and four servers (servers.h)
//
// README.md says what each study is.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "child_process.h"
#include "growth.h"
#include "links.h"
#include "machine.h"
#include "servers.h"
#include "simulation.h"
#include "studies.h"

namespace armci::sim {
namespace {

struct Options {
    std::vector<int> nodes;
    StudyOptions study;
    std::string provider = "cxi";
    std::string profile;
    std::vector<std::string> files;
    bool check = false;
    bool links = false;
    bool all_links = false;
    bool servers = false;
};

[[noreturn]] void usage(std::FILE* out = stderr, int status = 2) {
    std::fputs(
        "usage: armci_scale --nodes N[,N...] [--peers K] [--all-up-to N]\n"
        "                   [--provider NAME | --profile FILE]\n"
        "       armci_scale --report FILE...\n"
        "       armci_scale --check\n"
        "       armci_scale --links | --some-links\n"
        "       armci_scale --servers\n",
        out);
    std::exit(status);
}

int parse_count(const std::string& text) {
    char* end = nullptr;
    const long number = std::strtol(text.c_str(), &end, 10);
    if (text.empty() || *end != '\0' || number < 2 || number > 100'000) {
        usage();
    }
    return static_cast<int>(number);
}

Options parse(const std::vector<std::string>& words) {
    Options options;
    for (size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word == "--help" || word == "-h") {
            usage(stdout, 0);
        } else if (word == "--check") {
            options.check = true;
            continue;
        } else if (word == "--links" || word == "--some-links") {
            options.links = true;
            options.all_links = word == "--links";
            continue;
        } else if (word == "--servers") {
            options.servers = true;
            continue;
        } else if (word == "--report") {
            options.files.assign(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
            break;
        }
        if (++i == words.size()) {
            usage();
        }
        const std::string& value = words[i];
        if (word == "--nodes") {
            std::istringstream list(value);
            for (std::string one; std::getline(list, one, ',');) {
                options.nodes.push_back(parse_count(one));
            }
        } else if (word == "--peers") {
            options.study.peers = parse_count(value);
        } else if (word == "--all-up-to") {
            options.study.most_with_all = parse_count(value);
        } else if (word == "--provider") {
            options.provider = value;
        } else if (word == "--profile") {
            options.profile = value;
            options.provider.clear();
        } else {
            usage();
        }
    }
    if (options.nodes.empty() && options.files.empty() && !options.check && !options.links &&
        !options.servers) {
        usage();
    }
    return options;
}

Machine find_machine(const Options& options) {
    if (options.profile.empty()) {
        return guessed_machine(options.provider);
    }
    Machine machine;
    std::string error;
    if (!read_machine(options.profile, options.provider, &machine, &error)) {
        std::fprintf(stderr, "armci_scale: %s\n", error.c_str());
        std::exit(2);
    }
    return machine;
}

// The columns of the table.
void print(const Result& result, std::FILE* out) {
    std::fprintf(out, "%d;%s;%.3f;%s\n", result.nodes, result.study.c_str(), result.value,
                 result.unit.c_str());
}

bool read_result(const std::string& line, Result* result) {
    std::istringstream fields(line);
    std::string nodes;
    std::string value;
    if (line.empty() || line[0] == '#' || !std::getline(fields, nodes, ';') ||
        !std::getline(fields, result->study, ';') || !std::getline(fields, value, ';') ||
        !std::getline(fields, result->unit)) {
        return false;
    }
    result->nodes = std::atoi(nodes.c_str());
    result->value = std::atof(value.c_str());
    return true;
}

// Linux limits the mappings of a process, and refuses it memory beyond that. Returns whether it
// allows those of so many nodes, and says on standard error if it does not.
bool has_mappings(int nodes) {
    constexpr int kOfNode = 7;
    int most = 0;
    if (!(std::ifstream("/proc/sys/vm/max_map_count") >> most) || nodes <= most / kOfNode) {
        return true;
    }
    std::fprintf(stderr,
                 "armci_scale: %d nodes need %d mappings, and the system allows %d; raise it with "
                 "sysctl -w vm.max_map_count=%d\n",
                 nodes, nodes * kOfNode, most, nodes * kOfNode);
    return false;
}

// Each number of nodes in a process of its own, which gives back all memory.
int run(const Options& options, std::FILE* out) {
    if (!std::all_of(options.nodes.begin(), options.nodes.end(), has_mappings)) {
        return 2;
    }
    const Machine machine = find_machine(options);
    std::fprintf(out, "# %s\n# nodes;study;value;unit\n", describe(machine).c_str());
    for (const int nodes : options.nodes) {
        StudyOptions study = options.study;
        study.nodes = nodes;
        const int status = test::ChildProcess([&] {
                               for (const Result& result : run_studies(machine, study)) {
                                   print(result, out);
                               }
                               std::fflush(out);
                               return 0;
                           }).wait();
        if (status != 0) {
            std::fprintf(stderr, "armci_scale: the job of %d nodes ended with status %d\n", nodes,
                         status);
            return status;
        }
    }
    return 0;
}

struct Study {
    std::string name;
    std::string unit;
    std::map<int, double> values;  // by nodes

    std::vector<Point> points() const {
        std::vector<Point> points;
        for (const auto& [nodes, value] : values) {
            points.push_back({static_cast<double>(nodes), value});
        }
        return points;
    }
};

// In the order in which they come.
std::vector<Study> read_studies(std::istream& table) {
    std::vector<Study> studies;
    for (std::string line; std::getline(table, line);) {
        Result result;
        if (!read_result(line, &result)) {
            continue;
        }
        auto found = studies.begin();
        while (found != studies.end() && found->name != result.study) {
            ++found;
        }
        if (found == studies.end()) {
            found = studies.insert(found, {result.study, result.unit, {}});
        }
        found->values[result.nodes] = result.value;
    }
    return studies;
}

int report(const std::vector<std::string>& files) {
    std::stringstream all;
    for (const std::string& name : files) {
        std::ifstream file(name);
        if (!file) {
            std::fprintf(stderr, "armci_scale: %s cannot be read\n", name.c_str());
            return 2;
        }
        all << file.rdbuf();
    }
    const std::vector<Study> studies = read_studies(all);
    std::set<int> nodes;
    for (const Study& study : studies) {
        for (const auto& [count, value] : study.values) {
            nodes.insert(count);
        }
    }
    std::printf("| study | unit |");
    for (const int count : nodes) {
        std::printf(" %d |", count);
    }
    std::printf(" growth | fit |\n|---|---|");
    for (size_t i = 0; i < nodes.size() + 2; ++i) {
        std::printf("---|");
    }
    std::printf("\n");
    for (const Study& study : studies) {
        std::printf("| %s | %s |", study.name.c_str(), study.unit.c_str());
        for (const int count : nodes) {
            const auto found = study.values.find(count);
            if (found == study.values.end()) {
                std::printf(" |");
            } else {
                std::printf(found->second < 100 ? " %.1f |" : " %.0f |", found->second);
            }
        }
        if (study.values.size() < 3) {  // every curve goes through two points
            std::printf(" | |\n");
            continue;
        }
        const Fit fit = fit_growth(study.points());
        if (fit.error > kUnclearError) {
            std::printf(" %s | |\n", describe_end(study.points()).c_str());
        } else {
            std::printf(" %s | %s |\n", name_of(fit.growth), formula_of(fit).c_str());
        }
    }
    return 0;
}

// Says whether the cost is so low that no messages between nodes can be part of it.
bool is_without_messages(Growth, const std::vector<Point>& points) {
    constexpr double kMostUs = 10;
    return std::all_of(points.begin(), points.end(),
                       [](const Point& point) { return point.cost <= kMostUs; });
}

// Says whether the cost follows the law as nearly as is called clear.
bool grows_nearly_as(Growth growth, const std::vector<Point>& points) {
    const Fit fit = fit_growth(points);
    return fit.growth == growth && fit.error <= kUnclearError;
}

// What is promised of the growth of costs.
struct Promise {
    const char* study;
    bool (*keeps)(Growth growth, const std::vector<Point>& points);
    Growth growth;
};
constexpr Promise kPromises[] = {
    {"start", grows_nearly_as, Growth::log},
    {"barrier", grows_as, Growth::log},
    {"malloc", is_without_messages, Growth::constant},  // beside those of MPI
    {"free", is_without_messages, Growth::constant},
    {"free (MPI), to a rank", grows_as, Growth::constant},
    {"fence, nothing to wait for", grows_as, Growth::constant},
    {"fence to neighbours", grows_as, Growth::constant},
    {"fence to all", grows_as, Growth::linear},
    {"counter", grows_as, Growth::linear},
    {"accumulate", grows_as, Growth::linear},
};

// Bytes that each further node may cost, with those of the last page in the node heap.
struct MemoryPromise {
    const char* study;
    double most_bytes_per_node;
};
constexpr MemoryPromise kMemoryPromises[] = {
    {"start (MPI), to a rank", 176}, {"memory after start", 10},
    {"memory in start", 10},         {"node memory after start", 176},
    {"malloc (MPI), to a rank", 48}, {"memory after malloc", 10},
    {"memory in malloc", 10},        {"node memory after malloc", 226},
    {"memory after exchange", 10},   {"memory in exchange", 10},
};

// Of the check. They are more than twice the neighbours of a rank, and at most the 1024 from which
// on jobs have smaller windows.
const std::vector<int> kCheckedNodes = {48, 96, 192, 384, 768};

void print_growth(const char* name, const char* verdict, const std::vector<Point>& points) {
    const Fit fit = fit_growth(points);
    std::printf("%-28s %-6s %-8s %s, within %.2f %%\n", name, verdict, name_of(fit.growth),
                formula_of(fit).c_str(), 100 * fit.error);
}

std::vector<Point> points_of(double (*cost)(double nodes)) {
    std::vector<Point> points;
    for (const int nodes : kCheckedNodes) {
        points.push_back({static_cast<double>(nodes), cost(nodes)});
    }
    return points;
}

// Costs whose growth is known: those of each law, and the same with a little of the next one.
bool laws_are_told_apart() {
    struct Case {
        Growth growth;
        double (*cost)(double nodes);
        double (*more)(double nodes);
    };
    constexpr Case kCases[] = {
        {Growth::constant, [](double) { return 100.0; },
         [](double p) { return 100 + 2 * std::log2(p); }},
        {Growth::constant, [](double) { return 0.0; },
         [](double p) { return p < 500 ? 0.0 : 1.0; }},
        {Growth::log, [](double p) { return 3 + 2 * std::log2(p); },
         [](double p) { return 3 + 2 * std::log2(p) + 0.01 * p; }},
        {Growth::linear, [](double p) { return 20 + 5 * p; },
         [](double p) { return 5 * p + p * std::log2(p); }},
        {Growth::linear, [](double p) { return 10 * p; },
         [](double p) { return 10 * p + 0.002 * p * p; }},
        {Growth::linear_log, [](double p) { return 7 + p * std::log2(p); },
         [](double p) { return p * std::log2(p) + 0.01 * p * p; }},
        {Growth::quadratic, [](double p) { return 9 + p * p; },
         [](double p) { return 9 + p * p + 1e-3 * p * p * p; }},
    };
    bool is_right = true;
    for (const Case& one : kCases) {
        for (const auto cost : {one.cost, one.more}) {
            const std::vector<Point> points = points_of(cost);
            const bool follows = grows_as(one.growth, points);
            print_growth(name_of(one.growth), follows ? "is" : "is not", points);
            is_right = is_right && follows == (cost == one.cost);
        }
    }
    return is_right;
}

// The table says at the end of costs that follow no law how they grow there, or what they are at
// most.
bool ends_are_described() {
    const std::string growing = describe_end({{1, 7}, {10, 2}, {20, 8}});
    const std::string highest = describe_end({{1, 3}, {10, 9}, {20, 8}});
    std::printf("%-28s %s, %s\n", "ends", growing.c_str(), highest.c_str());
    return growing == "P^2.00 at the end" && highest == "at most 9";
}

// Says on standard output if there is none.
std::vector<Point> points_of(const std::vector<Study>& studies, const char* name) {
    for (const Study& study : studies) {
        if (study.name == name) {
            return study.points();
        }
    }
    std::printf("%-28s is missing\n", name);
    return {};
}

bool grows_as_promised(const std::vector<Study>& studies, const Promise& promise) {
    const std::vector<Point> points = points_of(studies, promise.study);
    const bool is_kept = !points.empty() && promise.keeps(promise.growth, points);
    if (!points.empty()) {
        print_growth(promise.study, is_kept ? "kept" : "BROKEN", points);
    }
    return is_kept;
}

bool costs_at_most(const std::vector<Study>& studies, const MemoryPromise& promise) {
    const std::vector<Point> points = points_of(studies, promise.study);
    if (points.empty()) {
        return false;
    }
    const double bytes =
        (points.back().cost - points.front().cost) / (points.back().nodes - points.front().nodes);
    const bool is_kept = bytes <= promise.most_bytes_per_node;
    std::printf("%-28s %-6s %.1f bytes for each further node, %.0f are promised\n", promise.study,
                is_kept ? "kept" : "BROKEN", bytes, promise.most_bytes_per_node);
    return is_kept;
}

int check() {
    Options options;
    options.nodes = kCheckedNodes;
    options.study.peers = 8;
    options.study.most_with_all = 0;
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(std::tmpfile(), std::fclose);
    if (out == nullptr) {
        std::perror("armci_scale: a temporary file");
        return 2;
    }
    if (const int status = run(options, out.get()); status != 0) {
        return status;
    }
    std::rewind(out.get());
    std::stringstream table;
    char block[4096];
    for (size_t bytes = 0; (bytes = std::fread(block, 1, sizeof block, out.get())) > 0;) {
        table.write(block, static_cast<std::streamsize>(bytes));
    }
    bool is_right = laws_are_told_apart();
    is_right &= ends_are_described();
    const std::vector<Study> studies = read_studies(table);
    for (const Promise& promise : kPromises) {
        is_right &= grows_as_promised(studies, promise);
    }
    for (const MemoryPromise& promise : kMemoryPromises) {
        is_right &= costs_at_most(studies, promise);
    }
    return is_right ? 0 : kViolationStatus;
}

}  // namespace
}  // namespace armci::sim

int main(int argc, char** argv) {
    using namespace armci::sim;
    const Options options = parse({argv + 1, argv + argc});
    armci::base::set_log_level(armci::base::LogLevel::error);
    if (options.check) {
        return check();
    }
    if (options.links) {
        return check_links(options.all_links) ? 0 : kViolationStatus;
    }
    if (options.servers) {
        return check_servers() ? 0 : kViolationStatus;
    }
    return options.files.empty() ? run(options, stdout) : report(options.files);
}

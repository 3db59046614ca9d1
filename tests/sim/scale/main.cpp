// SPDX-License-Identifier: BSD-3-Clause
// What operations of whole jobs cost in virtual time, over the number of nodes.
//
//   armci_scale --nodes N[,N...] [--peers K] [--all-up-to N] [--provider NAME | --profile FILE]
//       runs the studies for each number of nodes and prints a table of comma-separated values
//   armci_scale --report FILE...
//       prints such tables as one in Markdown, with how each cost grows
//   armci_scale --check
//       small jobs, whose costs must grow as promised (kPromises)
//   armci_scale --links
//       what is learned of links of different speed (links.h)
//
// README.md says what each study is.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "child_process.h"
#include "growth.h"
#include "links.h"
#include "machine.h"
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
};

[[noreturn]] void usage(std::FILE* out = stderr, int status = 2) {
    std::fputs(
        "usage: armci_scale --nodes N[,N...] [--peers K] [--all-up-to N]\n"
        "                   [--provider NAME | --profile FILE]\n"
        "       armci_scale --report FILE...\n"
        "       armci_scale --check\n"
        "       armci_scale --links\n",
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
        } else if (word == "--links") {
            options.links = true;
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
    if (options.nodes.empty() && options.files.empty() && !options.check && !options.links) {
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

// Each number of nodes in a process of its own, which gives back all memory.
int run(const Options& options, std::FILE* out) {
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

    Fit fit() const {
        std::vector<Point> points;
        for (const auto& [nodes, value] : values) {
            points.push_back({static_cast<double>(nodes), value});
        }
        return fit_growth(points);
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
    std::map<int, bool> nodes;
    for (const Study& study : studies) {
        for (const auto& [count, value] : study.values) {
            nodes[count] = true;
        }
    }
    std::printf("| study | unit |");
    for (const auto& [count, is_there] : nodes) {
        std::printf(" %d |", count);
    }
    std::printf(" growth | fit |\n|---|---|");
    for (size_t i = 0; i < nodes.size() + 2; ++i) {
        std::printf("---|");
    }
    std::printf("\n");
    for (const Study& study : studies) {
        std::printf("| %s | %s |", study.name.c_str(), study.unit.c_str());
        for (const auto& [count, is_there] : nodes) {
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
        const Fit fit = study.fit();
        std::printf(" %s | %s |\n", name_of(fit.growth), formula_of(fit).c_str());
    }
    return 0;
}

// What is promised of the growth of costs.
struct Promise {
    const char* study;
    Growth growth;
};
constexpr Promise kPromises[] = {
    {"barrier", Growth::log},
    {"fence, nothing to wait for", Growth::constant},
    {"fence to neighbours", Growth::constant},
    {"fence to all", Growth::linear},
    {"counter", Growth::linear},
    {"accumulate", Growth::linear},
};

// A fit must find the growth that made the points.
bool finds(Growth growth, double (*cost)(double nodes)) {
    std::vector<Point> points;
    for (double nodes = 16; nodes <= 4096; nodes *= 4) {
        points.push_back({nodes, cost(nodes)});
    }
    const Fit fit = fit_growth(points);
    std::printf("%-28s %-8s %s\n", "fit", name_of(fit.growth), formula_of(fit).c_str());
    return fit.growth == growth;
}

bool fits_are_right() {
    return finds(Growth::constant, [](double) { return 7.0; }) &&
           finds(Growth::constant, [](double nodes) { return nodes == 64 ? 7.2 : 7.0; }) &&
           finds(Growth::log, [](double nodes) { return 3 + 2 * std::log2(nodes); }) &&
           finds(Growth::linear, [](double nodes) { return 100 + 0.5 * nodes; }) &&
           finds(Growth::linear_log, [](double nodes) { return nodes * std::log2(nodes); }) &&
           finds(Growth::quadratic, [](double nodes) { return 9 + nodes * nodes; });
}

bool grows_as_promised(const std::vector<Study>& studies, const Promise& promise) {
    for (const Study& study : studies) {
        if (study.name == promise.study) {
            const Fit fit = study.fit();
            std::printf("%-28s %-8s %s\n", promise.study, name_of(fit.growth),
                        formula_of(fit).c_str());
            return fit.growth == promise.growth;
        }
    }
    std::printf("%-28s is missing\n", promise.study);
    return false;
}

int check() {
    Options options;
    options.nodes = {24, 48, 96, 192};
    options.study.peers = 8;
    options.study.most_with_all = 0;
    std::FILE* out = std::tmpfile();
    if (const int status = run(options, out); status != 0) {
        return status;
    }
    std::rewind(out);
    std::stringstream table;
    char block[4096];
    for (size_t bytes = 0; (bytes = std::fread(block, 1, sizeof block, out)) > 0;) {
        table.write(block, static_cast<std::streamsize>(bytes));
    }
    std::fclose(out);
    bool is_right = fits_are_right();
    const std::vector<Study> studies = read_studies(table);
    for (const Promise& promise : kPromises) {
        is_right &= grows_as_promised(studies, promise);
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
        return check_links() ? 0 : kViolationStatus;
    }
    return options.files.empty() ? run(options, stdout) : report(options.files);
}

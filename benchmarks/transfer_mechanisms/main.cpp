// SPDX-License-Identifier: BSD-3-Clause
// transfer_mechanisms: what it costs to move data between two processes of a machine, in different
// ways. See README.md here.

#include "measure.h"
#include "options.h"
#include "report.h"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace armci::mechanisms {
namespace {

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

struct FileClose {
    void operator()(std::FILE* file) const {
        if (file != stdout) {
            std::fclose(file);
        }
    }
};

int complain(const std::string& message) {
    std::fprintf(stderr, "transfer_mechanisms: %s\n", message.c_str());
    return kExitUsage;
}

int run(const Options& options) {
    std::unique_ptr<std::FILE, FileClose> csv;
    if (options.csv_path == "-") {
        csv.reset(stdout);
    } else if (!options.csv_path.empty()) {
        csv.reset(std::fopen(options.csv_path.c_str(), "we"));
        if (csv == nullptr) {
            return complain("--csv " + options.csv_path + ": " + std::strerror(errno));
        }
    }
    const bool shows_table = csv.get() != stdout && options.count == 0;
    if (csv != nullptr) {
        write_csv_header(csv.get());
    }
    if (shows_table) {
        print_table_header(stdout, options);
    }
    bool failed = false;
    for (const Kind* kind : options.kinds) {
        const JobResult job = run_job(*kind, options);
        if (csv != nullptr) {
            write_csv_lines(csv.get(), job);
        }
        if (shows_table) {
            print_table_line(stdout, job, options);
        }
        if (has_failed(job)) {
            failed = true;
            std::fprintf(stderr, "transfer_mechanisms: %s: %s\n", kind->name,
                         job.failure.empty() ? "wrong data" : job.failure.c_str());
        }
    }
    if (csv != nullptr && std::ferror(csv.get()) != 0) {
        return complain("--csv " + options.csv_path + ": could not be written");
    }
    return failed ? kExitFailed : 0;
}

int mechanisms_main(const std::vector<std::string_view>& arguments) {
    Options options;
    const std::string error = parse_options(arguments, &options);
    if (!error.empty()) {
        return complain(error + " (--help tells more)");
    }
    if (options.help) {
        std::fputs(usage_text().c_str(), stdout);
        return 0;
    }
    if (row_count(options) > Results::kMaxRows) {
        return complain("too many sizes; at most " + std::to_string(Results::kMaxRows - 1) +
                        " together");
    }
    return run(options);
}

}  // namespace
}  // namespace armci::mechanisms

int main(int argc, char** argv) {
    return armci::mechanisms::mechanisms_main({argv + 1, argv + argc});
}

// SPDX-License-Identifier: BSD-3-Clause
// armci-trace: sums up the timelines of a job's ranks, and makes one file of them.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "armci-trace/event_reader.h"
#include "armci-trace/html.h"
#include "armci-trace/json.h"
#include "armci-trace/merged_file.h"
#include "armci-trace/runs.h"
#include "armci-trace/selection.h"
#include "armci-trace/summary.h"
#include "armci-trace/text.h"
#include "command_line/command_line.h"
#include "command_line/standard_output.h"

namespace {

using armci::tools::CommandLine;
using armci::trace::Event;
using armci::trace::EventReader;
using armci::trace::MergedFile;
using armci::trace::Offered;
using armci::trace::Runs;
using armci::trace::Selection;
using armci::trace::Summary;
using armci::trace::TraceError;

constexpr int kExitFailed = 1;

struct Options {
    std::vector<std::string> names;
    std::string json;
    std::string html;
    std::string merged;
    Selection selection;
    bool version = false;
};

void add_file(CommandLine* line, const char* name, std::string* path, const char* help) {
    line->add_value(
        name, "FILE",
        [path](const std::string& text) {
            *path = text;
            return !text.empty();
        },
        help);
}

void add_options(CommandLine* line, Options* options) {
    line->add_arguments("FILE", &options->names,
                        "files of ARMCI_TRACE, or a value of ARMCI_TRACE for\nthose of all ranks");
    add_file(line, "--json", &options->json,
             "writes the summary there as JSON, with times in\nnanoseconds; -: to standard output, "
             "without the text");
    add_file(
        line, "--html", &options->html,
        "writes the summary there as a page with plots; -: to\nstandard output, without the text");
    add_file(line, "--merge", &options->merged,
             "writes the events there, as one file for Perfetto or\nchrome://tracing");
    line->begin_group("Which events");
    line->add_value(
        "--from", "SECONDS",
        [options](const std::string& text) {
            return armci::trace::parse_seconds(text, &options->selection.from_ns);
        },
        "those that end then or later, in the time of the job");
    line->add_value(
        "--to", "SECONDS",
        [options](const std::string& text) {
            return armci::trace::parse_seconds(text, &options->selection.to_ns);
        },
        "those that begin then or earlier");
    line->add_value(
        "--ranks", "LIST",
        [options](const std::string& text) {
            return armci::trace::parse_ranks(text, &options->selection.ranks);
        },
        "those of these ranks, for example 0,4-7");
    line->begin_group("Options");
    line->add_flag("--version", &options->version, "print the version");
}

// Says on a terminal how far it is, because large timelines take minutes.
class Percent {
  public:
    explicit Percent(const std::vector<std::string>& files) {
        for (const std::string& file : files) {
            struct stat about {};
            total_bytes_ += ::stat(file.c_str(), &about) == 0 ? about.st_size : 0;
        }
        is_shown_ = ::isatty(STDERR_FILENO) != 0 && total_bytes_ >= kShownFromBytes;
    }
    ~Percent() {
        if (is_shown_) {
            std::fputs("\r      \r", stderr);
        }
    }
    Percent(const Percent&) = delete;
    Percent& operator=(const Percent&) = delete;

    void show(int64_t bytes) {
        const int percent = static_cast<int>(bytes * 100 / std::max<int64_t>(total_bytes_, 1));
        if (is_shown_ && percent != percent_) {
            percent_ = percent;
            std::fprintf(stderr, "\r%3d %%", percent);
        }
    }

  private:
    static constexpr int64_t kShownFromBytes = 64 << 20;
    int64_t total_bytes_ = 0;
    int percent_ = -1;
    bool is_shown_ = false;
};

// Reads one file after the other, so it needs memory for one and one open file, whatever their
// number.
void read_all(const std::vector<std::string>& files, const Selection& selection, Summary* summary,
              MergedFile* merged) {
    constexpr uint64_t kOften = 1 << 16;
    Percent percent(files);
    int64_t done_bytes = 0;
    Runs runs;
    Offered offered;
    for (const std::string& file : files) {
        EventReader reader(file);
        if (merged != nullptr) {
            reader.keep_source();
        }
        Event event;
        for (uint64_t count = 0; reader.next(&event); ++count) {
            offered.add(event);
            if (selection.has(event)) {
                runs.add(event, file);
                summary->add(event);
                if (merged != nullptr) {
                    merged->add(reader.source());
                }
            }
            if (count % kOften == 0) {
                percent.show(done_bytes + static_cast<int64_t>(reader.taken_bytes()));
            }
        }
        done_bytes += static_cast<int64_t>(reader.taken_bytes());
        if (reader.is_cut_off()) {
            summary->note_cut_off(file);
        }
    }
    runs.expect_one();
    if (summary->event_count() == 0 && !selection.is_everything()) {
        throw TraceError("no event is among those chosen by --ranks, --from and --to: " +
                         offered.text());
    }
    summary->note_missing(runs.missing_ranks(selection));
}

// Returns whether both names are of one file that exists.
bool is_same_file(const std::string& path, const std::string& other) {
    struct stat about {};
    struct stat about_other {};
    return ::stat(path.c_str(), &about) == 0 && ::stat(other.c_str(), &about_other) == 0 &&
           S_ISREG(about.st_mode) && about.st_dev == about_other.st_dev &&
           about.st_ino == about_other.st_ino;
}

// Returns the name that is the same for all ways to name an output.
std::string written_as(const std::string& output) {
    std::error_code error;
    const std::filesystem::path path = std::filesystem::weakly_canonical(output, error);
    return error ? output : path.string();
}

// An output that is also read, or written twice, would be lost.
void check_outputs(const Options& options, const std::vector<std::string>& files) {
    std::vector<std::string> outputs = {options.json, options.html, options.merged};
    std::set<std::string> written;
    for (const std::string& output : outputs) {
        if (!output.empty() && !written.insert(written_as(output)).second) {
            throw TraceError(output + " is named for two outputs; choose another name");
        }
    }
    if (!options.merged.empty()) {
        outputs.push_back(armci::trace::part_of(options.merged));
    }
    for (const std::string& output : outputs) {
        for (const std::string& file : files) {
            if (is_same_file(output, file)) {
                throw TraceError(output + " cannot be written, because " + file +
                                 " is read; choose another name");
            }
        }
    }
}

void write_file(const std::string& path, const std::string& text) {
    if (path == "-") {
        std::fputs(text.c_str(), stdout);
        return;
    }
    std::FILE* file = std::fopen(path.c_str(), "we");
    const bool is_written = file != nullptr && std::fputs(text.c_str(), file) >= 0;
    if (file == nullptr || std::fclose(file) != 0 || !is_written) {
        throw TraceError(path + " cannot be written: " + std::strerror(errno));
    }
}

void run(const Options& options) {
    std::vector<std::string> files;
    std::set<std::pair<dev_t, ino_t>> known;
    for (const std::string& name : options.names) {
        for (const std::string& file : armci::trace::files_of(name)) {
            struct stat about {};
            if (::stat(file.c_str(), &about) != 0 ||
                known.emplace(about.st_dev, about.st_ino).second) {
                files.push_back(file);  // once, however often it is named
            }
        }
    }
    check_outputs(options, files);
    Summary summary;
    std::unique_ptr<MergedFile> merged;
    if (!options.merged.empty()) {
        merged = std::make_unique<MergedFile>(options.merged);
    }
    read_all(files, options.selection, &summary, merged.get());
    if (merged != nullptr) {
        merged->close();
    }
    if (!options.html.empty()) {
        write_file(options.html, armci::trace::to_html(summary, "Timeline of " + options.names[0]));
    }
    if (!options.json.empty()) {
        write_file(options.json, armci::trace::to_json(summary));
    }
    if (options.json != "-" && options.html != "-") {
        std::fputs(armci::trace::to_text(summary).c_str(), stdout);
    }
}

// Returns the exit status.
int run_arguments(int argc, char** argv) {
    Options options;
    CommandLine line(
        "armci-trace [OPTION]... FILE...",
        "Sums up the timelines that the ranks of a job have written (ARMCI_TRACE): time "
        "by call,\nby wait and by stage, the slowest transfers, the load of ranks, and "
        "who communicates\nwith whom.");
    add_options(&line, &options);
    line.add_footer("armci-trace t --html t.html   sums up t.0.json, t.1.json, and so on");
    if (const auto status = armci::tools::read_arguments("armci-trace", argc, argv, &line)) {
        return *status;
    }
    if (options.version) {
        std::printf("armci-trace %s\n", ARMCI_VERSION);
        return 0;
    }
    if (options.names.empty()) {
        std::fprintf(stderr, "armci-trace: name the files\n%s", line.help().c_str());
        return armci::tools::kExitUsage;
    }
    try {
        run(options);
    } catch (const TraceError& error) {
        std::fprintf(stderr, "armci-trace: %s\n", error.what());
        return kExitFailed;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    armci::tools::reserve_standard_output();
    return armci::tools::finish_standard_output("armci-trace", run_arguments(argc, argv));
}

// SPDX-License-Identifier: BSD-3-Clause
#include "armci-info/configuration.h"

#include <unistd.h>

#include <string>

#include "armci-info/machines.h"
#include "base/config.h"
#include "base/config_files.h"
#include "fabric/faults.h"
#include "fabric/provider.h"
#include "library/library.h"

namespace armci::info {
namespace {

int length(std::string_view text) {
    return static_cast<int>(text.size());
}

// Help texts are single paragraphs; breaks them at spaces.
void print_wrapped(std::FILE* out, std::string_view text, int indent, int width) {
    int column = 0;
    while (!text.empty()) {
        const size_t end = text.find(' ');
        const std::string_view word = text.substr(0, end);
        if (column > 0 && column + 1 + length(word) > width) {
            std::fputc('\n', out);
            column = 0;
        }
        column +=
            std::fprintf(out, "%*s%.*s", column == 0 ? indent : 1, "", length(word), word.data());
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    std::fputc('\n', out);
}

std::string shown(const std::string& value) {
    return value.empty() ? "(empty)" : value;
}

// A bar would end the table's cell.
std::string escaped(const std::string& text) {
    std::string result;
    for (const char letter : text) {
        result += letter == '|' ? "\\|" : std::string(1, letter);
    }
    return result;
}

const char* whose(const base::ConfigRow& row) {
    return row.is_jobs ? "job" : "rank";
}

void print_table(std::FILE* out, const base::ConfigResult& configuration, bool mirrored) {
    std::fprintf(out,
                 "| variable | whose | type | default | range | meaning |\n"
                 "|---|---|---|---|---|---|\n");
    for (const base::ConfigRow& row : configuration.rows) {
        if (row.mirrored != mirrored) {
            continue;
        }
        std::fprintf(out, "| `%.*s` | %s | %.*s | %s | %s | %s |\n", length(row.name),
                     row.name.data(), whose(row), length(row.type), row.type.data(),
                     escaped(shown(row.default_value)).c_str(), escaped(row.range).c_str(),
                     escaped(std::string(row.help)).c_str());
    }
    std::fputc('\n', out);
}

void print_providers(std::FILE* out) {
    std::fprintf(
        out,
        "| provider | by default | direct remote access | its costs: transfer, block, KiB | "
        "by message: transfer, chunk, KiB | overlap | remark |\n"
        "|---|---|---|---|---|---|---|\n");
    for (const fabric::ProviderRow& row : tools::library().provider_table()) {
        if (row.refused != nullptr) {
            std::fprintf(out, "| `%s` | refused | | | | | %s |\n", row.name, row.refused);
            continue;
        }
        const std::string preference =
            row.preference > 0 ? std::to_string(row.preference) : std::string("only when named");
        const fabric::NetworkCosts& costs = row.costs;
        std::fprintf(out, "| `%s` | %s | %s | %g, %g, %.2g | %g, %g, %.2g | %g | %s |\n", row.name,
                     preference.c_str(), row.rma ? "yes" : "no", costs.latency_us, costs.block_us,
                     1024 * costs.block_byte_us, costs.request_us, costs.chunk_us,
                     1024 * costs.chunk_byte_us, costs.overlap, row.remark);
    }
}

}  // namespace

base::ConfigResult read_configuration() {
    base::ConfigResult configuration = tools::library().read_config(
        environ, tools::library().read_settings(environ, base::kSiteFile));
    fabric::Faults faults;
    std::string fault_error;
    if (!tools::library().parse_faults(configuration.config.faults, &faults, &fault_error)) {
        configuration.errors.push_back(fault_error);
    }
    tools::library().check_profile(&configuration);
    return configuration;
}

bool print_errors(const base::ConfigResult& configuration) {
    for (const std::string& error : configuration.errors) {
        std::fprintf(stderr, "armci-info: %s\n", error.c_str());
    }
    return !configuration.errors.empty();
}

void print_configuration(std::FILE* out, const base::ConfigResult& configuration) {
    constexpr int kIndent = 6;
    constexpr int kWidth = 92;
    for (const base::ConfigRow& row : configuration.rows) {
        std::fprintf(out, "%.*s = %s  (%s)\n", length(row.name), row.name.data(),
                     shown(row.value).c_str(), row.source.c_str());
        std::fprintf(out, "%*sof the %s; %.*s, default %s%s%s%s\n", kIndent, "", whose(row),
                     length(row.type), row.type.data(), shown(row.default_value).c_str(),
                     row.range.empty() ? "" : ", ", row.range.c_str(),
                     row.mirrored ? "; as in other ARMCI implementations" : "");
        print_wrapped(out, row.help, kIndent, kWidth);
    }
    for (const std::string& name : configuration.ignored) {
        std::fprintf(out, "%s is set, but has no effect in this library\n", name.c_str());
    }
    for (const std::string& warning : configuration.warnings) {
        std::fprintf(out, "warning: %s\n", warning.c_str());
    }
}

void print_markdown(std::FILE* out) {
    // Of an empty environment: defaults only.
    const base::ConfigResult configuration = tools::library().read_config(nullptr, {});
    std::fprintf(
        out,
        "# Tuning\n\n"
        "This page is generated by `armci-info --markdown` from the configuration table\n"
        "(src/base/config_table.h) and the provider table (src/fabric/provider_table.cpp); a test\n"
        "compares it with both. `armci-info` prints the same with the values in force and\n"
        "where each came from. Variables are read once, by ARMCI_Init: from the site's file\n"
        "`/etc/armci.conf`, then from the file that `ARMCI_CONFIG` names, then from the\n"
        "environment; the last one wins (docs/running.md, \"Settings of a site\"). A malformed\n"
        "value ends the job there, and an unknown `ARMCI_*` name gives one warning with the\n"
        "nearest known name. Three variables had other names in earlier versions:\n"
        "`ARMCI_FINALIZE_TIMEOUT_S`, `ARMCI_CHECK_PATIENCE_S` and `ARMCI_RMA_MIN_RUN`. These\n"
        "still work, with a warning that gives the present name, which wins where both are\n"
        "set.\n\n"
        "A variable of the job is the same for all ranks: they take rank 0's value. Where\n"
        "another rank has been started with a different value, rank 0 warns once, with the\n"
        "value of the first such rank. A variable of the rank may differ between ranks.\n"
        "Open MPI's mpiexec passes variables on to other hosts only with `-x NAME`.\n\n"
        "## Variables of this library\n\n");
    print_table(out, configuration, false);
    std::fprintf(
        out,
        "## Variables shared with other ARMCI implementations\n\n"
        "A malformed value of these gives a warning, and the default is used. Variables\n"
        "that control mechanisms which only other implementations have (`ARMCI_IOV_METHOD`,\n"
        "`ARMCI_USE_WIN_ALLOCATE`, ..., and all `COMEX_*`) are accepted and ignored;\n"
        "`ARMCI_VERBOSE=2` lists them. `GA_NUM_PROGRESS_RANKS_PER_NODE` gives a warning: no\n"
        "ranks are set aside here.\n\n");
    print_table(out, configuration, true);
    std::fprintf(
        out,
        "## Providers\n\n"
        "Between nodes the available provider with the highest preference is used unless\n"
        "`ARMCI_PROVIDER` names one. Inside a node there is no provider: ranks share\n"
        "memory. Costs are in microseconds. Routes are chosen from them unless\n"
        "`ARMCI_PROFILE` names better ones (docs/design/routes.md). Overlap is the part of\n"
        "a transmission during which the processors can pack and unpack.\n\n");
    print_providers(out);
    print_places(out);
}

}  // namespace armci::info

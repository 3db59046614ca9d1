// SPDX-License-Identifier: BSD-3-Clause
#include "options.h"

#include "armci-bench/numbers/quantity.h"

#include <algorithm>
#include <optional>

namespace armci::mechanisms {

namespace {

constexpr int64_t kMaxBytes = int64_t{256} << 20;

void use_list(std::string_view text, std::vector<int64_t>* list) {
    *list = bench::parse_bytes_list(text).value();
}

void set_defaults(Options* options) {
    for (const Kind& kind : all_kinds()) {
        options->kinds.push_back(&kind);
    }
    use_list("8,64,512,4K", &options->latency_sizes);
    use_list("4K,32K,256K,2M,16M", &options->stream_sizes);
    use_list("64K,1M", &options->cache_sizes);
    options->working_set_bytes = 256 << 10;
    options->sizes.buffer_bytes = 64 << 10;
    options->sizes.cell_bytes = 64 << 10;
}

// Only correctness: every mechanism, pieces smaller than transfers, and measured times without
// meaning.
void set_smoke(Options* options) {
    use_list("8,4K", &options->latency_sizes);
    use_list("64K,200K", &options->stream_sizes);
    use_list("64K", &options->cache_sizes);
    options->working_set_bytes = 16 << 10;
    options->min_area_bytes = 1 << 20;
    options->repeat = 2;
}

// Data is checked in words of 8 bytes.
bool take_sizes(std::string_view text, std::vector<int64_t>* list) {
    const std::optional<std::vector<int64_t>> sizes = bench::parse_bytes_list(text);
    if (!sizes || !std::all_of(sizes->begin(), sizes->end(), [](int64_t bytes) {
            return bytes % 8 == 0 && bytes <= kMaxBytes;
        })) {
        return false;
    }
    *list = *sizes;
    return true;
}

bool take_size(std::string_view text, int64_t lowest, size_t* size) {
    const std::optional<int64_t> bytes = bench::parse_bytes(text);
    if (!bytes || *bytes < lowest || *bytes > kMaxBytes || *bytes % 64 != 0) {
        return false;
    }
    *size = static_cast<size_t>(*bytes);
    return true;
}

bool take_count(std::string_view text, int64_t* count) {
    const std::optional<int64_t> value = bench::parse_count(text);
    if (!value || *value < 1 || *value > 1'000'000) {
        return false;
    }
    *count = *value;
    return true;
}

bool take_kinds(std::string_view text, std::vector<const Kind*>* kinds) {
    kinds->clear();
    for (const std::string_view name : bench::split_list(text)) {
        kinds->push_back(find_kind(name));
    }
    return std::find(kinds->begin(), kinds->end(), nullptr) == kinds->end();
}

// 1: taken; 0: malformed; -1: no such option.
int take_value(std::string_view name, std::string_view value, Options* options) {
    if (name == "--only") {
        return take_kinds(value, &options->kinds);
    }
    if (name == "--latency-sizes") {
        return take_sizes(value, &options->latency_sizes);
    }
    if (name == "--stream-sizes") {
        return take_sizes(value, &options->stream_sizes);
    }
    if (name == "--cache-sizes") {
        return take_sizes(value, &options->cache_sizes);
    }
    if (name == "--working-set") {
        size_t bytes = 0;
        if (!take_size(value, 4096, &bytes)) {
            return 0;
        }
        options->working_set_bytes = static_cast<int64_t>(bytes);
        return 1;
    }
    if (name == "--buffer") {
        return take_size(value, 64, &options->sizes.buffer_bytes);
    }
    if (name == "--cell") {
        return take_size(value, 64, &options->sizes.cell_bytes);
    }
    if (name == "--repeat") {
        return take_count(value, &options->repeat);
    }
    if (name == "--timeout") {
        return take_count(value, &options->timeout_s);
    }
    if (name == "--count") {
        return take_count(value, &options->count);
    }
    if (name == "--csv") {
        options->csv_path = value;
        return !value.empty();
    }
    return -1;
}

}  // namespace

std::string parse_options(const std::vector<std::string_view>& arguments, Options* options) {
    *options = Options{};
    set_defaults(options);
    for (size_t i = 0; i < arguments.size(); i++) {
        const std::string_view name = arguments[i];
        if (name == "--help" || name == "-h") {
            options->help = true;
            continue;
        }
        if (name == "--smoke") {
            set_smoke(options);
            continue;
        }
        const bool has_value = i + 1 < arguments.size();
        const std::string_view value = has_value ? arguments[i + 1] : "";
        const int taken = take_value(name, value, options);
        if (taken < 0) {
            return "unknown option " + std::string(name);
        }
        if (!has_value) {
            return std::string(name) + " needs a value";
        }
        if (taken == 0) {
            return std::string(name) + ": cannot use the value '" + std::string(value) + "'";
        }
        i++;
    }
    return "";
}

std::string usage_text() {
    std::string text =
        "usage: transfer_mechanisms [options]\n"
        "\n"
        "Moves data between two processes of this machine in different ways, checks it, and tells\n"
        "what each way costs.\n"
        "\n"
        "  --only LIST            mechanisms, by name (default: all)\n"
        "  --latency-sizes LIST   bytes of transfers that are handed over one at a time\n"
        "  --stream-sizes LIST    bytes of transfers that follow each other\n"
        "  --cache-sizes LIST     bytes of the transfers after which working sets are read again\n"
        "  --working-set BYTES    of each process (default 256K)\n"
        "  --buffer BYTES         each of the two shared buffers (default 64K)\n"
        "  --cell BYTES           a cell of the message queue (default 64K)\n"
        "  --repeat N             samples; medians are reported (default 15)\n"
        "  --timeout S            longest time for one mechanism (default 120)\n"
        "  --csv FILE             results for armci-plot and others; - for standard output,\n"
        "                         where the table then does not appear\n"
        "  --smoke                few and small transfers: whether everything works\n"
        "  --count N              no times: for each of --cache-sizes N transfers and readings of\n"
        "                         the working set, to be watched by a simulator; says on standard\n"
        "                         output which process is which (see count_misses.py)\n"
        "\n"
        "Sizes as 8, 64K, 1M, or 8:4K for 8, 16, 32, ... 4K; multiples of 8, at most 256M.\n"
        "\n"
        "Mechanisms:\n";
    for (const Kind& kind : all_kinds()) {
        text += "  " + std::string(kind.name) +
                std::string(23 - std::string_view(kind.name).size(), ' ') + kind.what + "\n";
    }
    return text;
}

}  // namespace armci::mechanisms

// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/options.h"

#include "armci-bench/quantity.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

namespace armci::bench {

namespace {

template <typename Value>
struct Name {
    const char* text;
    Value value;
};

constexpr Name<Op> kOps[] = {
    {"put", Op::put},
    {"get", Op::get},
    {"acc", Op::acc},
    {"put-strided", Op::put_strided},
    {"get-strided", Op::get_strided},
    {"acc-strided", Op::acc_strided},
    {"put-vector", Op::put_vector},
    {"get-vector", Op::get_vector},
    {"acc-vector", Op::acc_vector},
    {"fetch-add", Op::fetch_add},
    {"swap", Op::swap},
    {"fetch-add-contended", Op::fetch_add_contended},
    {"fence", Op::fence},
    {"barrier", Op::barrier},
    {"lock", Op::lock},
    {"mpi-barrier", Op::mpi_barrier},
    {"flag-barrier", Op::flag_barrier},
    {"malloc", Op::malloc_free},
    {"mpi-pack-put", Op::mpi_pack_put},
    {"mpi-pack-get", Op::mpi_pack_get},
    {"raw-put", Op::raw_put},
    {"raw-get", Op::raw_get},
    {"raw-rmw", Op::raw_rmw},
    {"overlap-put", Op::overlap_put},
    {"overlap-get", Op::overlap_get},
    {"overlap-acc", Op::overlap_acc},
};
constexpr Name<Mode> kModes[] = {{"latency", Mode::latency},
                                 {"stream", Mode::stream},
                                 {"window", Mode::window},
                                 {"latency-serial", Mode::latency_serial},
                                 {"stream-serial", Mode::stream_serial}};
// Not to be chosen: the rows that have them have no other.
constexpr Name<Mode> kOverlapModes[] = {{"origin", Mode::origin}, {"target", Mode::target}};
constexpr Name<Pattern> kPatterns[] = {
    {"one", Pattern::one}, {"pair", Pattern::pair}, {"all", Pattern::all}};
constexpr Name<TargetWait> kTargetWaits[] = {{"mpi", TargetWait::mpi},
                                             {"armci", TargetWait::armci},
                                             {"busy", TargetWait::busy},
                                             {"asleep", TargetWait::asleep}};
constexpr Name<Handles> kHandles[] = {{"implicit", Handles::implicit},
                                      {"explicit", Handles::one_each},
                                      {"aggregate", Handles::aggregate}};
constexpr Name<RawPeer> kRawPeers[] = {{"spin", RawPeer::spin}, {"wait", RawPeer::wait}};

// Names that stand for several operations.
struct OpGroup {
    const char* text;
    std::vector<Op> ops;
};

const std::vector<OpGroup>& op_groups() {
    static const std::vector<OpGroup> groups = {
        {"contiguous", {Op::put, Op::get, Op::acc}},
        {"strided", {Op::put_strided, Op::get_strided, Op::acc_strided}},
        {"vector", {Op::put_vector, Op::get_vector, Op::acc_vector}},
        {"rmw", {Op::fetch_add, Op::swap, Op::fetch_add_contended}},
        {"sync", {Op::fence, Op::barrier, Op::lock}},
        {"barriers", {Op::mpi_barrier, Op::flag_barrier}},
        {"memory", {Op::malloc_free}},
        {"mpi-pack", {Op::mpi_pack_put, Op::mpi_pack_get}},
        {"raw", {Op::raw_put, Op::raw_get, Op::raw_rmw}},
        {"overlap", {Op::overlap_put, Op::overlap_get, Op::overlap_acc}},
    };
    return groups;
}

template <typename Value, size_t kCount>
const char* name_of(const Name<Value> (&names)[kCount], Value value) {
    for (const Name<Value>& name : names) {
        if (name.value == value) {
            return name.text;
        }
    }
    return "?";
}

template <typename Value, size_t kCount>
bool lookup(const Name<Value> (&names)[kCount], std::string_view text, Value* value) {
    for (const Name<Value>& name : names) {
        if (text == name.text) {
            *value = name.value;
            return true;
        }
    }
    return false;
}

bool parse_ops(std::string_view text, std::vector<Op>* ops) {
    ops->clear();
    for (std::string_view item : split_list(text)) {
        bool known = false;
        for (const OpGroup& group : op_groups()) {
            if (item == group.text || item == "all") {
                ops->insert(ops->end(), group.ops.begin(), group.ops.end());
                known = true;
            }
        }
        Op op{};
        if (!known && lookup(kOps, item, &op)) {
            ops->push_back(op);
            known = true;
        }
        if (!known) {
            return false;
        }
    }
    return true;
}

bool parse_modes(std::string_view text, std::vector<Mode>* modes) {
    modes->clear();
    for (std::string_view item : split_list(text)) {
        Mode mode{};
        if (!lookup(kModes, item, &mode)) {
            return false;
        }
        modes->push_back(mode);
    }
    return true;
}

bool parse_number(std::string_view text, double* value) {
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, *value);
    return error == std::errc{} && rest == end;
}

bool parse_in_range(std::string_view text, int64_t lowest, int64_t highest, int64_t* value) {
    const std::optional<int64_t> count = parse_count(text);
    if (!count || *count < lowest || *count > highest) {
        return false;
    }
    *value = *count;
    return true;
}

bool parse_list(std::string_view text, std::vector<int64_t>* list) {
    std::optional<std::vector<int64_t>> parsed = parse_bytes_list(text);
    if (!parsed) {
        return false;
    }
    *list = std::move(*parsed);
    return true;
}

// Options with a value. Returns 1 if the value was taken, 0 if it is malformed, -1 if there is no
// such option.
int take_value(std::string_view name, std::string_view value, Options* options) {
    constexpr int64_t kMaxCount = int64_t{1} << 30;
    if (name == "--ops") {
        return parse_ops(value, &options->ops);
    }
    if (name == "--modes") {
        return parse_modes(value, &options->modes);
    }
    if (name == "--sizes") {
        if (!parse_list(value, &options->sizes)) {
            return 0;
        }
        options->strided_sizes = options->sizes;
        options->overlap_sizes = options->sizes;
        return 1;
    }
    if (name == "--runs") {
        return parse_list(value, &options->blocks);
    }
    if (name == "--segments") {
        return parse_list(value, &options->segments);
    }
    if (name == "--dims") {
        return parse_list(value, &options->dims) &&
               std::all_of(options->dims.begin(), options->dims.end(),
                           [](int64_t dims) { return dims >= 1 && dims <= 8; });
    }
    if (name == "--stride-factor") {
        return parse_in_range(value, 1, kMaxCount, &options->stride_factor);
    }
    if (name == "--local") {
        options->local_dense = value == "dense";
        return value == "dense" || value == "strided";
    }
    if (name == "--segment-order") {
        options->mixed_segments = value == "mixed";
        return value == "mixed" || value == "even";
    }
    if (name == "--local-memory") {
        options->local_malloc = value == "malloc";
        return value == "malloc" || value == "armci";
    }
    if (name == "--type") {
        return parse_element(value, &options->type);
    }
    if (name == "--scale") {
        return parse_number(value, &options->scale);
    }
    if (name == "--window") {
        return parse_in_range(value, 1, kMaxCount, &options->window);
    }
    if (name == "--handles") {
        return lookup(kHandles, value, &options->handles);
    }
    if (name == "--raw-provider") {
        options->raw_provider = value;
        return !value.empty();
    }
    if (name == "--raw-peer") {
        return lookup(kRawPeers, value, &options->raw_peer);
    }
    if (name == "--pattern") {
        return lookup(kPatterns, value, &options->pattern);
    }
    if (name == "--target") {
        return parse_in_range(value, 0, std::numeric_limits<int>::max(), &options->target);
    }
    if (name == "--target-wait") {
        return lookup(kTargetWaits, value, &options->target_wait);
    }
    if (name == "--busy-limit") {
        return parse_in_range(value, 1, kMaxCount, &options->busy_limit_s);
    }
    if (name == "--repeat") {
        return parse_in_range(value, 1, kMaxCount, &options->repeat);
    }
    if (name == "--min-time") {
        return parse_in_range(value, 0, kMaxCount, &options->min_time_ms);
    }
    if (name == "--series") {
        return parse_in_range(value, 1, kMaxCount, &options->series);
    }
    if (name == "--quartiles-within") {
        options->noise_fails = true;
        return parse_in_range(value, 1, kMaxCount, &options->quartile_limit_percent);
    }
    if (name == "--csv") {
        options->csv_path = value;
        return !value.empty();
    }
    if (name == "--json") {
        options->json_path = value;
        return !value.empty();
    }
    return -1;
}

bool take_switch(std::string_view name, Options* options) {
    if (name == "--target-busy") {
        options->target_wait = TargetWait::busy;
    } else if (name == "--interleave") {
        options->interleave = true;
    } else if (name == "--list") {
        options->list = true;
    } else if (name == "--help" || name == "-h") {
        options->help = true;
    } else {
        return false;
    }
    return true;
}

void set_list_defaults(Options* options) {
    parse_ops("contiguous,strided,vector,rmw,sync", &options->ops);
    options->modes = {Mode::latency, Mode::stream, Mode::window};
    parse_list("8,64,1K,8K,64K,1M", &options->sizes);
    parse_list("64K,1M", &options->strided_sizes);
    parse_list("4K,64K,1M,8M", &options->overlap_sizes);
    parse_list("8,128,1K", &options->blocks);
    parse_list("1000", &options->segments);
    parse_list("2", &options->dims);
}

std::string check_consistency(const Options& options) {
    if (!scale_fits(options.type, options.scale)) {
        return std::string("--scale: elements of type ") + element_name(options.type) +
               " need a finite factor, whole-number types a whole one that fits int";
    }
    if (options.pattern != Pattern::one && options.target >= 0) {
        return "--target: only with --pattern one, the others choose the targets themselves";
    }
    if (options.csv_path == "-" && options.json_path == "-") {
        return "--csv, --json: only one of them can go to standard output";
    }
    return "";
}

}  // namespace

const char* op_name(Op op) {
    return name_of(kOps, op);
}

const char* mode_name(Mode mode) {
    const bool overlaps = mode == Mode::origin || mode == Mode::target;
    return overlaps ? name_of(kOverlapModes, mode) : name_of(kModes, mode);
}

const char* pattern_name(Pattern pattern) {
    return name_of(kPatterns, pattern);
}

const char* target_wait_name(TargetWait wait) {
    return name_of(kTargetWaits, wait);
}

const char* handles_name(Handles handles) {
    return name_of(kHandles, handles);
}

const char* raw_peer_name(RawPeer peer) {
    return name_of(kRawPeers, peer);
}

bool is_serial(Mode mode) {
    return mode == Mode::latency_serial || mode == Mode::stream_serial;
}

Mode plain_mode(Mode mode) {
    switch (mode) {
        case Mode::latency_serial:
            return Mode::latency;
        case Mode::stream_serial:
            return Mode::stream;
        default:
            return mode;
    }
}

std::string parse_options(const std::vector<std::string_view>& arguments, Options* options) {
    *options = Options{};
    set_list_defaults(options);
    for (size_t i = 0; i < arguments.size(); i++) {
        std::string_view name = arguments[i];
        if (take_switch(name, options)) {
            continue;
        }
        // Both "--name value" and "--name=value".
        std::string_view value;
        const size_t equals = name.find('=');
        const bool has_value = equals != std::string_view::npos || i + 1 < arguments.size();
        if (equals != std::string_view::npos) {
            value = name.substr(equals + 1);
            name = name.substr(0, equals);
        } else if (has_value) {
            value = arguments[i + 1];
        }
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
        if (equals == std::string_view::npos) {
            i++;
        }
    }
    return check_consistency(*options);
}

int single_target(const Options& options, int rank_count) {
    return options.target < 0 ? rank_count - 1 : static_cast<int>(options.target);
}

bool has_passive_targets(const Options& options, int rank_count) {
    return options.pattern == Pattern::pair ||
           (options.pattern == Pattern::one && single_target(options, rank_count) != 0);
}

std::string check_job_size(const Options& options, int rank_count) {
    if (options.target >= rank_count) {
        return "--target: there is no rank " + std::to_string(options.target) + " in a job of " +
               std::to_string(rank_count);
    }
    if (options.pattern == Pattern::pair && rank_count < 2) {
        return "--pattern pair: needs at least 2 ranks";
    }
    if ((options.target_wait == TargetWait::busy || options.target_wait == TargetWait::asleep) &&
        !has_passive_targets(options, rank_count)) {
        return "--target-busy, --target-wait asleep: every target measures here, so none can do "
               "that meanwhile";
    }
    return "";
}

}  // namespace armci::bench

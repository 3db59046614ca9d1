// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/options/choices.h"

#include "armci-bench/numbers/quantity.h"

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
    {"lock-fairness", Op::lock_fairness},
    {"group-barrier", Op::group_barrier},
    {"mpi-barrier", Op::mpi_barrier},
    {"flag-barrier", Op::flag_barrier},
    {"malloc", Op::malloc_free},
    {"malloc-write", Op::malloc_write_free},
    {"mpi-pack-put", Op::mpi_pack_put},
    {"mpi-pack-get", Op::mpi_pack_get},
    {"raw-put", Op::raw_put},
    {"raw-get", Op::raw_get},
    {"raw-rmw", Op::raw_rmw},
    {"overlap-put", Op::overlap_put},
    {"overlap-get", Op::overlap_get},
    {"overlap-acc", Op::overlap_acc},
    {"overlap-put-strided", Op::overlap_put_strided},
    {"overlap-get-strided", Op::overlap_get_strided},
    {"overlap-acc-strided", Op::overlap_acc_strided},
};
constexpr Name<Mode> kModes[] = {{"latency", Mode::latency},
                                 {"stream", Mode::stream},
                                 {"window", Mode::window},
                                 {"latency-serial", Mode::latency_serial},
                                 {"stream-serial", Mode::stream_serial}};
// Not to be chosen: the rows that have them have no other.
constexpr Name<Mode> kOverlapModes[] = {{"origin", Mode::origin}, {"target", Mode::target}};
constexpr Name<Pattern> kPatterns[] = {
    {"one", Pattern::one}, {"half", Pattern::half}, {"pair", Pattern::pair}, {"all", Pattern::all}};
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
        {"fairness", {Op::lock_fairness}},
        {"barriers", {Op::group_barrier, Op::mpi_barrier, Op::flag_barrier}},
        {"memory", {Op::malloc_free, Op::malloc_write_free}},
        {"mpi-pack", {Op::mpi_pack_put, Op::mpi_pack_get}},
        {"raw", {Op::raw_put, Op::raw_get, Op::raw_rmw}},
        {"overlap", {Op::overlap_put, Op::overlap_get, Op::overlap_acc}},
        {"overlap-strided",
         {Op::overlap_put_strided, Op::overlap_get_strided, Op::overlap_acc_strided}},
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

bool parse_choice(std::string_view text, Pattern* pattern) {
    return lookup(kPatterns, text, pattern);
}

bool parse_choice(std::string_view text, TargetWait* wait) {
    return lookup(kTargetWaits, text, wait);
}

bool parse_choice(std::string_view text, Handles* handles) {
    return lookup(kHandles, text, handles);
}

bool parse_choice(std::string_view text, RawPeer* peer) {
    return lookup(kRawPeers, text, peer);
}

}  // namespace armci::bench

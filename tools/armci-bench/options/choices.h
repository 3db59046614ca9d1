// SPDX-License-Identifier: BSD-3-Clause
// What a user can choose by name: operations, modes, who takes part and how.
#pragma once

#include <string_view>
#include <vector>

namespace armci::bench {

enum class Op {
    put,
    get,
    acc,
    put_strided,
    get_strided,
    acc_strided,
    put_vector,
    get_vector,
    acc_vector,
    fetch_add,
    swap,
    fetch_add_contended,
    fence,
    barrier,
    lock,
    lock_fairness,
    group_barrier,
    mpi_barrier,
    flag_barrier,
    malloc_free,
    malloc_write_free,
    mpi_pack_put,
    mpi_pack_get,
    raw_put,
    raw_get,
    raw_rmw,
    overlap_put,
    overlap_get,
    overlap_acc,
    overlap_put_strided,
    overlap_get_strided,
    overlap_acc_strided,
};

// The serial modes are the plain ones with pipelining disabled. Rows of transfers against
// computation have modes of their own: which side computes.
enum class Mode { latency, stream, window, latency_serial, stream_serial, origin, target };
enum class Pattern { one, half, pair, all };
enum class TargetWait { mpi, armci, busy, asleep };
enum class Handles { implicit, one_each, aggregate };
enum class RawPeer { spin, wait };

const char* op_name(Op op);
const char* mode_name(Mode mode);
const char* pattern_name(Pattern pattern);
const char* target_wait_name(TargetWait wait);
const char* handles_name(Handles handles);
const char* raw_peer_name(RawPeer peer);

bool is_serial(Mode mode);

// The mode that a serial mode serialises; any other mode itself.
Mode plain_mode(Mode mode);

// Each stores what the text names and returns true, or returns false. The first takes a list of
// operations and groups of them, the second a list of modes; both are separated by commas.
bool parse_ops(std::string_view text, std::vector<Op>* ops);
bool parse_modes(std::string_view text, std::vector<Mode>* modes);
bool parse_choice(std::string_view text, Pattern* pattern);
bool parse_choice(std::string_view text, TargetWait* wait);
bool parse_choice(std::string_view text, Handles* handles);
bool parse_choice(std::string_view text, RawPeer* peer);

}  // namespace armci::bench

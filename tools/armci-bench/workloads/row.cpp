// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/workloads/row.h"

#include "armci-bench/numbers/quantity.h"

#include <algorithm>

namespace armci::bench {

namespace {

constexpr int64_t kWordBytes = sizeof(long);
constexpr int64_t kAllocatedBytes = 1 << 20;
constexpr int64_t kManyBytes = 64 << 20;

bool is_pack(Op op) {
    return op == Op::mpi_pack_put || op == Op::mpi_pack_get;
}

bool asks_for(const Options& options, Mode mode) {
    return std::find(options.modes.begin(), options.modes.end(), mode) != options.modes.end();
}

// A get is complete when it returns: its stream is its latency.
bool repeats_latency(Op op, Mode mode, const Options& options) {
    return direction_of(op) == Verb::get &&
           ((mode == Mode::stream && asks_for(options, Mode::latency)) ||
            (mode == Mode::stream_serial && asks_for(options, Mode::latency_serial)));
}

bool offers(Op op, Mode mode) {
    if (is_serial(mode)) {
        return verb_of(op) != Verb::other;
    }
    return mode != Mode::window || !is_pack(op);
}

// The modes in which a transfer makes a row of its own.
std::vector<Mode> modes_of(Op op, const Options& options) {
    std::vector<Mode> modes;
    for (Mode mode : options.modes) {
        if (offers(op, mode) && !repeats_latency(op, mode, options)) {
            modes.push_back(mode);
        }
    }
    return modes;
}

class Planner {
  public:
    Planner(const Options& options, int rank_count, const Abilities& abilities)
        : options_(options), rank_count_(rank_count), abilities_(abilities) {}

    Plan take() { return std::move(plan_); }

    void add(Op op) {
        if (is_raw(op) && !abilities_.raw) {
            note(op, "this program was built without libfabric");
            return;
        }
        switch (op) {
            case Op::put:
            case Op::get:
            case Op::acc:
            case Op::raw_put:
            case Op::raw_get:
                for (int64_t bytes : options_.sizes) {
                    add_transfer(op, contiguous_shape(bytes));
                }
                break;
            case Op::overlap_put:
            case Op::overlap_get:
            case Op::overlap_acc:
                for (int64_t bytes : options_.overlap_sizes) {
                    add_transfer(op, contiguous_shape(bytes));
                }
                break;
            case Op::put_strided:
            case Op::get_strided:
            case Op::acc_strided:
            case Op::mpi_pack_put:
            case Op::mpi_pack_get:
                add_strided(op, options_.strided_sizes);
                break;
            case Op::overlap_put_strided:
            case Op::overlap_get_strided:
            case Op::overlap_acc_strided:
                add_strided(op, options_.overlap_sizes);
                break;
            case Op::put_vector:
            case Op::get_vector:
            case Op::acc_vector:
                for (int64_t count : options_.segments) {
                    for (int64_t block_bytes : options_.blocks) {
                        add_transfer(op, vector_shape(count, block_bytes, options_.stride_factor,
                                                      options_.local_dense));
                    }
                }
                break;
            case Op::fetch_add:
            case Op::swap:
            case Op::fetch_add_contended:
                plan_.rows.push_back({op, Mode::latency, contiguous_shape(kWordBytes)});
                break;
            case Op::raw_rmw:
                if (has_idle_target(op)) {
                    plan_.rows.push_back({op, Mode::latency, contiguous_shape(kWordBytes)});
                }
                break;
            case Op::fence:
                plan_.rows.push_back({op, Mode::latency, contiguous_shape(kWordBytes)});
                plan_.rows.push_back({op, Mode::latency, contiguous_shape(0)});
                break;
            case Op::flag_barrier:
                if (!abilities_.one_host) {
                    note(
                        op,
                        "its flags are in memory that all ranks share, so all must be on one host");
                    break;
                }
                [[fallthrough]];
            case Op::barrier:
            case Op::group_barrier:
            case Op::mpi_barrier:
            case Op::lock:
            case Op::lock_fairness:
                plan_.rows.push_back({op, Mode::latency, contiguous_shape(0)});
                break;
            case Op::malloc_free:
                plan_.rows.push_back({op, Mode::latency, contiguous_shape(kAllocatedBytes)});
                break;
            case Op::malloc_write_free:
                plan_.rows.push_back({op, Mode::latency, contiguous_shape(kAllocatedBytes)});
                plan_.rows.push_back({op, Mode::latency, contiguous_shape(kManyBytes)});
                break;
        }
    }

  private:
    void add_strided(Op op, const std::vector<int64_t>& sizes) {
        for (int64_t dims : options_.dims) {
            for (int64_t bytes : sizes) {
                if (dims == 1) {
                    add_transfer(op, strided_shape(bytes, bytes, 1, options_.stride_factor,
                                                   options_.local_dense));
                    continue;
                }
                for (int64_t block_bytes : options_.blocks) {
                    if (block_bytes > bytes) {
                        note(op, format_bytes(bytes) + " is less than one block of " +
                                     format_bytes(block_bytes));
                        continue;
                    }
                    add_transfer(op, strided_shape(bytes, block_bytes, static_cast<int>(dims),
                                                   options_.stride_factor, options_.local_dense));
                }
            }
        }
    }

    void add_transfer(Op op, const Shape& shape) {
        const std::string what = shape.describe() + ", " + format_bytes(shape.total_bytes());
        if (!shape.fits_interface()) {
            note(op, what + " does not fit the int arguments of ARMCI");
            return;
        }
        if (verb_of(op) == Verb::acc && shape.block_bytes % element_bytes(options_.type) != 0) {
            note(op,
                 what + " is not made of whole elements of type " + element_name(options_.type));
            return;
        }
        if ((is_pack(op) || is_raw(op)) && !has_idle_target(op)) {
            return;
        }
        if (is_pack(op) && !contiguous_shape(shape.total_bytes()).fits_interface()) {
            note(op, what + " does not fit one MPI message");
            return;
        }
        if (is_overlap(op)) {
            add_overlap(op, shape);
            return;
        }
        for (Mode mode : modes_of(op, options_)) {
            if (is_serial(mode) && !abilities_.serial_modes) {
                add_note(std::string("no mode ") + mode_name(mode) +
                         ": this library has no switch for its pipeline");
                continue;
            }
            plan_.rows.push_back({op, mode, shape});
        }
    }

    void add_overlap(Op op, const Shape& shape) {
        plan_.rows.push_back({op, Mode::origin, shape});
        if (has_passive_targets(options_, rank_count_)) {
            plan_.rows.push_back({op, Mode::target, shape});
        } else {
            add_note(std::string("no row ") + op_name(op) +
                     " of mode target: needs a target that does nothing but compute");
        }
    }

    bool has_idle_target(Op op) {
        if (has_passive_targets(options_, rank_count_)) {
            return true;
        }
        note(op, "needs a target that does nothing else");
        return false;
    }

    void note(Op op, const std::string& reason) {
        add_note(std::string("no row ") + op_name(op) + ": " + reason);
    }

    void add_note(const std::string& text) {
        if (std::find(plan_.notes.begin(), plan_.notes.end(), text) == plan_.notes.end()) {
            plan_.notes.push_back(text);
        }
    }

    const Options& options_;
    const int rank_count_;
    const Abilities abilities_;
    Plan plan_;
};

}  // namespace

Verb verb_of(Op op) {
    switch (op) {
        case Op::put:
        case Op::put_strided:
        case Op::put_vector:
        case Op::overlap_put:
        case Op::overlap_put_strided:
            return Verb::put;
        case Op::get:
        case Op::get_strided:
        case Op::get_vector:
        case Op::overlap_get:
        case Op::overlap_get_strided:
            return Verb::get;
        case Op::acc:
        case Op::acc_strided:
        case Op::acc_vector:
        case Op::overlap_acc:
        case Op::overlap_acc_strided:
            return Verb::acc;
        default:
            return Verb::other;
    }
}

Verb direction_of(Op op) {
    switch (op) {
        case Op::mpi_pack_put:
        case Op::raw_put:
            return Verb::put;
        case Op::mpi_pack_get:
        case Op::raw_get:
            return Verb::get;
        default:
            return verb_of(op);
    }
}

bool is_raw(Op op) {
    return op == Op::raw_put || op == Op::raw_get || op == Op::raw_rmw;
}

bool is_overlap(Op op) {
    switch (op) {
        case Op::overlap_put:
        case Op::overlap_get:
        case Op::overlap_acc:
        case Op::overlap_put_strided:
        case Op::overlap_get_strided:
        case Op::overlap_acc_strided:
            return true;
        default:
            return false;
    }
}

bool is_collective(Op op) {
    return op == Op::barrier || op == Op::group_barrier || op == Op::mpi_barrier ||
           op == Op::flag_barrier || op == Op::malloc_free || op == Op::malloc_write_free;
}

bool is_contended(Op op) {
    return op == Op::fetch_add_contended || op == Op::lock_fairness;
}

std::string Row::layout() const {
    switch (op) {
        case Op::fetch_add:
        case Op::swap:
        case Op::fetch_add_contended:
        case Op::raw_rmw:
            return "long";
        case Op::fence:
            return shape.total_bytes() > 0 ? "after a put" : "nothing to wait for";
        case Op::barrier:
        case Op::group_barrier:
        case Op::mpi_barrier:
        case Op::flag_barrier:
            return "all ranks";
        case Op::lock:
            return "lock and unlock";
        case Op::lock_fairness:
            return "all ranks, one mutex";
        case Op::malloc_free:
            return "and free, all ranks";
        case Op::malloc_write_free:
            return "write all, free, all ranks";
        default:
            return shape.describe();
    }
}

int64_t Row::moved_bytes() const {
    // The time of an origin's overlap is mostly that of its computation.
    return direction_of(op) != Verb::other && mode != Mode::origin ? shape.total_bytes() : 0;
}

Plan make_plan(const Options& options, int rank_count, const Abilities& abilities) {
    Planner planner(options, rank_count, abilities);
    for (Op op : options.ops) {
        planner.add(op);
    }
    return planner.take();
}

}  // namespace armci::bench

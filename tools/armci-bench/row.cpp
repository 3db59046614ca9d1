#include "armci-bench/row.h"

#include "armci-bench/quantity.h"

#include <algorithm>

namespace armci::bench {

namespace {

constexpr int64_t kWordBytes = sizeof(long);

bool asks_for(const Options& options, Mode mode) {
    return std::find(options.modes.begin(), options.modes.end(), mode) != options.modes.end();
}

// The modes in which a transfer makes a row of its own.
std::vector<Mode> modes_of(Op op, const Options& options) {
    std::vector<Mode> modes;
    for (Mode mode : options.modes) {
        const bool is_pack = op == Op::mpi_pack_put || op == Op::mpi_pack_get;
        const bool is_get = verb_of(op) == Verb::get || op == Op::mpi_pack_get;
        const bool repeats_latency =
            mode == Mode::stream && is_get && asks_for(options, Mode::latency);
        if (!repeats_latency && !(is_pack && mode == Mode::window)) {
            modes.push_back(mode);
        }
    }
    return modes;
}

class Planner {
  public:
    Planner(const Options& options, int rank_count) : options_(options), rank_count_(rank_count) {}

    Plan take() { return std::move(plan_); }

    void add(Op op) {
        switch (op) {
            case Op::put:
            case Op::get:
            case Op::acc:
                for (int64_t bytes : options_.sizes) {
                    add_transfer(op, contiguous_shape(bytes));
                }
                break;
            case Op::put_strided:
            case Op::get_strided:
            case Op::acc_strided:
            case Op::mpi_pack_put:
            case Op::mpi_pack_get:
                add_strided(op);
                break;
            case Op::put_vector:
            case Op::get_vector:
            case Op::acc_vector:
                for (int64_t count : options_.segments) {
                    for (int64_t run_bytes : options_.runs) {
                        add_transfer(op, vector_shape(count, run_bytes, options_.stride_factor,
                                                      options_.local_dense));
                    }
                }
                break;
            case Op::fetch_add:
            case Op::swap:
            case Op::fetch_add_contended:
                plan_.rows.push_back({op, Mode::latency, contiguous_shape(kWordBytes)});
                break;
            case Op::fence:
                plan_.rows.push_back({op, Mode::latency, contiguous_shape(kWordBytes)});
                plan_.rows.push_back({op, Mode::latency, contiguous_shape(0)});
                break;
            case Op::barrier:
                plan_.rows.push_back({op, Mode::latency, contiguous_shape(0)});
                break;
        }
    }

  private:
    void add_strided(Op op) {
        for (int64_t dims : options_.dims) {
            for (int64_t bytes : options_.strided_sizes) {
                for (int64_t run_bytes : options_.runs) {
                    if (run_bytes > bytes) {
                        note(op, format_bytes(bytes) + " is less than one run of " +
                                     format_bytes(run_bytes));
                        continue;
                    }
                    add_transfer(op, strided_shape(bytes, run_bytes, static_cast<int>(dims),
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
        if (verb_of(op) == Verb::acc && shape.run_bytes % element_bytes(options_.type) != 0) {
            note(op,
                 what + " is not made of whole elements of type " + element_name(options_.type));
            return;
        }
        const bool is_pack = op == Op::mpi_pack_put || op == Op::mpi_pack_get;
        if (is_pack && !has_passive_targets(options_, rank_count_)) {
            note(op, "needs a target that does nothing else");
            return;
        }
        if (is_pack && !contiguous_shape(shape.total_bytes()).fits_interface()) {
            note(op, what + " does not fit one MPI message");
            return;
        }
        for (Mode mode : modes_of(op, options_)) {
            plan_.rows.push_back({op, mode, shape});
        }
    }

    void note(Op op, const std::string& reason) {
        const std::string text = std::string("no row ") + op_name(op) + ": " + reason;
        if (std::find(plan_.notes.begin(), plan_.notes.end(), text) == plan_.notes.end()) {
            plan_.notes.push_back(text);
        }
    }

    const Options& options_;
    const int rank_count_;
    Plan plan_;
};

}  // namespace

Verb verb_of(Op op) {
    switch (op) {
        case Op::put:
        case Op::put_strided:
        case Op::put_vector:
            return Verb::put;
        case Op::get:
        case Op::get_strided:
        case Op::get_vector:
            return Verb::get;
        case Op::acc:
        case Op::acc_strided:
        case Op::acc_vector:
            return Verb::acc;
        default:
            return Verb::other;
    }
}

std::string Row::layout() const {
    switch (op) {
        case Op::fetch_add:
        case Op::swap:
        case Op::fetch_add_contended:
            return "long";
        case Op::fence:
            return shape.total_bytes() > 0 ? "after a put" : "nothing to wait for";
        case Op::barrier:
            return "all ranks";
        default:
            return shape.describe();
    }
}

int64_t Row::moved_bytes() const {
    const bool moves_data =
        verb_of(op) != Verb::other || op == Op::mpi_pack_put || op == Op::mpi_pack_get;
    return moves_data ? shape.total_bytes() : 0;
}

Plan make_plan(const Options& options, int rank_count) {
    Planner planner(options, rank_count);
    for (Op op : options.ops) {
        planner.add(op);
    }
    return planner.take();
}

}  // namespace armci::bench

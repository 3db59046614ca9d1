#include "armci-bench/csv.h"

namespace armci::bench {

void write_csv_header(std::FILE* out) {
    std::fprintf(out,
                 "operation,mode,bytes,layout,run_bytes,run_count,dims,type,window,actors,route,"
                 "status,samples,iterations,median_us,min_us,max_us,spread,mbytes_per_s,"
                 "ops_per_s\n");
    std::fflush(out);
}

void write_csv_row(std::FILE* out, const Result& result, const Options& options) {
    const Row& row = result.row;
    const Shape& shape = row.shape;
    std::fprintf(out, "%s,%s,%lld,\"%s\",%lld,%lld,%zu,", op_name(row.op), mode_name(row.mode),
                 static_cast<long long>(shape.total_bytes()), row.layout().c_str(),
                 static_cast<long long>(shape.run_bytes), static_cast<long long>(shape.run_count()),
                 shape.repeats.size() + 1);
    std::fprintf(out, "%s,", verb_of(row.op) == Verb::acc ? element_name(options.type) : "");
    if (row.mode == Mode::window) {
        std::fprintf(out, "%lld", static_cast<long long>(options.window));
    }
    std::fprintf(out, ",%d,%s,%s,", result.actor_count, result.route.c_str(),
                 status_name(result.status));
    if (result.status != Status::ok) {
        std::fprintf(out, ",,,,,,,\n");
    } else {
        std::fprintf(out, "%lld,%lld,%.6g,%.6g,%.6g,%.4f,%.6g,%.6g\n",
                     static_cast<long long>(result.sample_count),
                     static_cast<long long>(result.iterations), result.microseconds.median,
                     result.microseconds.minimum, result.microseconds.maximum,
                     result.microseconds.spread, result.mbytes_per_s(), result.ops_per_s());
    }
    std::fflush(out);
}

}  // namespace armci::bench

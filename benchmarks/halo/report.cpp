// SPDX-License-Identifier: BSD-3-Clause
#include "report.h"

#include <cstdio>
#include <fstream>

#include <nlohmann/json.hpp>

#include "armci-bench/numbers/quantity.h"

namespace armci::halo {

void print_table(const Job& job, const std::vector<Result>& results) {
    std::printf("%d ranks (%d x %d), %d nodes, %s\n", job.rank_count, job.columns, job.rows,
                job.node_count, job.provider.c_str());
    std::printf("%-18s %10s %10s %10s %10s %10s\n", "algorithm", "strip", "us/step", "quartiles",
                "", "MB/s/rank");
    for (const Result& result : results) {
        const double moved = static_cast<double>(kSides * result.bytes);
        std::printf("%-18s %10s %10.2f %10.2f %10.2f %10.1f\n", name_of(result.algorithm),
                    bench::format_bytes(result.bytes).c_str(), result.step_us.median,
                    result.step_us.first_quartile, result.step_us.third_quartile,
                    moved / result.step_us.median);
    }
}

bool write_csv(const std::string& path, const Job& job, const std::vector<Result>& results) {
    std::ofstream file(path);
    file << "ranks,nodes,provider,algorithm,strip_bytes,steps,median_us,first_quartile_us,"
            "third_quartile_us,minimum_us,maximum_us\n";
    for (const Result& result : results) {
        const tools::Summary& us = result.step_us;
        file << job.rank_count << ',' << job.node_count << ',' << job.provider << ','
             << name_of(result.algorithm) << ',' << result.bytes << ',' << result.steps << ','
             << us.median << ',' << us.first_quartile << ',' << us.third_quartile << ','
             << us.minimum << ',' << us.maximum << '\n';
    }
    file.flush();
    return file.good();
}

bool write_json(const std::string& path, const Job& job, const std::vector<Result>& results) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const Result& result : results) {
        const tools::Summary& us = result.step_us;
        rows.push_back({{"algorithm", name_of(result.algorithm)},
                        {"strip_bytes", result.bytes},
                        {"steps", result.steps},
                        {"median_us", us.median},
                        {"first_quartile_us", us.first_quartile},
                        {"third_quartile_us", us.third_quartile},
                        {"minimum_us", us.minimum},
                        {"maximum_us", us.maximum}});
    }
    std::ofstream file(path);
    file << nlohmann::ordered_json{{"ranks", job.rank_count},  {"nodes", job.node_count},
                                   {"provider", job.provider}, {"columns", job.columns},
                                   {"rows", job.rows},         {"results", rows}}
                .dump(2)
         << '\n';
    file.flush();
    return file.good();
}

}  // namespace armci::halo

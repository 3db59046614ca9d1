// SPDX-License-Identifier: BSD-3-Clause
#include "armci-info/explain.h"

#include <armci/armci.h>
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/config_value.h"
#include "library/library.h"

namespace armci::info {
namespace {

struct Request {
    base::OpKind op = base::OpKind::put;
    int64_t block_count = 0;
    int64_t block_bytes = 0;
    int64_t target = 0;
};

// The error, or empty.
std::string parse(std::string_view text, int rank_count, Request* request) {
    std::vector<std::string_view> words;
    for (size_t comma = 0; comma != std::string_view::npos;) {
        comma = text.find(',');
        words.push_back(text.substr(0, comma));
        text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    }
    if (words.size() != 4) {
        return "give OP,ROWS,RUN,TARGET, for example put,1000,128,1";
    }
    int op = 0;
    if (!base::parse_choice(words[0], "put|get|acc", &op)) {
        return "\"" + std::string(words[0]) + "\" is not put, get or acc";
    }
    request->op = static_cast<base::OpKind>(op);
    if (!base::parse_integer(words[1], &request->block_count) || request->block_count < 1) {
        return "\"" + std::string(words[1]) + "\" is no number of rows";
    }
    if (!base::parse_bytes(words[2], &request->block_bytes) || request->block_bytes < 1) {
        return "\"" + std::string(words[2]) + "\" is no number of bytes in a block";
    }
    int64_t total_bytes = 0;
    if (__builtin_mul_overflow(request->block_count, request->block_bytes, &total_bytes)) {
        return "so many bytes cannot be";
    }
    if (!base::parse_integer(words[3], &request->target) || request->target < 0 ||
        request->target >= rank_count) {
        return "\"" + std::string(words[3]) + "\" is no rank of this job, which has " +
               std::to_string(rank_count);
    }
    return {};
}

// Returns why such transfers are not made, or an empty text.
std::string why_not_made(const Request& request) {
    constexpr int64_t kMaxBytes = 128 << 20;
    if (request.op == base::OpKind::acc && request.block_bytes % sizeof(double) != 0) {
        return "doubles are added, so the bytes of a block must be a multiple of 8";
    }
    if (request.block_count > kMaxBytes / request.block_bytes) {
        return "the memory for it is limited, so a transfer may have at most 128 MiB";
    }
    return {};
}

// Rank 0 makes such transfers for a second, each complete before the next.
void make_transfers(const Request& request, int rank, int size) {
    constexpr double kSeconds = 1;
    const int64_t bytes = 2 * request.block_count * request.block_bytes;
    std::vector<void*> slices(static_cast<size_t>(size));
    ARMCI_Malloc(slices.data(), bytes);
    std::memset(slices[static_cast<size_t>(rank)], 0, static_cast<size_t>(bytes));
    ARMCI_Barrier();
    if (rank == 0) {
        std::vector<char> local(static_cast<size_t>(bytes));
        const int target = static_cast<int>(request.target);
        void* const remote = slices[static_cast<size_t>(target)];
        int stride = static_cast<int>(2 * request.block_bytes);
        int counts[2] = {static_cast<int>(request.block_bytes),
                         static_cast<int>(request.block_count)};
        const double end_s = MPI_Wtime() + kSeconds;
        do {
            switch (request.op) {
                case base::OpKind::put:
                    ARMCI_PutS(local.data(), &stride, remote, &stride, counts, 1, target);
                    break;
                case base::OpKind::get:
                    ARMCI_GetS(remote, &stride, local.data(), &stride, counts, 1, target);
                    break;
                case base::OpKind::acc: {
                    double factor = 1;
                    ARMCI_AccS(ARMCI_ACC_DBL, &factor, local.data(), &stride, remote, &stride,
                               counts, 1, target);
                    break;
                }
            }
            ARMCI_Fence(target);
        } while (MPI_Wtime() < end_s);
    }
    ARMCI_Barrier();
    ARMCI_Free(slices[static_cast<size_t>(rank)]);
}

}  // namespace

int explain(const char* request_text, Learning learning) {
    int rank = 0;
    int size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    Request request;
    std::string error = parse(request_text, size, &request);
    if (error.empty() && learning == Learning::yes) {
        error = why_not_made(request);
    }
    if (!error.empty()) {
        if (rank == 0) {
            std::fprintf(stderr, "armci-info: --%s %s: %s\n",
                         learning == Learning::yes ? "learn" : "explain", request_text,
                         error.c_str());
        }
        return 2;
    }
    ARMCI_Init();
    if (learning == Learning::yes) {
        make_transfers(request, rank, size);
    }
    if (rank == 0) {
        for (const std::string& line : tools::library().explain_transfer(
                 tools::library().running()->progress, request.op, request.block_count,
                 request.block_bytes, static_cast<int>(request.target))) {
            std::printf("%s\n", line.c_str());
        }
    }
    ARMCI_Finalize();
    return 0;
}

}  // namespace armci::info

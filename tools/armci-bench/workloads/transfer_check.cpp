// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/workloads/transfer_check.h"

#include <cstring>
#include <vector>

namespace armci::bench {

namespace {

int64_t count_differences(const std::vector<char>& expected, const void* memory) {
    if (std::memcmp(expected.data(), memory, expected.size()) == 0) {
        return 0;
    }
    int64_t differences = 0;
    for (size_t i = 0; i < expected.size(); i++) {
        differences += expected[i] != static_cast<const char*>(memory)[i] ? 1 : 0;
    }
    return differences;
}

}  // namespace

TransferCheck::TransferCheck(const Row& row, const Options& options, Verb verb, int64_t row_number)
    : shape_(row.shape),
      slots_(make_slots(row, options)),
      verb_(verb),
      type_(options.type),
      scale_(options.scale),
      row_number_(row_number) {}

uint64_t TransferCheck::seed(int rank, bool remote) const {
    return (static_cast<uint64_t>(row_number_) * 1000003 + static_cast<uint64_t>(rank)) * 2 +
           (remote ? 1 : 0);
}

void TransferCheck::fill(void* memory, int64_t bytes, uint64_t seed) const {
    if (verb_ == Verb::acc) {
        // Small numbers, so that sums are exact.
        fill_elements(type_, memory, bytes, seed);
        return;
    }
    uint64_t state = seed;
    for (int64_t i = 0; i < bytes; i += int64_t{sizeof(state)}) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        std::memcpy(static_cast<char*>(memory) + i, &state, sizeof(state));
    }
}

void TransferCheck::fill_local(void* memory, int rank) const {
    fill(memory, slots_.count * slots_.local_bytes, seed(rank, false));
}

void TransferCheck::fill_remote(void* memory, int rank) const {
    fill(memory, slots_.count * slots_.remote_bytes, seed(rank, true));
}

int64_t TransferCheck::errors_at_target(const void* memory, int origin, int target,
                                        int origin_count) const {
    std::vector<char> local(static_cast<size_t>(slots_.count * slots_.local_bytes));
    std::vector<char> remote(static_cast<size_t>(slots_.count * slots_.remote_bytes));
    fill_remote(remote.data(), target);
    for (int rank = origin; rank < origin + origin_count; rank++) {
        fill_local(local.data(), rank);
        transfer_all(local.data(), remote.data());
    }
    return count_differences(remote, memory);
}

// Transfers each slot once, of a put or accumulate.
void TransferCheck::transfer_all(const char* local, char* remote) const {
    for (int64_t slot = 0; slot < slots_.count; slot++) {
        const char* from = local + slot * slots_.local_bytes;
        char* to = remote + slot * slots_.remote_bytes;
        for_each_block(shape_, [&](int64_t local_offset, int64_t remote_offset) {
            if (verb_ == Verb::acc) {
                add_scaled(type_, scale_, from + local_offset, to + remote_offset,
                           shape_.block_bytes);
            } else {
                std::memcpy(to + remote_offset, from + local_offset,
                            static_cast<size_t>(shape_.block_bytes));
            }
        });
    }
}

int64_t TransferCheck::errors_at_origin(const void* memory, int origin, int target) const {
    std::vector<char> local(static_cast<size_t>(slots_.count * slots_.local_bytes));
    std::vector<char> remote(static_cast<size_t>(slots_.count * slots_.remote_bytes));
    fill_local(local.data(), origin);
    fill_remote(remote.data(), target);
    for (int64_t slot = 0; slot < slots_.count; slot++) {
        char* to = local.data() + slot * slots_.local_bytes;
        const char* from = remote.data() + slot * slots_.remote_bytes;
        for_each_block(shape_, [&](int64_t local_offset, int64_t remote_offset) {
            std::memcpy(to + local_offset, from + remote_offset,
                        static_cast<size_t>(shape_.block_bytes));
        });
    }
    return count_differences(local, memory);
}

}  // namespace armci::bench

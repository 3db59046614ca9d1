// SPDX-License-Identifier: BSD-3-Clause
#include "check/local_buffers.h"

#include <cstring>

#include "check/poison.h"

namespace armci::check {
namespace {

template <class Visit>
void for_each_block(const std::vector<Row>& rows, Visit&& visit) {
    for (const Row& row : rows) {
        auto* block = reinterpret_cast<char*>(row.begin);
        for (int64_t i = 0; i < row.block_count; ++i, block += row.stride) {
            visit(block, row.block_bytes);
        }
    }
}

constexpr uint64_t kFactor = 0x9E3779B97F4A7C15;  // an odd number without a pattern

uint64_t mix(uint64_t sum, uint64_t word) {
    sum = (sum ^ word) * kFactor;
    return sum ^ sum >> 29;
}

// Four sums run side by side, because one alone waits for each of its multiplications.
uint64_t add_block(uint64_t sum, const char* block, int64_t bytes) {
    constexpr int64_t kWord = sizeof(uint64_t);
    constexpr int kLanes = 4;
    uint64_t lanes[kLanes] = {sum, sum + 1, sum + 2, sum + 3};
    uint64_t word = 0;
    for (; bytes >= kLanes * kWord; bytes -= kLanes * kWord) {
        for (uint64_t& lane : lanes) {
            std::memcpy(&word, block, kWord);
            lane = mix(lane, word);
            block += kWord;
        }
    }
    for (const uint64_t lane : lanes) {
        sum = mix(sum, lane);
    }
    for (; bytes >= kWord; bytes -= kWord, block += kWord) {
        std::memcpy(&word, block, kWord);
        sum = mix(sum, word);
    }
    word = 0;
    std::memcpy(&word, block, static_cast<size_t>(bytes));
    return mix(sum, word + static_cast<uint64_t>(bytes));
}

}  // namespace

uint64_t checksum(const std::vector<Row>& rows) {
    uint64_t sum = 0;
    for_each_block(rows,
                   [&](const char* block, int64_t bytes) { sum = add_block(sum, block, bytes); });
    return sum;
}

void poison_rows(const std::vector<Row>& rows) {
    for_each_block(rows, [](char* block, int64_t bytes) { poison(block, bytes); });
}

bool PendingBuffer::is_untouched(const void** at) const {
    *at = reinterpret_cast<const void*>(extent.begin);
    if (op != base::OpKind::get) {
        return check::checksum(rows) == checksum;
    }
    const char* damage = nullptr;
    if (is_held_back) {
        for_each_block(rows, [&](const char* block, int64_t bytes) {
            damage = damage != nullptr ? damage : find_damage(block, bytes);
        });
    }
    *at = damage;
    return damage == nullptr;
}

const PendingBuffer* LocalBuffers::find_overlapping(const pipeline::Transfer& transfer,
                                                    Bytes* bytes, int64_t* work) const {
    if (pending_.empty()) {
        return nullptr;
    }
    const Bytes extent = local_extent(transfer);
    std::vector<Row> rows;
    for (const PendingBuffer& pending : pending_) {
        const bool may_share = transfer.op != base::OpKind::get && pending.op != base::OpKind::get;
        if (may_share || !pending.extent.overlaps(extent)) {
            continue;
        }
        if (rows.empty()) {
            rows = local_rows(transfer);
        }
        *bytes = common_bytes(rows, pending.rows, work);
        if (!bytes->is_empty()) {
            return &pending;
        }
        if (*work < 0) {
            return nullptr;
        }
    }
    return nullptr;
}

}  // namespace armci::check

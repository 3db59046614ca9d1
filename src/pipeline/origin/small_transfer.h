// SPDX-License-Identifier: BSD-3-Clause
// A small put, accumulate or get that may share a frame with others.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "base/stats.h"
#include "pipeline/costs/cost_model.h"
#include "pipeline/costs/transfer.h"
#include "strided/kernels.h"
#include "wire/frame.h"

namespace armci::pipeline {

struct SmallBlock {
    char* local;
    uint64_t address;
};

// What is called once when the data of a get has come.
struct GetEnd {
    void (*call)(void* context) = nullptr;  // nullptr: nothing; fences wait for the get
    void* context = nullptr;
};

struct SmallTransfer {
    base::OpKind op = base::OpKind::put;
    const SmallBlock* blocks = nullptr;
    int block_count = 0;
    size_t block_bytes = 0;
    uint32_t owner = wire::kGlobal;            // as in wire::BatchEntry
    const strided::AccScale* scale = nullptr;  // of an accumulate
    GetEnd end = {};                           // of a get

    wire::BatchOperation operation() const {
        return op == base::OpKind::put   ? wire::BatchOperation::put
               : op == base::OpKind::acc ? wire::BatchOperation::accumulate
                                         : wire::BatchOperation::get;
    }
    bool is_get() const { return op == base::OpKind::get; }
    // Returns how much a data frame grows by it.
    size_t answer_bytes() const {
        return is_get() ? static_cast<size_t>(block_count) * wire::padded(block_bytes) : 0;
    }
};

// The blocks of a transfer that is small. The transfer must outlive them.
class SmallBlocks {
  public:
    explicit SmallBlocks(const Transfer& transfer, const GetEnd& end = {}) {
        transfer.sides.for_each_block([&](char* local, char* remote, int64_t) {
            assert(small_.block_count < kMaxSmallBlocks);
            blocks_[small_.block_count++] = {local, reinterpret_cast<uint64_t>(remote)};
        });
        small_.op = transfer.op;
        small_.blocks = blocks_;
        small_.block_bytes = static_cast<size_t>(transfer.sides.block_bytes());
        small_.owner = transfer.place.owner;
        small_.scale = transfer.op == base::OpKind::acc ? &transfer.scale : nullptr;
        small_.end = end;
    }
    SmallBlocks(const SmallBlocks&) = delete;
    SmallBlocks& operator=(const SmallBlocks&) = delete;

    const SmallTransfer& transfer() const { return small_; }

  private:
    SmallBlock blocks_[kMaxSmallBlocks];
    SmallTransfer small_;
};

}  // namespace armci::pipeline

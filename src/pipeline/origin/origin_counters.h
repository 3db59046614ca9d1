// SPDX-License-Identifier: BSD-3-Clause
// What an origin has under way and may still use, as counters of its timeline. Nothing is counted
// while there is none.
#pragma once

#include <cstdint>

#include "base/trace.h"
#include "pipeline/buffers/registered_buffers.h"

namespace armci::pipeline {

class OriginCounters {
  public:
    explicit OriginCounters(const RegisteredBuffers& chunk_buffers)
        : chunk_buffers_(chunk_buffers) {}

    // So many bytes of chunks or RMA were posted or requested. Negative: they have left or come.
    void change_under_way(int64_t bytes) {
        if (base::is_tracing()) [[unlikely]] {
            record_under_way(bytes);
        }
    }
    // So many receive buffers were granted. Negative: they were closed or released.
    void change_granted(int64_t count) {
        if (base::is_tracing()) [[unlikely]] {
            granted_ += count;
            base::record_counter(base::kTraceGranted, granted_);
        }
    }

  private:
    void record_under_way(int64_t bytes) {
        under_way_bytes_ += bytes;
        base::record_counter(base::kTraceUnderWay, under_way_bytes_);
        const BufferManager& buffers = chunk_buffers_.manager();
        const auto free_bytes = static_cast<int64_t>(buffers.arena_bytes() - buffers.used_bytes());
        if (free_bytes != free_bytes_) {
            free_bytes_ = free_bytes;
            base::record_counter(base::kTraceFreeBuffers, free_bytes);
        }
    }

    const RegisteredBuffers& chunk_buffers_;
    int64_t under_way_bytes_ = 0;
    int64_t free_bytes_ = -1;  // recorded last
    int64_t granted_ = 0;
};

}  // namespace armci::pipeline

// SPDX-License-Identifier: BSD-3-Clause
// Batches: small puts and accumulates to one data server that travel in one frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pipeline/origin/channels.h"
#include "pipeline/origin/frame_sender.h"
#include "strided/kernels.h"
#include "wire/frame.h"

namespace armci::pipeline {

// A block of a small operation. Its data is copied at once.
struct SmallBlock {
    const void* data;
    uint64_t address;
};

class Batches {
  public:
    // by_caller means that flush_blocking() follows.
    enum class Leaving : uint8_t { when_due, by_caller };

    Batches(FrameSender& frames, Channels& channels) : frames_(frames), channels_(channels) {}

    // `sends_alone` says that the provider sends small frames without further polls.
    void open(bool sends_alone) { sends_alone_ = sends_alone; }
    void close() { leaving_.clear(); }

    // Appends a small put or accumulate (scale not null), block by block, to the batch for that
    // server, and copies its data. The batch leaves with the next frame to that server, when it is
    // full, or with the next flush_all(). It leaves at once when nothing has gone there for a
    // while. `owner` is as in wire::BatchEntry. Returns false if nothing is appended; the caller
    // then makes a task of it.
    bool append(Channel& channel, const SmallBlock* blocks, int block_count, size_t block_bytes,
                const strided::AccScale* scale, Leaving leaving, uint32_t owner);
    // Returns true when no batch of that channel is left open.
    bool flush(Channel& channel);
    void flush_all();
    // Sends what a blocking operation has just appended. If fences usually follow such operations,
    // the frame also asks for the acknowledgement.
    void flush_blocking(int server);

    // Returns whether everything appended so far has left and needs no further polls to arrive.
    bool have_left() const { return channels_.lists().batching.empty() && leaving_.empty(); }
    // Returns whether the batches up to that one have left, to that server or to all. Waits use
    // this, because other threads may continue to open batches.
    uint64_t last() const { return last_; }
    bool has_left(int server, uint64_t last) const;
    bool have_left(uint64_t last) const;

  private:
    // A batch that may still need polls to leave.
    struct LeavingBatch {
        const OriginFrame* frame;
        int server;
        uint64_t batch;
    };
    bool open_batch(Channel& channel);
    static void put_entry(char* out, wire::BatchEntry* entry, const SmallBlock& block,
                          const strided::AccScale* scale);
    bool is_leaving(int server, uint64_t last) const;
    static void on_sent(fabric::Operation* operation, const fabric::Completion& completion);

    FrameSender& frames_;
    Channels& channels_;
    bool sends_alone_ = false;
    std::vector<LeavingBatch> leaving_;
    uint64_t last_ = 0;  // number of the newest batch
};

}  // namespace armci::pipeline

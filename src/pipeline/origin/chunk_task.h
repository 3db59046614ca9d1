// SPDX-License-Identifier: BSD-3-Clause
// What put and accumulate by way of the data server have in common: pack a chunk into a registered
// buffer, send it, go on with the next buffer while the provider transmits and the server works on
// what has arrived. Every chunk describes itself, so the server needs nothing but the frame.
//
//            room and a buffer?            provider takes it?
//   waiting -------------------> packed ----------------------> sent, and the next chunk
//      ^                            |  no: later
//      '--- no: later               '------------
//
// The cursor over the local side stops and goes on at any byte, and packs straight into the buffer
// that is transmitted.
// docs/references.md: Tipparaju 2001, Worringen
#pragma once

#include "pipeline/costs/transfer.h"
#include "pipeline/origin/task.h"
#include "wire/layout_writer.h"

namespace armci::pipeline {

class ChunkTask : public Task {
  public:
    bool post(OriginServices& origin) override;
    int64_t chunk_bytes() const override { return transfer_.total_bytes; }
    void keep_arguments() override;

  protected:
    // Takes the transfer. What is packed at once needs no copies of a vector's address arrays.
    ChunkTask(wire::FrameKind kind, Transfer&& transfer);

    const Transfer& transfer() const { return transfer_; }

  private:
    // As much of a chunk as may be separated from the rest.
    virtual int64_t whole_bytes(int64_t bytes) const = 0;
    virtual void describe(wire::FrameHeader* header, wire::TransferBody* body) const = 0;

    // Packs the next chunk into a frame; nullptr when there is no room or no buffer now.
    OutFrame* next_frame(OriginServices& origin);
    // A frame for that part with all but its layout and data; nullptr as above.
    OutFrame* start_frame(OriginServices& origin, const wire::LayoutWriter::Part& part);
    // For the timeline: the chunk has been packed since then; it has left.
    void note_packed(int64_t begin_ns);
    void record_packed();

    const wire::FrameKind kind_;
    Transfer transfer_;
    wire::LayoutWriter remote_;
    strided::Cursor local_;
    int64_t packed_bytes_ = 0;    // into frames
    OutFrame* unsent_ = nullptr;  // packed, but the provider did not take it yet
    bool waiting_ = false;        // for the count of buffer waits
    // For the timeline, 0 while there is none: since when it waits, for what it did last, and when
    // `unsent_` was packed.
    const char* missing_ = "";
    int64_t waiting_since_ns_ = 0;
    int64_t pack_begin_ns_ = 0;
    int64_t pack_end_ns_ = 0;
    int64_t pack_bytes_ = 0;
};

}  // namespace armci::pipeline

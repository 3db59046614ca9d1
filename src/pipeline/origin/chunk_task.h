// SPDX-License-Identifier: BSD-3-Clause
// The common part of put and accumulate through the data server. It packs a chunk into a registered
// buffer, sends it, and continues with the next buffer. Meanwhile the provider transmits and the
// server works on what has arrived. Every chunk describes itself, so the server needs nothing but
// the frame.
//
//            room and a buffer?            provider takes it?
//   waiting -------------------> packed ----------------------> sent, and the next chunk
//      ^                            |  no: later
//      '--- no: later               '------------
//
// The cursor over the local side stops and goes on at any byte, and packs straight into the buffer
// that is transmitted. Where the network reads any memory, a long chunk whose data is one block is
// not packed: the buffer has its head only, and the data is sent from where it lies.
// docs/references.md: Tipparaju 2001, Worringen
#pragma once

#include "pipeline/buffers/out_frame.h"
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
    // Takes the transfer. Data that is packed at once needs no copies of a vector's address arrays.
    ChunkTask(wire::FrameKind kind, Transfer&& transfer);

    const Transfer& transfer() const { return transfer_; }

  private:
    // Returns how many of these bytes may be a chunk of their own.
    virtual int64_t whole_bytes(int64_t bytes) const = 0;
    virtual void describe(wire::FrameHeader* header, wire::TransferBody* body) const = 0;

    // Packs the next chunk into a frame. Returns nullptr when there is no room or no buffer now.
    OriginFrame* next_frame(OriginServices& origin);
    // Makes a frame for that part without its layout and data. Returns nullptr as above.
    OriginFrame* start_frame(OriginServices& origin, const wire::LayoutWriter::Part& part,
                             const DataInPlace& in_place);
    // Returns the block at this position of the local side if its data may be sent from there. It
    // has no bytes if all data must be packed.
    strided::Block block_in_place(const OriginServices& origin) const;
    // These are for the timeline: the chunk has been packed since `begin_ns`; it has left.
    void note_packed(int64_t begin_ns);
    void record_packed(OriginServices& origin);

    const wire::FrameKind kind_;
    Transfer transfer_;
    wire::LayoutWriter remote_;
    strided::Cursor local_;
    int64_t packed_bytes_ = 0;       // into frames
    OriginFrame* unsent_ = nullptr;  // packed, but the provider did not take it yet
    DataInPlace in_place_;           // of `unsent_`
    bool waiting_ = false;           // for the count of buffer waits
    // For the timeline, 0 if there is none: what it waits for, since when, and when `unsent_` was
    // packed.
    const char* missing_ = "";
    int64_t waiting_since_ns_ = 0;
    int64_t pack_begin_ns_ = 0;
    int64_t pack_end_ns_ = 0;
    int64_t pack_bytes_ = 0;
};

}  // namespace armci::pipeline

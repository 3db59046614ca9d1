// Put and accumulate by way of the data server: pack a chunk into a registered buffer, send it, go
// on with the next buffer while the provider transmits. Every chunk describes itself, so the server
// needs nothing but the frame.
#pragma once

#include "pipeline/task.h"
#include "pipeline/transfer.h"

namespace armci::pipeline {

class SendTask : public Task {
  public:
    // Takes the transfer; a vector's address arrays must live until the task is posted or be owned.
    explicit SendTask(Transfer&& transfer);

    bool post(Origin& origin) override;

  private:
    // Packs the next chunk into a frame; nullptr when there is no room or no buffer now.
    OutFrame* next_frame(Origin& origin);
    OutFrame* next_strided_frame(Origin& origin, uint64_t remote, const strided::Layout& layout,
                                 int64_t offset, strided::StridedCursor& local);
    OutFrame* next_segments_frame(Origin& origin);
    OutFrame* start_frame(Origin& origin, size_t layout_bytes, int64_t offset, int64_t data_bytes,
                          char** layout);
    int64_t segments_per_frame(const Origin& origin) const;

    Transfer transfer_;
    strided::Layout remote_layout_;
    strided::StridedCursor local_;
    int64_t segment_ = 0;         // vector: the first segment not yet packed completely
    int64_t sent_bytes_ = 0;      // packed into frames
    OutFrame* unsent_ = nullptr;  // packed, but the provider did not take it yet
    bool waiting_ = false;        // for the count of buffer waits
};

}  // namespace armci::pipeline

// SPDX-License-Identifier: BSD-3-Clause
// Memory of this origin that data servers write the chunks of gets into. A buffer is named by the
// immediate data that a write into it carries.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/slot_table.h"
#include "pipeline/buffers/registered_buffers.h"
#include "wire/frame.h"

namespace armci::pipeline {

struct ReplyBuffer {
    uint32_t immediate = 0;
    uint32_t bytes = 0;
};

class ReplyBuffers {
  public:
    explicit ReplyBuffers(RegisteredBuffers& buffers) : buffers_(buffers) {}

    // `are_usable` says that servers can write into the buffers. Otherwise the data of gets comes
    // in messages. With several rails, chunks of one get are under way on each.
    void open(bool are_usable, bool has_rails, size_t further_key_count) {
        are_usable_ = are_usable;
        further_key_count_ = further_key_count;
        max_of_get_ = has_rails ? wire::kMaxReplyBuffers : wire::kMaxReplyBuffers / 2;
    }
    void close() { pieces_.clear(); }
    bool are_usable() const { return are_usable_; }

    size_t max_bytes() const { return buffers_.buffer_bytes(); }
    // Returns how many one get may have.
    uint32_t max_of_get() const { return max_of_get_; }
    // Returns false when no buffer of that length is free now.
    bool acquire(size_t bytes, ReplyBuffer* reply_buffer);
    void release(const ReplyBuffer& reply_buffer);
    const void* memory(const ReplyBuffer& reply_buffer) const {
        return pieces_[reply_buffer.immediate].memory;
    }
    // Returns what tells a server of `count` buffers of equal length.
    wire::ReplyPlaces describe(const ReplyBuffer* reply_buffers, uint32_t count) const;
    // Returns the length of that in a request.
    size_t described_bytes(uint32_t count) const {
        return wire::ReplyPlaces::encoded_bytes(count, further_key_count_);
    }
    size_t count() const { return pieces_.used_count(); }

    // Returns the buffer that immediate data names, and its length. Returns nullptr if there is no
    // such buffer in use.
    void* written(uint64_t immediate, size_t* bytes) const;

  private:
    struct Piece {
        char* memory = nullptr;
        size_t bytes = 0;
    };
    RegisteredBuffers& buffers_;
    bool are_usable_ = false;
    uint32_t max_of_get_ = 0;
    size_t further_key_count_ = 0;
    base::SlotTable<Piece> pieces_;
};

}  // namespace armci::pipeline

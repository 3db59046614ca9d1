// SPDX-License-Identifier: BSD-3-Clause
// Divides the remote side of a transfer among frames, and writes what each of them names.
//
// A chunk of a strided transfer names the whole layout and the position at which its data begins. A
// chunk of a vector names its own blocks. A block that is too long for one frame becomes a
// contiguous transfer of its own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "strided/sides.h"
#include "wire/frame.h"

namespace armci::wire {

class LayoutWriter {
  public:
    // The addresses of a vector stay in `sides`, which must be valid until they are written.
    explicit LayoutWriter(const strided::Sides& sides);

    // A Part is what one frame names of the layout, and which bytes of it the frame moves.
    struct Part {
        LayoutKind kind = LayoutKind::none;
        size_t encoded_bytes = 0;
        int64_t offset = 0;
        int64_t data_bytes = 0;
        int64_t first_block = 0;  // vector
        int64_t block_count = 0;  // vector
    };
    // Return the part from byte `position` of the layout on that fits into `frame_bytes`. The first
    // is for puts and accumulates, with their data in the frame; the second is for gets.
    Part part_with_data(int64_t position, size_t frame_bytes) const;
    Part part_without_data(int64_t position, size_t frame_bytes) const;

    // Writes part.encoded_bytes and returns their end. Sets the kind of layout in the header.
    char* write(const Part& part, FrameHeader* header, char* out) const;

  private:
    Part strided_part(const strided::StridedSide& side, int64_t position) const;

    strided::Side side_;
    VectorForm form_;
};

}  // namespace armci::wire

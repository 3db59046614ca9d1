// SPDX-License-Identifier: BSD-3-Clause
// Divides the remote side of a transfer among frames, and writes what each of them names.
//
// A chunk of a strided transfer names the whole layout and says where in it its data begins; one of
// a vector names its own blocks. A block that is too long for a frame is a contiguous transfer of
// its own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "strided/sides.h"
#include "wire/frame.h"

namespace armci::wire {

class LayoutWriter {
  public:
    // Addresses of a vector are those of `sides`, which must stay until they are written.
    explicit LayoutWriter(const strided::Sides& sides);

    // What one frame names of the layout, and which bytes of that it is about.
    struct Part {
        LayoutKind kind = LayoutKind::none;
        size_t encoded_bytes = 0;
        int64_t offset = 0;
        int64_t data_bytes = 0;
        int64_t first_block = 0;  // vector
        int64_t block_count = 0;  // vector
    };
    // From that byte of the layout on, as much as fits a put or accumulate of `frame_bytes` with
    // its data, or a get of `frame_bytes` without.
    Part part_with_data(int64_t position, size_t frame_bytes) const;
    Part part_without_data(int64_t position, size_t frame_bytes) const;

    // Writes part.encoded_bytes and returns their end; sets the kind of layout in the header.
    char* write(const Part& part, FrameHeader* header, char* out) const;

  private:
    Part strided_part(const strided::StridedSide& side, int64_t position) const;

    strided::Side side_;
    VectorForm form_;
};

}  // namespace armci::wire

// SPDX-License-Identifier: BSD-3-Clause
#include "wire/layout_writer.h"

#include <algorithm>

namespace armci::wire {
namespace {

strided::Layout contiguous(int64_t bytes) {
    strided::Layout layout;
    layout.count[0] = bytes;
    return layout;
}

}  // namespace

LayoutWriter::LayoutWriter(const strided::Sides& sides)
    : side_(sides.remote()), form_(vector_form(sides.remote_extent())) {}

LayoutWriter::Part LayoutWriter::strided_part(const strided::StridedSide& side,
                                              int64_t position) const {
    return {.kind = LayoutKind::strided,
            .encoded_bytes = encoded_strided_bytes(side.layout.levels),
            .offset = position,
            .data_bytes = strided::total_bytes(side.layout) - position};
}

LayoutWriter::Part LayoutWriter::part_with_data(int64_t position, size_t frame_bytes) const {
    const auto room_behind = [&](const Part& part) {
        return static_cast<int64_t>(frame_bytes - kTransferHeadBytes - part.encoded_bytes);
    };
    if (const auto* strided = std::get_if<strided::StridedSide>(&side_)) {
        Part part = strided_part(*strided, position);
        part.data_bytes = std::min(part.data_bytes, room_behind(part));
        return part;
    }
    const auto& vector = *std::get_if<strided::VectorSide>(&side_);
    // Both the entries and the data are padded.
    const size_t head = kTransferHeadBytes + form_.encoded_bytes(0) + 2 * sizeof(uint64_t);
    const size_t each = static_cast<size_t>(vector.block_bytes) + form_.entry_bytes();
    Part part;
    part.first_block = position / vector.block_bytes;
    part.offset = position % vector.block_bytes;
    part.block_count = std::min(static_cast<int64_t>((frame_bytes - head) / each),
                                vector.block_count - part.first_block);
    if (part.offset == 0 && part.block_count > 0) {
        part.kind = form_.kind;
        part.encoded_bytes = form_.encoded_bytes(part.block_count);
        part.data_bytes = part.block_count * vector.block_bytes;
        return part;
    }
    part.kind = LayoutKind::strided;
    part.encoded_bytes = encoded_strided_bytes(0);
    part.data_bytes = std::min(vector.block_bytes - part.offset, room_behind(part));
    return part;
}

LayoutWriter::Part LayoutWriter::part_without_data(int64_t position, size_t frame_bytes) const {
    if (const auto* strided = std::get_if<strided::StridedSide>(&side_)) {
        return strided_part(*strided, position);
    }
    const auto& vector = *std::get_if<strided::VectorSide>(&side_);
    const size_t space =
        frame_bytes - kTransferHeadBytes - form_.encoded_bytes(0) - sizeof(uint64_t);  // padding
    Part part;
    part.kind = form_.kind;
    part.first_block = position / vector.block_bytes;
    part.block_count = std::min(static_cast<int64_t>(space / form_.entry_bytes()),
                                vector.block_count - part.first_block);
    part.encoded_bytes = form_.encoded_bytes(part.block_count);
    part.data_bytes = part.block_count * vector.block_bytes;
    return part;
}

char* LayoutWriter::write(const Part& part, FrameHeader* header, char* out) const {
    header->layout_kind = static_cast<uint8_t>(part.kind);
    if (const auto* strided = std::get_if<strided::StridedSide>(&side_)) {
        header->levels = static_cast<uint8_t>(strided->layout.levels);
        return encode_strided(out, strided->base, strided->layout);
    }
    const auto& vector = *std::get_if<strided::VectorSide>(&side_);
    const uint64_t* first = vector.addresses + part.first_block;
    return part.kind == LayoutKind::strided
               ? encode_strided(out, *first, contiguous(vector.block_bytes))
               : form_.encode(out, first, part.block_count, vector.block_bytes);
}

}  // namespace armci::wire

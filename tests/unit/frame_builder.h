// SPDX-License-Identifier: BSD-3-Clause
// Frames made by hand, valid and invalid.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "wire/frame.h"

namespace armci::test {

// Words, so that it begins at an 8-byte boundary and has a whole number of them.
using Frame = std::vector<uint64_t>;

inline size_t frame_bytes(const Frame& frame) {
    return frame.size() * sizeof(uint64_t);
}

inline wire::FrameHeader& header_of(Frame& frame) {
    return *reinterpret_cast<wire::FrameHeader*>(frame.data());
}

// The tokens of processes in these tests.
inline uint64_t token_of_rank(int rank) {
    return 0x1234'5678'0000'0001 + static_cast<uint64_t>(rank);
}
inline uint64_t token_of_server(int server) {
    return 0x8765'4321'0000'0001 + static_cast<uint64_t>(server);
}

inline Frame make_frame(wire::FrameKind kind, const void* body, size_t body_bytes) {
    Frame frame((sizeof(wire::FrameHeader) + body_bytes + 7) / 8);
    wire::FrameHeader header;
    header.kind = kind;
    header.frame_bytes = static_cast<uint32_t>(frame_bytes(frame));
    std::memcpy(frame.data(), &header, sizeof header);
    if (body_bytes > 0) {
        std::memcpy(reinterpret_cast<char*>(frame.data()) + sizeof header, body, body_bytes);
    }
    return frame;
}

template <class Body>
Frame make_frame(wire::FrameKind kind, const Body& body) {
    return make_frame(kind, &body, sizeof body);
}

inline Frame make_frame(wire::FrameKind kind) {
    return make_frame(kind, nullptr, 0);
}

// A transfer whose body and layout are given, followed by the data that the body names (not for
// gets). Nothing is checked.
inline Frame make_transfer(wire::FrameKind kind, const wire::TransferBody& body,
                           const std::vector<char>& layout, const std::vector<char>& data) {
    std::vector<char> bytes(sizeof body);
    std::memcpy(bytes.data(), &body, sizeof body);
    bytes.insert(bytes.end(), layout.begin(), layout.end());
    bytes.insert(bytes.end(), data.begin(), data.end());
    return make_frame(kind, bytes.data(), bytes.size());
}

inline Frame make_strided_transfer(wire::FrameKind kind, const wire::TransferBody& body,
                                   uint64_t base, const strided::Layout& layout,
                                   const std::vector<char>& data) {
    std::vector<char> encoded(wire::encoded_strided_bytes(layout.levels));
    wire::encode_strided(encoded.data(), base, layout);
    Frame frame = make_transfer(kind, body, encoded, data);
    header_of(frame).layout_kind = static_cast<uint8_t>(wire::LayoutKind::strided);
    header_of(frame).levels = static_cast<uint8_t>(layout.levels);
    return frame;
}

inline Frame make_vector_transfer(wire::FrameKind kind, const wire::TransferBody& body,
                                  const wire::VectorForm& form,
                                  const std::vector<uint64_t>& addresses, int64_t segment_bytes,
                                  const std::vector<char>& data) {
    const auto count = static_cast<int64_t>(addresses.size());
    std::vector<char> encoded(form.encoded_bytes(count));
    form.encode(encoded.data(), addresses.data(), count, segment_bytes);
    Frame frame = make_transfer(kind, body, encoded, data);
    header_of(frame).layout_kind = static_cast<uint8_t>(form.kind);
    return frame;
}

// The addresses are encoded as an origin would.
inline Frame make_vector_transfer(wire::FrameKind kind, const wire::TransferBody& body,
                                  const std::vector<uint64_t>& addresses, int64_t segment_bytes,
                                  const std::vector<char>& data) {
    const strided::AddressRange extent =
        strided::enclose(addresses.data(), static_cast<int64_t>(addresses.size()),
                         std::max<int64_t>(segment_bytes, 1));
    return make_vector_transfer(kind, body, wire::vector_form(extent), addresses, segment_bytes,
                                data);
}

inline std::vector<char> random_bytes(std::mt19937_64& random, size_t bytes) {
    std::vector<char> result(bytes);
    for (char& byte : result) {
        byte = static_cast<char>(random());
    }
    return result;
}

// Contiguous: `bytes` bytes.
inline strided::Layout block_layout(int64_t bytes) {
    strided::Layout layout;
    layout.count[0] = bytes;
    return layout;
}

}  // namespace armci::test

// SPDX-License-Identifier: BSD-3-Clause
// Registered memory of a data server that origins write into. It consists of receive buffers of one
// length, each written only by the origin that it is granted to, and of mailboxes, each of one
// origin. The server alone therefore decides how much memory it needs, whatever the number of
// origins.
//
// Several frames may follow each other in a buffer. The immediate data of a write says where its
// frame begins: the number of its place in the area.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/buffers/registered_mapping.h"

namespace armci::pipeline {

// Frames begin at multiples of this. With 32 bits for a place there may be 4 TiB of them.
inline constexpr uint32_t kRecvPlaceBytes = 1 << 10;
// This bounds the completions that wait in a server's queue.
inline constexpr uint32_t kMaxFramesInRecvBuffer = 4;

// A mailbox takes one frame of at most this length, with its seal. Mailboxes do not begin at the
// same lines of the processor's cache, because the server looks at all of them in turn.
inline constexpr uint32_t kMailboxBytes = 8 << 10;
inline constexpr uint32_t kMailboxDistance = kMailboxBytes + 3 * 64;

// What origins must know of a server's receive buffers. It travels between processes as these
// bytes.
struct RecvAreaAddress {
    uint64_t remote_base = 0;  // 0, and the key, where chunks are messages
    uint64_t key = 0;
    uint32_t recv_buffer_count = 0;  // 0: there are none, chunks are short messages
    uint32_t recv_buffer_bytes = 0;  // where chunks are written, a multiple of kRecvPlaceBytes

    uint64_t position(uint32_t recv_buffer, uint32_t offset) const {
        return uint64_t{recv_buffer} * recv_buffer_bytes + offset;
    }
    // Returns where a mailbox begins: behind all receive buffers.
    uint64_t mailbox_position(uint32_t mailbox) const {
        return position(recv_buffer_count, 0) + uint64_t{mailbox} * kMailboxDistance;
    }
    // Returns the immediate data for a frame at that position, which is a multiple of
    // kRecvPlaceBytes.
    static uint32_t place_of(uint64_t position) {
        return static_cast<uint32_t>(position / kRecvPlaceBytes);
    }
};

class RecvArea {
  public:
    // Origins write through `endpoint`. The length of the buffers is rounded down to places.
    // Returns false and sets *error when memory or its registration is refused.
    bool open(fabric::Domain& domain, fabric::Endpoint& endpoint, uint32_t recv_buffer_count,
              uint32_t recv_buffer_bytes, uint32_t mailbox_count, std::string* error);
    void close();

    const RecvAreaAddress& address() const { return address_; }
    // Returns its keys on the further rails, where these differ.
    const std::vector<uint64_t>& further_keys() const { return further_keys_; }
    // Where immediate data says that a frame begins.
    struct Place {
        char* memory = nullptr;  // nullptr: there is no such place
        uint32_t bytes = 0;      // to the end of its buffer
        uint32_t recv_buffer = 0;
    };
    Place find(uint64_t place);
    uint32_t mailbox_count() const { return mailbox_count_; }
    char* mailbox(uint32_t number) { return memory_.data() + address_.mailbox_position(number); }

  private:
    RegisteredMapping memory_;
    RecvAreaAddress address_;
    std::vector<uint64_t> further_keys_;
    uint32_t mailbox_count_ = 0;
};

}  // namespace armci::pipeline

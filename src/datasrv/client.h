// SPDX-License-Identifier: BSD-3-Clause
// What a data server keeps about each origin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "datasrv/buffer_grants.h"
#include "fabric/endpoint.h"
#include "wire/frame.h"

namespace armci::datasrv {

// A frame that came before its predecessors. It is a copy, unless it was written into a granted
// receive buffer, where it waits.
struct EarlyFrame {
    wire::FrameHeader header;
    std::vector<char> copy;
    const void* written = nullptr;
};

// A client exists from the origin's first frame on. `peer` is known after the handshake.
struct Client : GrantClient {
    int32_t rank = -1;
    fabric::PeerAddress peer = FI_ADDR_UNSPEC;
    uint64_t executed_frames = 0;
    uint64_t executed_bytes = 0;      // of its messages that take no receive buffer
    uint64_t acknowledged_bytes = 0;  // executed_bytes when it was last acknowledged
    uint64_t acknowledged_frames = 0;
    wire::AnswerSlotsBody answer_slots;
    bool has_answer_slots = false;
    uint8_t lent_slot = 0;  // 1 + the number of a free one among these; 0: none
    uint8_t mailbox = 0;    // 1 + its number; 0: it has none
    bool acknowledgement_due = false;
    bool is_copying = false;         // its next frame is a put that the copy engine carries out
    bool waits_for_answers = false;  // its next frame has gets, and there is no room for their data
    bool gets_are_short = false;     // one could not send, so its later ones do not this time
    bool takes_no_answers = false;   // the same for its answers
    int waiting_replies = 0;         // answers that wait for a buffer or the provider
    int puts_for_gets = 0;           // writes under way that answer its gets
    int data_under_way = 0;          // data frames that the provider has not completed
    uint32_t early_written = 0;      // of the early frames, those in granted receive buffers
    // Frames that completed before their predecessors, by sequence number.
    std::map<uint64_t, EarlyFrame> early_frames;
    size_t early_bytes = 0;  // of those without a granted receive buffer
};

}  // namespace armci::datasrv

// SPDX-License-Identifier: BSD-3-Clause
// Memory of this origin into which data servers write answers that nothing announces.
//
// An origin lends a slot with a request that it writes into its mailbox. It looks there whenever it
// has polled, and before it sleeps. The server writes the next frame for this origin into the slot
// if it fits, whatever it is. That ends the loan. A server has at most one slot at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "fabric/domain.h"
#include "fabric/endpoint.h"
#include "pipeline/buffers/registered_mapping.h"
#include "wire/frame.h"

namespace armci::pipeline {

class AnswerSlots {
  public:
    // The endpoint must be open. If memory or its registration is refused there are none.
    void open(fabric::Domain& domain, fabric::Endpoint& endpoint);
    // Must be called before the endpoint is closed, because some providers bind memory that others
    // write into to the endpoint.
    void close();

    bool are_open() const { return memory_.data() != nullptr; }
    // Returns what tells a server of them.
    wire::AnswerSlotsBody describe() const {
        return {memory_.remote_address(memory_.data()), memory_.key()};
    }

    // Returns 1 + the number of a free slot for that server, or 0 if there is none or it has one.
    uint32_t lend(int server);
    // Ends the last loan, of which the server does not know because its request was not posted.
    void take_back() { --lent_count_; }

    // Calls take(int server, void* memory) for each lent slot in which a frame has begun to arrive.
    // take() returns whether the frame was complete, and the slot is free then. Returns whether
    // there was a complete one.
    template <class Take>
    bool collect(Take&& take) {
        bool moved = false;
        for (uint32_t i = 0; i < lent_count_;) {
            char* const memory = slot(loans_[i].slot);
            if (wire::has_token(memory) && take(loans_[i].server, memory)) {
                std::swap(loans_[i], loans_[--lent_count_]);
                moved = true;
            } else {
                ++i;
            }
        }
        return moved;
    }

  private:
    struct Loan {
        int server = -1;
        uint32_t slot = 0;
    };
    char* slot(uint32_t number) const {
        return memory_.data() + size_t{number} * wire::kAnswerSlotBytes;
    }

    RegisteredMapping memory_;
    // Each slot is in one of these. The first lent_count_ are lent, and the others are free.
    std::array<Loan, wire::kAnswerSlots> loans_{};
    uint32_t lent_count_ = 0;
};

}  // namespace armci::pipeline

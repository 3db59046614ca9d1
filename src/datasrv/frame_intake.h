// SPDX-License-Identifier: BSD-3-Clause
// Takes the frames of all clients as they arrive, and executes those of each client in the order of
// their sequence numbers.
//
// What no rank of this job has sent is dropped before anything of it is decoded (base/strangers.h).
// Of what ranks send it trusts nothing either: it ignores, with a warning, what is no request or
// does not fit its client's sequence.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "datasrv/acknowledgements.h"
#include "datasrv/client.h"
#include "datasrv/clients.h"
#include "datasrv/granted_buffers.h"
#include "datasrv/handlers.h"
#include "datasrv/mailboxes.h"
#include "datasrv/offloaded_puts.h"
#include "datasrv/server_options.h"
#include "wire/frame.h"

namespace armci::datasrv {

// Only one thread may use it at a time, except busy_ns().
class FrameIntake {
  public:
    struct Parts {
        const ServerOptions& options;
        HandlerParts handlers;  // what handlers work with
        OffloadedPuts& offloaded;
        Mailboxes& mailboxes;
        Acknowledgements& acknowledgements;
    };
    explicit FrameIntake(const Parts& parts) : parts_(parts) {}

    // Is called for each message, whose memory is valid until this returns. `intake` is a
    // FrameIntake.
    static void on_message(void* intake, const void* frame, size_t frame_bytes);
    // Is called when an origin has written a frame to that place of the receive buffers.
    static void on_written(void* intake, uint64_t place);

    // Takes what has come into mailboxes. Returns true when there was something.
    bool take_mail();

    // Finishes the puts that the copy engine has completed, and executes what waited behind them.
    // Returns true when there were any.
    bool finish_offloaded_puts();
    // Executes batches with gets that had no room for their answers, and what waited behind them.
    // Returns true when there were any for which there is room now.
    bool execute_waiting();
    void clear() { waiting_.clear(); }

    // Returns the time that execution took, for statistics. Any thread may call it.
    int64_t busy_ns() const { return busy_ns_.load(std::memory_order_relaxed); }

  private:
    // Where a frame lies: in memory that is valid only now, or in a receive buffer.
    enum class Memory : uint8_t { lent, written };

    void take(Client& client, const wire::FrameHeader& header, const void* frame, Memory memory);
    void hold_early(Client& client, const wire::FrameHeader& header, const void* frame,
                    Memory memory);
    void refuse_early(const Client& client, const wire::FrameHeader& header, Memory memory);
    void execute_next(Client& client, const wire::FrameHeader& header, const void* frame,
                      Memory memory);
    void execute_held(Client& client);
    // Returns whether a client's next frame cannot be executed yet.
    bool must_wait(const Client& client, const wire::FrameHeader& header) const;
    void finish(Client& client, const wire::FrameHeader& header, Memory memory);
    // Frees the receive buffer that an executed frame closes.
    void free_closed(Client& client, const wire::FrameHeader& header, Memory memory);
    bool is_known(Client& client, const wire::FrameHeader& header, const void* frame);
    // Returns false when the message takes a receive buffer that was not granted to its sender.
    bool use_granted(Client& client, const wire::FrameHeader& header);

    const Parts parts_;
    std::deque<Client*> waiting_;  // for room for answers
    std::atomic<int64_t> busy_ns_{0};
};

}  // namespace armci::datasrv

// SPDX-License-Identifier: BSD-3-Clause
#include "datasrv/acknowledgements.h"

namespace armci::datasrv {

void Acknowledgements::note_executed(Client& client, const wire::FrameHeader& header) {
    // Frames of these kinds do not ask for it themselves, and may be the last that their sender
    // sends.
    const bool asks_for_none = header.kind == wire::FrameKind::release_recv_buffers ||
                               header.kind == wire::FrameKind::get_credit;
    const bool much_unacknowledged =
        !asks_for_none &&
        client.executed_bytes - client.acknowledged_bytes >= unacknowledged_limit_;
    const bool asked = (header.flags & wire::kAcknowledgeNow) != 0;
    if ((asked || much_unacknowledged) && client.acknowledged_frames != client.executed_frames &&
        !client.acknowledgement_due && !is_silent_) {
        client.acknowledgement_due = true;
        due_.push_back(&client);
    }
}

bool Acknowledgements::flush() {
    bool moved = false;
    std::erase_if(due_, [&](Client* client) {
        // Another answer may have acknowledged it in the meantime.
        if (client->acknowledged_frames != client->executed_frames) {
            if (!answers_.try_acknowledge(*client)) {
                return false;
            }
            moved = true;
        }
        client->acknowledgement_due = false;
        return true;
    });
    return moved;
}

void Acknowledgements::fall_silent() {
    due_.clear();
    is_silent_ = true;
}

void Acknowledgements::clear() {
    due_.clear();
    is_silent_ = false;
}

}  // namespace armci::datasrv

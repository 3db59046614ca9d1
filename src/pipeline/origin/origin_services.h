// SPDX-License-Identifier: BSD-3-Clause
// The parts of an origin that tasks use.
#pragma once

#include "base/stats.h"
#include "pipeline/origin/batches.h"
#include "pipeline/origin/channels.h"
#include "pipeline/origin/fences.h"
#include "pipeline/origin/frame_sender.h"
#include "pipeline/origin/pending_requests.h"
#include "pipeline/origin/recv_grants.h"
#include "pipeline/origin/reply_buffers.h"
#include "pipeline/origin/rma_poster.h"
#include "pipeline/origin/stream_credits.h"

namespace armci::pipeline {

struct OriginServices {
    const Channels& channels;
    FrameSender& frames;
    RecvGrants& grants;
    Batches& batches;
    PendingRequests& requests;
    ReplyBuffers& replies;
    StreamCredits& credits;
    RmaPoster& rma;
    Fences& fences;
    base::Stats* stats = nullptr;

    // Returns whether tasks of other servers need buffers, too. One chunk at a time is enough then.
    bool are_shared() const { return channels.lists().active.size() > 1; }
};

}  // namespace armci::pipeline

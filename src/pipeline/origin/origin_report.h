// SPDX-License-Identifier: BSD-3-Clause
// What an origin is in the middle of, for a report about a wait that lasts.
#pragma once

#include <string>
#include <vector>

#include "fabric/domain.h"
#include "pipeline/buffers/registered_buffers.h"
#include "pipeline/origin/barrier_messages.h"
#include "pipeline/origin/channels.h"

namespace armci::pipeline {

class OriginReport {
  public:
    OriginReport(Channels& channels, const BarrierMessages& barrier,
                 const RegisteredBuffers& buffers)
        : channels_(channels), barrier_(barrier), buffers_(buffers) {}

    void open(const fabric::Domain& domain) { domain_ = &domain; }
    void close() { reached_nodes_.clear(); }

    // What is under way to each server, and what of this origin's is in use for it; in words.
    std::string describe_work() const;
    // Servers that work is under way to and that have never been heard of.
    std::vector<int> silent_servers() const;
    // The server's host has been; no reason to ask again.
    void note_reached(int server);

  private:
    Channels& channels_;
    const BarrierMessages& barrier_;
    const RegisteredBuffers& buffers_;
    const fabric::Domain* domain_ = nullptr;
    std::vector<int> reached_nodes_;  // as note_reached() was told
};

}  // namespace armci::pipeline

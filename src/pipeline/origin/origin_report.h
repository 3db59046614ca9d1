// SPDX-License-Identifier: BSD-3-Clause
// Describes what an origin is working on, for a report about a long wait.
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
    OriginReport(Channels& channels, const BarrierMessages& barriers,
                 const RegisteredBuffers& buffers)
        : channels_(channels), barriers_(barriers), buffers_(buffers) {}

    void open(const fabric::Domain& domain) { domain_ = &domain; }
    void close() { reached_nodes_.clear(); }

    // Describes in words what is under way to each server, and which of this origin's resources it
    // uses.
    std::string describe_work() const;
    // Returns the servers that have work under way and have never answered.
    std::vector<int> silent_servers() const;
    // Notes that the server's host has answered, so that it is not asked again.
    void note_reached(int server);

  private:
    Channels& channels_;
    const BarrierMessages& barriers_;
    const RegisteredBuffers& buffers_;
    const fabric::Domain* domain_ = nullptr;
    std::vector<int> reached_nodes_;  // as given to note_reached()
};

}  // namespace armci::pipeline

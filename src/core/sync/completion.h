// SPDX-License-Identifier: BSD-3-Clause
// Waits of the program for its own operations.
#pragma once

#include "core/job/checking.h"
#include "core/progress/handles.h"
#include "core/progress/progress.h"

namespace armci::core {

class Completion {
  public:
    Completion(Progress& progress, Handles& handles, Checking& checking)
        : progress_(progress), handles_(handles), checking_(checking) {}

    // Wait for local completion of the operations of a handle, of those to a rank, or of all.
    void wait_handle(armci_hdl_s* handle);
    // Polls once and returns true when the operations are complete.
    bool test_handle(armci_hdl_s* handle);
    void wait_target(int target);
    void wait_everything();

    // Makes the handle idle, unless earlier operations are still on it.
    void set_idle_unless_active(armci_hdl_s* handle);

  private:
    void hold_lock_to_wait(const armci_hdl_s* handle);
    void send_batches();
    void send_later_batches();

    Progress& progress_;
    Handles& handles_;
    Checking& checking_;
};

}  // namespace armci::core

// SPDX-License-Identifier: BSD-3-Clause
// One turn of Origin::progress(), as the parts of an origin see it.
#pragma once

namespace armci::pipeline {

struct Turn {
    bool moved = false;      // something was posted or has completed
    bool has_taken = false;  // a call took completions since the last turn, maybe another thread's
};

}  // namespace armci::pipeline

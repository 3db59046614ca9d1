// SPDX-License-Identifier: BSD-3-Clause
// An event that other threads set to end the sleep of a thread. The sleeper passes fd() to poll()
// or a relative of it, and takes the event when it is readable.
#pragma once

#include "base/descriptor.h"

namespace armci::base {

class WakeUp {
  public:
    // Returns false with errno set when the system refuses another descriptor.
    bool open();
    void close() { event_.reset(); }

    // Is readable from set() until take().
    int fd() const { return event_.get(); }
    // Sets the event; setting it twice is setting it once. Any thread may call this, and so may a
    // signal handler. Returns false with errno set on failure.
    bool set() const;
    // Returns false with errno set if the event is not set, for instance because another thread
    // has taken it.
    bool take() const;

  private:
    Descriptor event_;
};

}  // namespace armci::base

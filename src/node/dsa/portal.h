// SPDX-License-Identifier: BSD-3-Clause
// The way of descriptors from a process to the work queue of a device: a page of the device's
// address space, into which the processor writes 64 bytes at once.
//
// Where the kernel does not trust the device with that (INTEL-SA-01084), it takes descriptors by
// write(), one at a time and no batches.
// docs/references.md: Intel DSA
#pragma once

#include <string>

#include "base/descriptor.h"
#include "node/dsa/descriptor.h"

namespace armci::node::dsa {

class Portal {
  public:
    Portal() = default;
    ~Portal() { close(); }
    Portal(const Portal&) = delete;
    Portal& operator=(const Portal&) = delete;

    // Takes the open character device of a work queue. Returns false and why if this processor or
    // the kernel does not let it submit.
    bool open(base::Descriptor device, bool is_shared, std::string* error);
    void close();
    // Returns false if a shared queue has no room now.
    bool submit(const Descriptor& descriptor);
    bool takes_batches() const { return page_ != nullptr; }

  private:
    bool write_to_device(const Descriptor& descriptor) const;

    base::Descriptor device_;
    char* page_ = nullptr;  // nullptr: submit by write()
    bool is_shared_ = false;
    unsigned next_line_ = 0;  // any line of the page will do; the next one need not wait
};

// Returns whether this processor can write to the portals of dedicated, or of shared, queues.
bool has_instruction_for(bool is_shared);

}  // namespace armci::node::dsa

// SPDX-License-Identifier: BSD-3-Clause
// Settings of libfabric that have no way in but its environment variables.
#pragma once

namespace armci::fabric {

// While it exists, variables that the user has not set say what this library wants. To be around
// every fi_getinfo, for libfabric reads them once, at the first, and it may be ours. (Where MPI
// itself uses libfabric it was MPI's, and libfabric's defaults stay.) Programs that are started
// later see what the user set and no more.
//
// The environment is the whole process's: like ARMCI_Init, not while another thread uses it.
class LibfabricEnvironment {
  public:
    LibfabricEnvironment();
    ~LibfabricEnvironment();
    LibfabricEnvironment(const LibfabricEnvironment&) = delete;
    LibfabricEnvironment& operator=(const LibfabricEnvironment&) = delete;

  private:
    unsigned ours_ = 0;  // a bit for each variable that was not set
};

}  // namespace armci::fabric

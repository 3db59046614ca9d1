// SPDX-License-Identifier: BSD-3-Clause
// Settings of libfabric that only its environment variables can change.
#pragma once

namespace armci::fabric {

// While this object exists, variables that the user has not set have the values that this library
// wants. One must surround every fi_getinfo, because libfabric reads the variables once, at the
// first call, which may be ours. (If MPI itself uses libfabric, the first call was MPI's, and
// libfabric's defaults stay.) Programs that are started later see only what the user set.
//
// The environment belongs to the whole process. So, as for ARMCI_Init, no other thread may use it
// then.
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

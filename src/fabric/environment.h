// SPDX-License-Identifier: BSD-3-Clause
// Settings of libfabric that only its environment variables can change.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/config_value.h"

namespace armci::fabric {

// Before the first object below is made: at which ports providers over TCP are to listen. Libfabric
// does not take another range later, nor any if MPI has started it before.
void use_ports(const base::PortRange& ports);
const base::PortRange& ports_in_use();
// Also before: ARMCI_LOST_LINK_SECONDS, in which a provider must not hang in a call.
void use_link_limit(int64_t seconds);
// The same, or the range that the user has given to libfabric itself.
base::PortRange ports_of_provider();

// Says whether ofi_rxm copies each message through buffers of its own. If not, these are small.
bool ofi_rxm_copies_messages();

// Returns the variables, as "NAME=value, …", with which the user lets that provider complete a
// message over TCP that leaves only at a later poll of its sender. Returns an empty text if there
// are none. It cannot see that libfabric's own value is used because MPI has started libfabric.
std::string variables_that_delay(const std::string& provider);

// While this object exists, variables that the user has not set have the values that this library
// wants. One must surround every fi_getinfo, fi_fabric and fi_endpoint. Libfabric reads most
// variables once, at the first call, which may be ours, and some for each endpoint. (If MPI itself
// uses libfabric, the first call was MPI's, and libfabric's defaults stay.) Programs that are
// started later see only what the user set.
//
// The environment belongs to the whole process. So, as for ARMCI_Init, no other thread may use it
// then. Threads of providers do, and would crash when setenv moves the environment. So one object
// surrounds the start of the whole network, and others within it change nothing. (unsetenv moves
// nothing.)
class LibfabricEnvironment {
  public:
    LibfabricEnvironment();
    ~LibfabricEnvironment();
    LibfabricEnvironment(const LibfabricEnvironment&) = delete;
    LibfabricEnvironment& operator=(const LibfabricEnvironment&) = delete;

  private:
    void set(const char* name, const char* value);

    std::vector<const char*> ours_;  // variables that were not set; none within another object
};

}  // namespace armci::fabric

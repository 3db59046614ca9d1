// SPDX-License-Identifier: BSD-3-Clause
// A machine as hwloc describes it: this one, or one from a file or a text, for tests and
// documentation.
#pragma once

#include <memory>
#include <string>

struct hwloc_topology;

namespace armci::base {

class Hardware {
  public:
    // Each returns a machine that is not known (is_known()) where hwloc fails.
    static Hardware of_this_host();
    // `text` is a synthetic description of hwloc: "package:2 numa:4 core:16 pu:1".
    static Hardware from_synthetic(const std::string& text);
    static Hardware from_xml(const std::string& path);

    bool is_known() const { return topology_ != nullptr; }
    hwloc_topology* get() const { return topology_.get(); }

    // Allows only these processors (a bitmap as hwloc writes it), as a control group does. The
    // others stay in the description. Returns false if hwloc refuses.
    bool restrict_to(const std::string& processors);
    // Returns the processors next to a PCI device ("0000:41:00.0"), or an empty text if the device
    // is not known.
    std::string processors_near(const std::string& bus_id) const;

  private:
    struct Destroy {
        void operator()(hwloc_topology* topology) const;
    };
    using Handle = std::unique_ptr<hwloc_topology, Destroy>;
    template <class Choose>
    static Hardware load(Choose&& choose);

    Handle topology_;
};

}  // namespace armci::base

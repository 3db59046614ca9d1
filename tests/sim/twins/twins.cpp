// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "twin.h"

namespace armci::sim {

bool Twin::immediate_data() const {
    const auto offer = std::find_if(offers.begin(), offers.end(),
                                    [](const Offer& one) { return !one.is_without_data; });
    return has_writedata && offer != offers.end() && offer->immediate_bytes >= sizeof(uint32_t) &&
           (!writedata_needs_own_keys || (offer->memory_mode & FI_MR_PROV_KEY) != 0);
}

std::string Twin::full_name() const {
    return std::string(name) + "@" + version;
}

const std::vector<Twin>& all_twins() {
    static const std::vector<Twin> all = [] {
        std::vector<Twin> joined;
        for (const std::vector<Twin>& some : {cxi_twins(), verbs_twins(), efa_twins(), psm3_twins(),
                                              opx_twins(), tcp_rxm_twins(), tcp_twins()}) {
            joined.insert(joined.end(), some.begin(), some.end());
        }
        return joined;
    }();
    return all;
}

std::vector<const Twin*> find_twins(std::string_view text) {
    std::vector<const Twin*> found;
    for (const Twin& twin : all_twins()) {
        if (text == "all" || text == twin.name || text == twin.full_name()) {
            found.push_back(&twin);
        }
    }
    return found;
}

std::string adapter_name(const Twin& twin, int number) {
    return twin.name + std::to_string(number);
}

}  // namespace armci::sim

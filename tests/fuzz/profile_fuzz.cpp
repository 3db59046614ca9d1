// SPDX-License-Identifier: BSD-3-Clause
// The text of a cost profile: it is refused with a reason, or gives entries that read the same when
// written again.
#include <string>
#include <vector>

#include "fuzz.h"
#include "pipeline/costs/cost_profile.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
    using namespace armci::pipeline;
    std::string text;
    if (bytes > 0) {
        text.assign(reinterpret_cast<const char*>(data), bytes);
    }
    std::vector<CostProfile> profiles;
    std::string error;
    if (!parse_profiles(text, &profiles, &error)) {
        FUZZ_CHECK(!error.empty());
        return 0;
    }
    for (const CostProfile& profile : profiles) {
        const std::string written = format_profile(profile);
        std::vector<CostProfile> again;
        FUZZ_CHECK(parse_profiles(written, &again, &error) && again.size() == 1);
        FUZZ_CHECK(again[0].provider == profile.provider);
        FUZZ_CHECK(format_profile(again[0]) == written);
    }
    return 0;
}

// SPDX-License-Identifier: BSD-3-Clause
#include "node/huge_pages.h"

#include <fstream>

namespace armci::node {
namespace {

constexpr const char* kSetting = "/sys/kernel/mm/transparent_hugepage/shmem_enabled";

// Returns the value in force, which the kernel puts between brackets in the list of all values.
std::string chosen_in(const std::string& line) {
    const size_t open = line.find('[');
    const size_t close = line.find(']');
    if (open == std::string::npos || close == std::string::npos || close < open) {
        return {};
    }
    return line.substr(open + 1, close - open - 1);
}

}  // namespace

std::string describe_huge_pages(const std::string& root) {
    std::string line;
    std::ifstream file(root + kSetting);
    std::getline(file, line);
    const std::string value = chosen_in(line);
    if (value.empty()) {
        return std::string("no huge pages, because the kernel has none for shared memory (") +
               kSetting + ")";
    }
    const std::string setting = std::string(kSetting) + " is " + value;
    if (value == "never" || value == "deny") {
        return "no huge pages, because " + setting + "; advise lets this library have them";
    }
    return "huge pages where the kernel has some free (" + setting + ")";
}

}  // namespace armci::node

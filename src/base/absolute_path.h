// SPDX-License-Identifier: BSD-3-Clause
// Paths that go on naming the same file when the program changes its directory.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace armci::base {

// Returns the path as it is where the system does not tell the current directory.
inline std::string absolute_path(const std::string& path) {
    std::error_code error;
    const std::string absolute = std::filesystem::absolute(path, error).string();
    return error ? path : absolute;
}

}  // namespace armci::base

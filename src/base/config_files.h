// SPDX-License-Identifier: BSD-3-Clause
// Configuration files: the site's, and one that a user names. They set the same variables as the
// environment, which wins over both.
//
//     # For all hosts.
//     ARMCI_BUFFER_SIZE = 512K
//     [hosts cn*, gpu-?]
//     ARMCI_PROFILE = /opt/armci/profiles/cn
#pragma once

#include <string>
#include <string_view>

#include "base/config.h"

namespace armci::base {

inline constexpr const char* kSiteFile = "/etc/armci.conf";
// The variable that names a user's file.
inline constexpr const char* kFileVariable = "ARMCI_CONFIG";

// Adds what a file of this path and text sets on that host. Lines after "[hosts PATTERN, ...]" hold
// for hosts whose name, whole or before its first dot, matches one of the patterns of fnmatch(3),
// up to the next such line. An error names the path and the line.
void add_settings(const std::string& path, std::string_view text, const std::string& host,
                  FileSettings* settings);

// Reads the site's file, if there is one, and then the file that ARMCI_CONFIG of `environment`
// names, whose settings win. It is an error if that one cannot be read.
FileSettings read_settings(const char* const* environment, const char* site_file = kSiteFile);

// Reads the files and the environment.
ConfigResult read_config_and_files(const char* const* environment);

}  // namespace armci::base

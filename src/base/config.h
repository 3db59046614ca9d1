// SPDX-License-Identifier: BSD-3-Clause
// Configuration from files and the environment, read once at start and constant afterwards.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/config_table.h"
#include "base/config_value.h"

namespace armci::base {

enum class RouteChoice : int { automatic = 0, rma = 1, server = 2, alternate = 3 };
enum class DomainChoice : int { process = 0, node = 1 };
enum class OrderChoice : int { automatic = 0, none = 1 };
enum class CopyEngineChoice : int { none = 0, thread = 1, dsa = 2, dsa_twin = 3, automatic = 4 };
enum class CostChoice : int { learned = 0, prior = 1 };
enum class CheckChoice : int { off = 0, on = 1, warn = 2 };
enum class HangAction : int { end = 0, report = 1 };
enum class ThreadLevel : int {
    automatic = 0,
    single = 1,
    funneled = 2,
    serialized = 3,
    multiple = 4
};
enum class StatsFormat : int { text = 0, json = 1 };
enum class ServerPoll : int { automatic = 0, spin = 1, wait = 2 };

// The value of a number that the library chooses itself; users write it as "auto". Only numbers
// whose default is kAuto accept it.
inline constexpr int64_t kAuto = -1;

struct Config {
#define ARMCI_MEMBER_INTEGER(member, name, value, low, high, kind, whose, help) \
    int64_t member = value;
#define ARMCI_MEMBER_BYTES(member, name, value, low, high, kind, whose, help) \
    int64_t member = value;
#define ARMCI_MEMBER_BOOL(member, name, value, kind, whose, help) bool member = value;
#define ARMCI_MEMBER_CHOICE(member, name, value, choices, kind, whose, help) int member = value;
#define ARMCI_MEMBER_TEXT(member, name, value, kind, whose, help) std::string member = value;
    ARMCI_CONFIG_TABLE(ARMCI_MEMBER_INTEGER, ARMCI_MEMBER_INTEGER, ARMCI_MEMBER_BYTES,
                       ARMCI_MEMBER_BOOL, ARMCI_MEMBER_CHOICE, ARMCI_MEMBER_TEXT)
#undef ARMCI_MEMBER_INTEGER
#undef ARMCI_MEMBER_BYTES
#undef ARMCI_MEMBER_BOOL
#undef ARMCI_MEMBER_CHOICE
#undef ARMCI_MEMBER_TEXT

    RouteChoice route_choice() const {
        return static_cast<RouteChoice>(route);
    }
    DomainChoice domain_choice() const {
        return static_cast<DomainChoice>(domains);
    }
    CopyEngineChoice copy_engine_choice() const {
        return static_cast<CopyEngineChoice>(copy_engine);
    }
    OrderChoice order_choice() const {
        return static_cast<OrderChoice>(rma_order);
    }
    CostChoice cost_choice() const {
        return static_cast<CostChoice>(costs);
    }
    CheckChoice check_choice() const {
        return static_cast<CheckChoice>(check);
    }
    HangAction hang_action_choice() const {
        return static_cast<HangAction>(hang_action);
    }
    ThreadLevel thread_level_choice() const {
        return static_cast<ThreadLevel>(thread_level);
    }
    StatsFormat stats_format_choice() const {
        return static_cast<StatsFormat>(stats_format);
    }
    ServerPoll server_poll_choice() const {
        return static_cast<ServerPoll>(server_poll);
    }
    PortRange ports() const;
    // Returns the entries of ARMCI_INTERFACE, which are separated by commas; at least one, which
    // may be empty.
    std::vector<std::string> interfaces() const;
};

// It is in line because armci-info, which links the shared library, needs it.
inline std::vector<std::string> Config::interfaces() const {
    std::vector<std::string> names;
    for (size_t begin = 0; begin <= interface.size();) {
        const size_t end = std::min(interface.find(',', begin), interface.size());
        if (end > begin) {
            names.push_back(interface.substr(begin, end - begin));
        }
        begin = end + 1;
    }
    return names.empty() ? std::vector<std::string>{""} : names;
}

// A ConfigRow holds one row of the table as text, for armci-info and the documentation.
struct ConfigRow {
    std::string_view name;
    std::string_view type;  // "integer", "bytes", "boolean", "choice", "text"
    std::string default_value;
    std::string range;  // "8..4096", "auto|rma|…", or empty
    std::string value;
    std::string source;  // "default", "environment", or FILE:LINE
    std::string_view help;
    bool mirrored = false;
    bool is_jobs = false;  // all ranks take the value of rank 0
};

struct ConfigResult {
    Config config;
    std::vector<ConfigRow> rows;
    std::vector<std::string> errors;    // malformed values of own variables: the job must not start
    std::vector<std::string> warnings;  // unknown names, malformed mirrored values
    std::vector<std::string> ignored;  // names known from other implementations without effect here
};

// A variable that a file sets.
struct Setting {
    std::string name;
    std::string value;
    std::string source;  // FILE:LINE
};

// What configuration files set, in rising order of precedence (base/config_files.h).
struct FileSettings {
    std::vector<Setting> settings;
    std::vector<std::string> errors;
};

// Reads `environment`, a null-terminated array of "NAME=value" as in environ(7), and `files`, over
// which it wins. If a name occurs twice in either, its last value counts.
ConfigResult read_config(const char* const* environment, const FileSettings& files = {});

}  // namespace armci::base

// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/reporting/machine.h"

#include "armci-bench/workloads/implementation.h"
#include "system/tcp.h"

#include <mpi.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <fstream>
#include <string_view>

extern char** environ;

namespace armci::bench {

namespace {

std::string utc_date() {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::tm parts{};
    gmtime_r(&now, &parts);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text.data();
}

std::vector<std::string> distinct_hosts(int rank_count) {
    std::vector<char> mine(MPI_MAX_PROCESSOR_NAME, '\0');
    int length = 0;
    MPI_Get_processor_name(mine.data(), &length);
    std::vector<char> all(mine.size() * static_cast<size_t>(rank_count));
    MPI_Gather(mine.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, all.data(), MPI_MAX_PROCESSOR_NAME,
               MPI_CHAR, 0, world());
    std::vector<std::string> hosts;
    for (size_t rank = 0; rank < static_cast<size_t>(rank_count); rank++) {
        const std::string host = all.data() + rank * mine.size();
        if (std::find(hosts.begin(), hosts.end(), host) == hosts.end()) {
            hosts.push_back(host);
        }
    }
    return hosts;
}

std::string cpu_name() {
    std::ifstream info("/proc/cpuinfo");
    std::string line;
    while (std::getline(info, line)) {
        if (line.starts_with("model name")) {
            const size_t colon = line.find(": ");
            return colon == std::string::npos ? line : line.substr(colon + 2);
        }
    }
    return "unknown";
}

std::string kernel_name() {
    utsname names{};
    if (uname(&names) != 0) {
        return "unknown";
    }
    return std::string(names.sysname) + " " + names.release + " " + names.machine;
}

// The library's own description, up to the first break.
std::string mpi_version() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    std::string version(text.data());
    version = version.substr(0, version.find('\n'));
    std::replace(version.begin(), version.end(), '\t', ' ');
    return version;
}

std::vector<std::pair<std::string, std::string>> library_environment() {
    constexpr std::array<std::string_view, 4> kPrefixes{"ARMCI_", "FI_", "MPICH_", "MPIR_CVAR_"};
    std::vector<std::pair<std::string, std::string>> settings;
    for (char** entry = environ; *entry != nullptr; entry++) {
        const std::string_view setting = *entry;
        const size_t equals = setting.find('=');
        const bool concerns_libraries =
            std::any_of(kPrefixes.begin(), kPrefixes.end(),
                        [&](std::string_view prefix) { return setting.starts_with(prefix); });
        if (concerns_libraries && equals != std::string_view::npos) {
            settings.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
        }
    }
    std::sort(settings.begin(), settings.end());
    return settings;
}

}  // namespace

Machine describe_machine() {
    Machine machine;
    MPI_Comm_size(world(), &machine.rank_count);
    machine.date = utc_date();
    machine.hosts = distinct_hosts(machine.rank_count);
    machine.cpu = cpu_name();
    machine.cpu_count = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    machine.kernel = kernel_name();
    machine.compiler = __VERSION__;
    machine.mpi = mpi_version();
    machine.library = library_name();
    machine.libfabric = libfabric_version();
    machine.provider = provider_name();
    machine.tcp_congestion_control = tools::tcp_congestion_control();
    machine.node_count = node_count();
    if (machine.node_count > 0) {
        for (int rank = 0; rank < machine.rank_count; rank++) {
            machine.node_of_rank.push_back(node_of(rank));
        }
    }
    machine.environment = library_environment();
    return machine;
}

}  // namespace armci::bench

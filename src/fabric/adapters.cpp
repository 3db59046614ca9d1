// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/adapters.h"

#include <sys/resource.h>

#include <filesystem>
#include <system_error>

namespace armci::fabric {
namespace {

namespace fs = std::filesystem;

// Returns the adapter's kernel driver, or an empty text for adapters made of software.
std::string driver_of(const fs::path& adapter) {
    std::error_code error;
    return fs::read_symlink(adapter / "device" / "driver", error).filename().string();
}

bool is_of_kind(const fs::path& adapter, const AdapterKind& kind) {
    if (kind.driver == nullptr && kind.except_driver == nullptr) {
        return true;
    }
    const std::string driver = driver_of(adapter);
    return kind.driver != nullptr ? driver == kind.driver : driver != kind.except_driver;
}

}  // namespace

std::string find_adapter(const std::string& root, const AdapterKind& kind) {
    if (kind.directory == nullptr) {
        return {};
    }
    std::error_code error;
    fs::directory_iterator entry(root + kind.directory, error);
    while (!error && entry != fs::directory_iterator()) {
        if (is_of_kind(entry->path(), kind)) {
            return entry->path().filename().string();
        }
        entry.increment(error);
    }
    return {};
}

std::string explain_absence(const AdapterKind& kind, const ProviderObstacles& obstacles) {
    // Queues and buffers of one process are far smaller, so a limit above this was set on purpose.
    constexpr uint64_t kEnoughBytes = uint64_t{1} << 30;
    if (kind.directory == nullptr) {
        return "libfabric does not offer it for reliable datagrams here";
    }
    if (obstacles.adapter.empty()) {
        return std::string("no adapter for it here (") + kind.directory +
               (kind.driver != nullptr ? std::string(", driver ") + kind.driver : "") + ")";
    }
    const std::string adapter = "adapter " + obstacles.adapter + " is here, but ";
    if (obstacles.locked_bytes < kEnoughBytes) {
        return adapter + "this process may lock only " + std::to_string(obstacles.locked_bytes) +
               " bytes of memory; raise the limit (ulimit -l unlimited)" +
               (obstacles.is_registered ? ""
                                        : ", and if that does not help, use a libfabric built "
                                          "with this provider");
    }
    if (!obstacles.is_registered) {
        return adapter +
               "libfabric was built without this provider, or it could not start; use one that "
               "has it, or see FI_LOG_LEVEL=warn";
    }
    return adapter + "libfabric does not offer the provider; FI_LOG_LEVEL=warn lets it say why";
}

uint64_t locked_memory_limit() {
    rlimit limit{};
    return getrlimit(RLIMIT_MEMLOCK, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

}  // namespace armci::fabric

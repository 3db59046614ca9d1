// SPDX-License-Identifier: BSD-3-Clause
#include "node/dsa/user_queue.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "base/config_value.h"
#include "base/descriptor.h"
#include "node/dsa/portal.h"

namespace armci::node::dsa {
namespace {

constexpr const char* kConfigureOne =
    "configure one as root, for example with \"accel-config config-user-default\" (see "
    "docs/running.md), or set ARMCI_COPY_ENGINE=thread";

std::string read_attribute(const std::string& queue, const char* attribute) {
    std::ifstream file(queue + "/" + attribute);
    std::string line;
    std::getline(file, line);
    return line;
}

int64_t read_number(const std::string& queue, const char* attribute, int64_t if_absent) {
    int64_t value = if_absent;
    base::parse_integer(read_attribute(queue, attribute), &value);
    return value;
}

QueueDescription describe_queue(const DevicePlaces& places, const std::string& name) {
    const std::string folder = places.queues + "/" + name;
    QueueDescription queue;
    queue.name = name;
    queue.state = read_attribute(folder, "state");
    queue.type = read_attribute(folder, "type");
    queue.limits.is_shared = read_attribute(folder, "mode") == "shared";
    // Of a shared queue, programs may fill as much as its threshold says.
    const int64_t size = read_number(folder, "size", 1);
    const int64_t threshold = read_number(folder, "threshold", 0);
    queue.limits.descriptors = static_cast<int>(
        std::clamp<int64_t>(queue.limits.is_shared && threshold > 0 ? threshold : size, 1, 1024));
    queue.limits.transfer_bytes = static_cast<uint32_t>(std::clamp<int64_t>(
        read_number(folder, "max_transfer_size", 2 << 20), 1, int64_t{1} << 30));
    queue.limits.batch_descriptors =
        static_cast<int>(std::clamp<int64_t>(read_number(folder, "max_batch_size", 1), 1, 1024));
    return queue;
}

class UserQueue final : public WorkQueue {
  public:
    explicit UserQueue(QueueDescription description) : description_(std::move(description)) {}

    // Returns 0, or the error of the system. *why is set where that says too little.
    int open(const DevicePlaces& places, std::string* why) {
        const std::string path = places.devices + "/" + description_.name;
        base::Descriptor device(::open(path.c_str(), O_RDWR | O_CLOEXEC));
        if (!device.valid()) {
            return errno;
        }
        if (!portal_.open(std::move(device), description_.limits.is_shared, why)) {
            return ENOTSUP;
        }
        if (!portal_.takes_batches()) {
            description_.limits.batch_descriptors = 1;
        }
        return 0;
    }

    const QueueLimits& limits() const override { return description_.limits; }
    std::string name() const override { return "DSA work queue " + description_.name; }
    bool submit(const Descriptor& descriptor) override { return portal_.submit(descriptor); }

  private:
    QueueDescription description_;
    Portal portal_;
};

std::string describe_failure(const std::string& path, int error, const std::string& why) {
    switch (error) {
        case EACCES:
        case EPERM:
            return "no permission to open " + path +
                   "; let the users of the job read and write it (chmod, or a rule of udev)";
        case EBUSY:
            return path +
                   " is dedicated to one program at a time, and is in use; configure a shared "
                   "queue, or a dedicated one for each rank and data server of the node";
        case ENOENT:
            return "there is no " + path + "; mount /dev into the container with it";
        case ENOTSUP:
            return path + ": " + why + "; set ARMCI_COPY_ENGINE=thread";
        default:
            return path + ": " + std::strerror(error) + "; see the kernel's messages (dmesg)";
    }
}

}  // namespace

const char* QueueDescription::obstacle() const {
    if (state != "enabled") {
        return "it is not enabled";
    }
    if (type != "user") {
        return "it is not of type \"user\"";
    }
    return nullptr;
}

std::vector<QueueDescription> list_queues(const DevicePlaces& places) {
    std::vector<QueueDescription> queues;
    DIR* folder = opendir(places.queues.c_str());
    while (const dirent* entry = folder != nullptr ? readdir(folder) : nullptr) {
        const std::string name = entry->d_name;
        // Devices of another kind (IAX) are on the same bus; their queues are not in /dev/dsa.
        const bool is_queue = name.rfind("wq", 0) == 0;
        if (is_queue && access((places.queues + "/" + name + "/state").c_str(), R_OK) == 0) {
            queues.push_back(describe_queue(places, name));
        }
    }
    if (folder != nullptr) {
        closedir(folder);
    }
    std::sort(queues.begin(), queues.end(),
              [](const auto& one, const auto& other) { return one.name < other.name; });
    return queues;
}

std::unique_ptr<WorkQueue> open_user_queue(const DevicePlaces& places, uint64_t turn,
                                           std::string* error) {
    if (access(places.queues.c_str(), R_OK) != 0) {
        *error =
            "this host has no Intel DSA, or its driver is not loaded (modprobe idxd); set "
            "ARMCI_COPY_ENGINE=thread";
        return nullptr;
    }
    std::vector<QueueDescription> queues = list_queues(places);
    if (queues.empty()) {
        *error = std::string("the DSA devices of this host have no work queue; ") + kConfigureOne;
        return nullptr;
    }
    std::string obstacles;
    std::erase_if(queues, [&](const QueueDescription& queue) {
        const char* obstacle = queue.obstacle();
        if (obstacle != nullptr) {
            obstacles += queue.name + ": " + obstacle + "; ";
        }
        return obstacle != nullptr;
    });
    if (queues.empty()) {
        *error = "no work queue of this host's DSA devices is for programs (" + obstacles + ") " +
                 kConfigureOne;
        return nullptr;
    }
    const auto dedicated = std::stable_partition(
        queues.begin(), queues.end(), [](const auto& queue) { return queue.limits.is_shared; });
    const auto rotate = [turn](auto begin, auto end) {
        if (begin != end) {
            std::rotate(
                begin,
                begin + static_cast<std::ptrdiff_t>(turn % static_cast<uint64_t>(end - begin)),
                end);
        }
    };
    rotate(queues.begin(), dedicated);
    rotate(dedicated, queues.end());
    error->clear();
    for (const QueueDescription& description : queues) {
        auto queue = std::make_unique<UserQueue>(description);
        std::string why;
        const int failure = queue->open(places, &why);
        if (failure == 0) {
            return queue;
        }
        if (error->empty()) {  // the best one's
            *error = describe_failure(places.devices + "/" + description.name, failure, why);
        }
    }
    return nullptr;
}

}  // namespace armci::node::dsa

// SPDX-License-Identifier: BSD-3-Clause
// Which work queue of a device is chosen, from folders like those of the kernel, and what messages
// say where none can be used.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "node/dsa/portal.h"
#include "node/dsa/user_queue.h"

namespace armci::node::dsa::test {
namespace {

class DsaDevice : public ::testing::Test {
  protected:
    void SetUp() override {
        char folder[] = "/tmp/armci-dsa-XXXXXX";
        ASSERT_NE(mkdtemp(folder), nullptr);
        folder_ = folder;
        places_.queues = folder_ + "/queues";
        places_.devices = folder_ + "/devices";
        std::filesystem::create_directory(places_.devices);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    void add(const std::string& name, const std::map<std::string, std::string>& attributes,
             bool has_device = true) {
        std::filesystem::create_directories(places_.queues + "/" + name);
        for (const auto& [attribute, value] : attributes) {
            std::ofstream(places_.queues + "/" + name + "/" + attribute) << value << "\n";
        }
        if (has_device) {
            std::ofstream device(places_.devices + "/" + name);
            device << std::string(4096, '\0');
        }
    }
    std::string error_of_open() {
        std::string error;
        const auto queue = open_user_queue(places_, 0, &error);
        EXPECT_EQ(queue == nullptr, !error.empty());
        return error;
    }

    std::string folder_;
    DevicePlaces places_;
};

const std::map<std::string, std::string> kShared = {
    {"state", "enabled"},    {"type", "user"},    {"mode", "shared"},
    {"size", "16"},          {"threshold", "12"}, {"max_transfer_size", "2097152"},
    {"max_batch_size", "32"}};

std::map<std::string, std::string> with(std::map<std::string, std::string> attributes,
                                        const std::string& name, const std::string& value) {
    attributes[name] = value;
    return attributes;
}

TEST_F(DsaDevice, ReadsWhatTheKernelSaysOfQueues) {
    add("wq0.1", with(kShared, "mode", "dedicated"));
    add("wq0.0", kShared);
    add("dsa0", {{"state", "enabled"}});
    std::filesystem::create_directories(places_.queues + "/wq0.2");  // nothing is known of it
    const std::vector<QueueDescription> queues = list_queues(places_);
    ASSERT_EQ(queues.size(), 2U);
    EXPECT_EQ(queues[0].name, "wq0.0");
    EXPECT_TRUE(queues[0].limits.is_shared);
    EXPECT_EQ(queues[0].limits.descriptors, 12);
    EXPECT_EQ(queues[0].limits.transfer_bytes, 2097152U);
    EXPECT_EQ(queues[0].limits.batch_descriptors, 32);
    EXPECT_EQ(queues[0].obstacle(), nullptr);
    EXPECT_FALSE(queues[1].limits.is_shared);
    EXPECT_EQ(queues[1].limits.descriptors, 16);
}

// Without the attribute, the device has no batches.
TEST_F(DsaDevice, QueueWithoutBatches) {
    auto attributes = kShared;
    attributes.erase("max_batch_size");
    add("wq0.0", attributes);
    EXPECT_EQ(list_queues(places_).at(0).limits.batch_descriptors, 1);
}

TEST_F(DsaDevice, SaysWhyNoQueueCanBeUsedAndWhatToDo) {
    EXPECT_NE(error_of_open().find("modprobe idxd"), std::string::npos);
    std::filesystem::create_directory(places_.queues);
    EXPECT_NE(error_of_open().find("no work queue; configure one"), std::string::npos);
    add("wq0.0", with(kShared, "state", "disabled"));
    add("wq0.1", with(kShared, "type", "kernel"));
    const std::string error = error_of_open();
    EXPECT_NE(error.find("wq0.0: it is not enabled; wq0.1: it is not of type \"user\""),
              std::string::npos)
        << error;
    EXPECT_NE(error.find("accel-config"), std::string::npos);
    add("wq0.2", kShared, false);
    EXPECT_NE(error_of_open().find("there is no " + places_.devices + "/wq0.2"), std::string::npos);
}

TEST_F(DsaDevice, SaysWhoMayOpenIt) {
    if (geteuid() == 0) {
        GTEST_SKIP() << "root may open everything";
    }
    add("wq0.0", kShared);
    std::filesystem::permissions(places_.devices + "/wq0.0", std::filesystem::perms::none);
    EXPECT_NE(error_of_open().find("no permission to open"), std::string::npos);
}

// A file in place of the device: its first page is the portal. Without the instruction, the
// message names it.
TEST_F(DsaDevice, SubmitsTo64BytesOfThePortal) {
    for (const bool is_shared : {false, true}) {
        add("wq0.0", with(kShared, "mode", is_shared ? "shared" : "dedicated"));
        std::string error;
        const auto queue = open_user_queue(places_, 0, &error);
        if (!has_instruction_for(is_shared)) {
            EXPECT_EQ(queue, nullptr);
            EXPECT_NE(error.find(is_shared ? "ENQCMD" : "MOVDIR64B"), std::string::npos) << error;
            continue;
        }
        ASSERT_NE(queue, nullptr) << error;
        EXPECT_EQ(queue->name(), "DSA work queue wq0.0");
        if (is_shared) {
            continue;  // the processor enqueues to devices only
        }
        Descriptor descriptor;
        descriptor.source = 0x1234;
        EXPECT_TRUE(queue->submit(descriptor));
        Descriptor written;
        std::ifstream(places_.devices + "/wq0.0", std::ios::binary)
            .read(reinterpret_cast<char*>(&written), sizeof written);
        EXPECT_EQ(written.source, 0x1234U);
    }
}

// The kernel refuses the portal of a device that it does not trust with EPERM, and takes
// descriptors by write(). So does a sealed file, which refuses these, too.
TEST_F(DsaDevice, SubmitsByWriteWhereThePortalIsRefused) {
    const int file = memfd_create("portal", MFD_ALLOW_SEALING);
    ASSERT_GE(file, 0);
    ASSERT_EQ(ftruncate(file, 4096), 0);
    ASSERT_EQ(fcntl(file, F_ADD_SEALS, F_SEAL_WRITE), 0);
    std::string error;
    Portal portal;
    ASSERT_TRUE(portal.open(base::Descriptor(file), true, &error)) << error;
    EXPECT_FALSE(portal.takes_batches());
    EXPECT_EXIT(portal.submit(Descriptor()), testing::ExitedWithCode(1),
                "the kernel refuses a descriptor for the DSA device: Operation not permitted; set "
                "ARMCI_COPY_ENGINE=thread");
}

// Any other refusal of the portal is an error.
TEST_F(DsaDevice, SaysWhyThePortalCannotBeMapped) {
    add("wq0.0", kShared);
    std::string error;
    Portal portal;
    const std::string path = places_.devices + "/wq0.0";
    EXPECT_FALSE(portal.open(base::Descriptor(::open(path.c_str(), O_WRONLY)), true, &error));
    EXPECT_EQ(error, "its portal cannot be mapped: Permission denied");
}

}  // namespace
}  // namespace armci::node::dsa::test

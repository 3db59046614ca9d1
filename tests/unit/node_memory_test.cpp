// SPDX-License-Identifier: BSD-3-Clause
#include "node/node_memory.h"

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/sanitizers.h"
#include "child_process.h"
#include "test_heap.h"

namespace armci::node::test {
namespace {

bool serve(DescriptorServer& server, int clients, const base::Descriptor& memory) {
    for (int served = 0; served < clients;) {
        switch (server.serve_one(memory, 1000)) {
            case DescriptorServer::Served::one:
                ++served;
                break;
            case DescriptorServer::Served::none:
                break;
            case DescriptorServer::Served::failed:
                return false;
        }
    }
    return true;
}

using armci::test::ChildProcess;
using armci::test::TestHeap;

constexpr size_t kBytes = 1 << 20;
constexpr uid_t kOtherUser = 65534;

int open_descriptor_count() {
    DIR* directory = opendir("/proc/self/fd");
    EXPECT_NE(directory, nullptr);
    int count = 0;
    while (directory != nullptr && readdir(directory) != nullptr) {
        ++count;
    }
    closedir(directory);
    return count;
}

TEST(NodeMemory, DescriptorIsAFileOfTheRequestedSize) {
    const base::Descriptor memory = create_node_memory(size_t{1} << 40);
    ASSERT_TRUE(memory.valid());
    struct stat status {};
    ASSERT_EQ(fstat(memory.get(), &status), 0);
    EXPECT_EQ(status.st_size, off_t{1} << 40);
    EXPECT_EQ(status.st_blocks, 0) << "memory is used before it is touched";
    EXPECT_EQ(status.st_nlink, 0U) << "the memory has a name in a file system";
    EXPECT_NE(fcntl(memory.get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST(NodeMemory, RefusesSizesThatNoFileCanHave) {
    const base::Descriptor memory = create_node_memory(~size_t{0} / 2 + 2);
    EXPECT_FALSE(memory.valid());
}

TEST(NodeMemory, FileSizeLimitIsAnErrorNotASignal) {
    ChildProcess child([] {
        const rlimit small{kBytes, kBytes};
        setrlimit(RLIMIT_FSIZE, &small);
        if (!create_node_memory(kBytes).valid()) {
            return 1;
        }
        const base::Descriptor memory = create_node_memory(kBytes + 1);
        return !memory.valid() && errno == EFBIG ? 0 : 2;
    });
    EXPECT_EQ(child.wait(), 0);
}

TEST(NodeMemory, RefusesMemoryBeyondTheAddressSpaceLimit) {
#if ARMCI_HAS_ASAN || ARMCI_HAS_TSAN
    GTEST_SKIP() << "a sanitizer has taken more addresses than the limit allows";
#endif
    ChildProcess child([] {
        if (!leaves_address_space(size_t{1} << 40)) {
            return 1;
        }
        const rlimit limit{size_t{1} << 38, size_t{1} << 38};
        setrlimit(RLIMIT_AS, &limit);
        const bool is_known = address_space_limit() == size_t{1} << 38;
        return is_known && leaves_address_space(kBytes) && !leaves_address_space(size_t{1} << 40)
                   ? 0
                   : 2;
    });
    EXPECT_EQ(child.wait(), 0);
}

TEST(NodeMemory, ProcessesShareTheMemory) {
    constexpr int kClients = 3;
    const base::Descriptor memory = create_node_memory(kBytes);
    void* address = TestHeap::free_range(kBytes);
    DescriptorServer server;
    ASSERT_TRUE(server.start());
    std::vector<ChildProcess> children;
    for (int i = 0; i < kClients; ++i) {
        children.emplace_back([&] {
            const base::Descriptor connection = connect_to(server.name());
            const base::Descriptor received = receive_descriptor(connection);
            if (!received.valid()) {
                return 1;
            }
            if (!map_shared(received, address, kBytes)) {
                return 2;
            }
            static_cast<char*>(address)[i] = static_cast<char>('a' + i);
            return 0;
        });
    }
    ASSERT_TRUE(serve(server, kClients, memory));
    for (ChildProcess& child : children) {
        EXPECT_EQ(child.wait(), 0);
    }
    ASSERT_TRUE(map_shared(memory, address, kBytes));
    EXPECT_STREQ(static_cast<char*>(address), "abc");
    unmap_shared(address, kBytes);
}

TEST(NodeMemory, ServerNamesAreUnique) {
    DescriptorServer first;
    DescriptorServer second;
    ASSERT_TRUE(first.start());
    ASSERT_TRUE(second.start());
    EXPECT_NE(first.name(), second.name());
    EXPECT_GT(first.name().size(), 16U);
}

TEST(NodeMemory, WrongNameConnectsToNoServer) {
    DescriptorServer server;
    ASSERT_TRUE(server.start());
    EXPECT_FALSE(connect_to("armci-no-such-server").valid());
    EXPECT_FALSE(connect_to(server.name().substr(1)).valid());
    std::string name = server.name();
    name.back() = name.back() == '0' ? '1' : '0';
    EXPECT_FALSE(connect_to(name).valid());
    EXPECT_TRUE(connect_to(server.name()).valid());
}

TEST(NodeMemory, NameVanishesWithTheServer) {
    std::string name;
    {
        DescriptorServer server;
        ASSERT_TRUE(server.start());
        name = server.name();
    }
    EXPECT_FALSE(connect_to(name).valid());
}

// A process of another user that knows the name must not get the memory, and must not count as one
// of the clients.
TEST(NodeMemory, OtherUsersGetNoDescriptor) {
    if (geteuid() != 0) {
        GTEST_SKIP() << "only root can play another user";
    }
    const base::Descriptor memory = create_node_memory(kBytes);
    DescriptorServer server;
    ASSERT_TRUE(server.start());
    int connected[2];
    ASSERT_EQ(pipe(connected), 0);
    ChildProcess stranger([&] {
        if (setuid(kOtherUser) != 0) {
            return 1;
        }
        if (connect_to(server.name()).valid()) {
            return 2;  // the server's user is another one
        }
        const base::Descriptor connection(socket(AF_UNIX, SOCK_STREAM, 0));
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path + 1, server.name().data(), server.name().size());
        const auto bytes =
            static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + server.name().size());
        if (connect(connection.get(), reinterpret_cast<sockaddr*>(&address), bytes) != 0) {
            return 3;
        }
        close(connected[0]);
        if (write(connected[1], "c", 1) != 1) {
            return 4;
        }
        return receive_descriptor(connection).valid() ? 5 : 0;
    });
    close(connected[1]);
    char byte = 0;
    ASSERT_EQ(read(connected[0], &byte, 1), 1);
    close(connected[0]);
    // The process of the other user is first in the queue, the client is next.
    ChildProcess client([&] {
        const base::Descriptor connection = connect_to(server.name());
        return receive_descriptor(connection).valid() ? 0 : 1;
    });
    EXPECT_TRUE(serve(server, 1, memory));
    EXPECT_EQ(stranger.wait(), 0);
    EXPECT_EQ(client.wait(), 0);
}

class Connection : public testing::Test {
  protected:
    Connection() {
        int ends[2];
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        here_ = base::Descriptor(ends[0]);
        there_ = base::Descriptor(ends[1]);
    }
    // Sends one byte with `count` descriptors.
    void send(int count) {
        char byte = 'n';
        iovec payload{&byte, 1};
        alignas(cmsghdr) char control[CMSG_SPACE(8 * sizeof(int))] = {};
        msghdr message{};
        message.msg_iov = &payload;
        message.msg_iovlen = 1;
        if (count > 0) {
            message.msg_control = control;
            message.msg_controllen = CMSG_SPACE(static_cast<size_t>(count) * sizeof(int));
            cmsghdr* header = CMSG_FIRSTHDR(&message);
            header->cmsg_level = SOL_SOCKET;
            header->cmsg_type = SCM_RIGHTS;
            header->cmsg_len = CMSG_LEN(static_cast<size_t>(count) * sizeof(int));
            const std::vector<int> fds(static_cast<size_t>(count), STDERR_FILENO);
            std::memcpy(CMSG_DATA(header), fds.data(), fds.size() * sizeof(int));
        }
        ASSERT_EQ(sendmsg(there_.get(), &message, 0), 1);
    }

    base::Descriptor here_;
    base::Descriptor there_;
};

TEST_F(Connection, ReceivesOneDescriptor) {
    send(1);
    EXPECT_TRUE(receive_descriptor(here_).valid());
}

TEST_F(Connection, BrokenConnectionReturnsNoDescriptor) {
    there_.reset();
    EXPECT_FALSE(receive_descriptor(here_).valid());
    EXPECT_FALSE(receive_descriptor(base::Descriptor()).valid());
}

TEST_F(Connection, RefusesOtherMessagesAndKeepsNoDescriptor) {
    for (const int count : {0, 2, 3}) {
        SCOPED_TRACE(count);
        const int before = open_descriptor_count();
        send(count);
        EXPECT_FALSE(receive_descriptor(here_).valid());
        EXPECT_EQ(open_descriptor_count(), before);
    }
}

TEST(MapShared, MapsExactlyAtTheAddressOrFails) {
    const base::Descriptor memory = create_node_memory(4 * kBytes);
    char* address = static_cast<char*>(TestHeap::free_range(4 * kBytes));
    ASSERT_TRUE(map_shared(memory, address, kBytes));
    address[0] = 'x';
    address[kBytes - 1] = 'y';

    const base::Descriptor other = create_node_memory(4 * kBytes);
    EXPECT_FALSE(map_shared(other, address, kBytes));                      // all of it
    EXPECT_FALSE(map_shared(other, address, 2 * kBytes));                  // its beginning
    EXPECT_FALSE(map_shared(other, address + kBytes - 4096, 2 * kBytes));  // its end
    EXPECT_EQ(address[0], 'x');
    EXPECT_EQ(address[kBytes - 1], 'y');
    EXPECT_TRUE(map_shared(other, address + kBytes, kBytes));  // right after it
    EXPECT_EQ(address[kBytes], 0);
    unmap_shared(address + kBytes, kBytes);

    unmap_shared(address, kBytes);
    ASSERT_TRUE(map_shared(memory, address, kBytes));
    EXPECT_EQ(address[0], 'x') << "the memory outlives its mapping";
    unmap_shared(address, kBytes);
    EXPECT_FALSE(map_shared(base::Descriptor(), address, kBytes));
}

TEST(MapShared, CandidatesAreDistinctAndAlignedToHugePages) {
    for (const uint64_t random : {uint64_t{1}, uint64_t{12345}, UINT64_MAX}) {
        std::set<uintptr_t> seen;
        int index = 0;
        for (; candidate_address(index, random) != nullptr; ++index) {
            const auto address = reinterpret_cast<uintptr_t>(candidate_address(index, random));
            EXPECT_EQ(address % kHugePageBytes, 0U);
            EXPECT_TRUE(seen.insert(address).second);
        }
        EXPECT_GT(index, 2);
        EXPECT_EQ(candidate_address(index + 1, random), nullptr);
    }
}

// A stranger does not know where global memory lies.
TEST(MapShared, FirstCandidateDiffersFromJobToJob) {
    std::set<void*> first;
    for (uint64_t random = 0; random < 1000; ++random) {
        first.insert(candidate_address(0, random * 0x9e37'79b9'7f4a'7c15));
    }
#if ARMCI_HAS_TSAN
    EXPECT_EQ(first.size(), 1U) << "only few addresses can be mapped";
#else
    EXPECT_GT(first.size(), 990U);
#endif
}

TEST(NodeMemory, OtherUsersMayNotOpenIt) {
    const base::Descriptor memory = create_node_memory(kBytes);
    ASSERT_TRUE(memory.valid());
    struct stat status {};
    ASSERT_EQ(fstat(memory.get(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600U);
}

}  // namespace
}  // namespace armci::node::test

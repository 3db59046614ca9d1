// SPDX-License-Identifier: BSD-3-Clause
#include "node/node_memory.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/sanitizers.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

namespace armci::node {
namespace {

union ControlBuffer {
    cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

bool send_descriptor(int connection, int descriptor) {
    char byte = 'n';
    iovec payload{&byte, 1};
    ControlBuffer control{};
    msghdr message{};
    message.msg_iov = &payload;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    return sendmsg(connection, &message, MSG_NOSIGNAL) == 1;
}

}  // namespace

base::Descriptor create_node_memory(size_t bytes) {
    // A file beyond this limit ends the process by a signal.
    rlimit file_size{};
    if (getrlimit(RLIMIT_FSIZE, &file_size) == 0 && bytes > file_size.rlim_cur) {
        errno = EFBIG;
        return {};
    }
    base::Descriptor memory(memfd_create("armci-node-heap", MFD_CLOEXEC));
    // It has no name, but /proc shows it; the rights of a new one are those of everybody.
    if (memory.valid() && (fchmod(memory.get(), S_IRUSR | S_IWUSR) != 0 ||
                           ftruncate(memory.get(), static_cast<off_t>(bytes)) != 0)) {
        const int error = errno;
        memory.reset();
        errno = error;
    }
    return memory;
}

const char* remedy_for_node_memory(int error) {
    switch (error) {
        case ENOSYS:
        case EPERM:
        case EACCES:
            return "memfd_create is refused: run on Linux 3.17 or later, and in a container under "
                   "a seccomp profile that allows memfd_create";
        case EFBIG:
        case EINVAL:
            return "raise the limit on the size of files (ulimit -f), or lower ARMCI_HEAP_SIZE";
        case EMFILE:
        case ENFILE:
            return "raise the limit on open files (ulimit -n)";
        default:
            return "the node may be short of memory; end other programs there or use another node";
    }
}

HostAccount* map_account(const base::Descriptor& memory) {
    void* mapped =
        mmap(nullptr, sizeof(HostAccount), PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
    return mapped != MAP_FAILED ? static_cast<HostAccount*>(mapped) : nullptr;
}

void unmap_account(HostAccount* account) {
    munmap(account, sizeof *account);
}

DescriptorServer::Served DescriptorServer::serve_one(const base::Descriptor& descriptor,
                                                     int timeout_ms) {
    const base::Descriptor connection = listener_.take_caller(timeout_ms);
    if (!connection.valid()) {
        return errno == EAGAIN ? Served::none : Served::failed;
    }
    return send_descriptor(connection.get(), descriptor.get()) ? Served::one : Served::failed;
}

base::Descriptor receive_descriptor(const base::Descriptor& connection) {
    char byte = 0;
    iovec payload{&byte, 1};
    ControlBuffer control{};
    msghdr message{};
    message.msg_iov = &payload;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    ssize_t received = 0;
    do {
        received = recvmsg(connection.get(), &message, MSG_CMSG_CLOEXEC);
    } while (received < 0 && errno == EINTR);
    const cmsghdr* header = received == 1 ? CMSG_FIRSTHDR(&message) : nullptr;
    if (header == nullptr || header->cmsg_type != SCM_RIGHTS) {
        return {};
    }
    // Every descriptor that came belongs to this process now, so unwanted ones must be closed. More
    // may come than were requested, because there is room for an even number.
    base::Descriptor descriptor;
    const size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(header) + i * sizeof fd, sizeof fd);
        descriptor = base::Descriptor(fd);
    }
    const bool is_as_sent = count == 1 && (message.msg_flags & MSG_CTRUNC) == 0;
    return is_as_sent ? std::move(descriptor) : base::Descriptor();
}

bool map_shared(const base::Descriptor& memory, void* address, size_t bytes, uint64_t offset) {
    void* mapped = mmap(address, bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, memory.get(),
                        static_cast<off_t>(offset));
    if (mapped == MAP_FAILED) {
        return false;
    }
    if (mapped != address) {  // a kernel that takes the address only as a hint
        munmap(mapped, bytes);
        return false;
    }
    // The kernel uses huge pages if it grants them for shared memory; nothing else changes.
    madvise(mapped, bytes, MADV_HUGEPAGE);
    madvise(mapped, bytes, MADV_DONTDUMP);
    return true;
}

void unmap_shared(void* address, size_t bytes) {
    munmap(address, bytes);
}

uint64_t address_space_limit() {
    rlimit limit{};
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur
                                                                                : UINT64_MAX;
}

bool leaves_address_space(size_t bytes) {
    if (address_space_limit() == UINT64_MAX) {
        return true;
    }
    void* mapped =
        mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped != MAP_FAILED) {
        munmap(mapped, bytes);
    }
    return mapped != MAP_FAILED;
}

void* candidate_address(int index, uint64_t random) {
#if ARMCI_HAS_TSAN
    // Under the thread sanitizer, programs may map nothing elsewhere, and end if they try.
    constexpr uintptr_t kCandidates[] = {0x7ea0'0000'0000, 0x7ec0'0000'0000, 0x7e90'0000'0000};
    constexpr int kRandomCandidates = 0;
#else
    // These addresses are far from where the kernel puts libraries, stacks and small mappings. The
    // random ones are clear of the address sanitizer's shadow. The others are for machines where
    // something else lies there, or that have fewer addresses.
    constexpr uintptr_t kCandidates[] = {0x2000'0000'0000, 0x7ea0'0000'0000, 0x3000'0000'0000,
                                         0x4000'0000'0000, 0x1800'0000'0000, 0x5000'0000'0000,
                                         0x6000'0000'0000, 0x7000'0000'0000};
    constexpr int kRandomCandidates = 8;
#endif
    constexpr uintptr_t kLowestAddress = 0x1800'0000'0000;
    constexpr uintptr_t kHighestAddress = 0x6000'0000'0000;
    constexpr uintptr_t kAlignment = 2 << 20;
    constexpr int kCount = sizeof kCandidates / sizeof kCandidates[0];
    if (index < kRandomCandidates) {
        const uint64_t draw = random + static_cast<uint64_t>(index) * 0x9e37'79b9'7f4a'7c15;
        return reinterpret_cast<void*>(
            kLowestAddress + draw % ((kHighestAddress - kLowestAddress) / kAlignment) * kAlignment);
    }
    index -= kRandomCandidates;
    return index < kCount ? reinterpret_cast<void*>(kCandidates[index]) : nullptr;
}

}  // namespace armci::node

// SPDX-License-Identifier: BSD-3-Clause
#include "pair.h"

#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace armci::mechanisms {

void cpu_pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

void Pair::meet() {
    peer_pid_ = exchange(getpid());
}

int Pair::share_descriptor(int descriptor) {
    char byte = 0;
    iovec piece{&byte, 1};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    if (is_source()) {
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
        if (sendmsg(socket_, &message, 0) != 1) {
            fail("sendmsg", errno);
        }
        return descriptor;
    }
    if (recvmsg(socket_, &message, MSG_CMSG_CLOEXEC) != 1) {
        fail("recvmsg", errno);
    }
    const cmsghdr* header = CMSG_FIRSTHDR(&message);
    if (header == nullptr || header->cmsg_type != SCM_RIGHTS) {
        fail("recvmsg: no descriptor came", 0);
    }
    std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
    return descriptor;
}

void Pair::fail(const char* what, int error) {
    // The process that fails first gives the reason; the other one only notices.
    if (!shared_.failed.load(std::memory_order_acquire)) {
        std::snprintf(shared_.failure.data(), shared_.failure.size(), "%s%s%s", what,
                      error == 0 ? "" : ": ", error == 0 ? "" : std::strerror(error));
        shared_.failed.store(true, std::memory_order_release);
    }
    _exit(1);
}

void Pair::give_way() {
    if (shared_.failed.load(std::memory_order_acquire)) {
        _exit(1);
    }
    sched_yield();
}

}  // namespace armci::mechanisms

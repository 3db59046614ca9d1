// SPDX-License-Identifier: BSD-3-Clause
#include "full_sockets.h"

#include <dlfcn.h>
#include <sys/socket.h>

#include <atomic>
#include <cerrno>

namespace armci::test {
namespace {

std::atomic<bool> g_are_full = false;
std::atomic<int64_t> g_refused = 0;

bool is_refused() {
    if (!g_are_full) {
        return false;
    }
    ++g_refused;
    errno = EAGAIN;
    return true;
}

// Returns the function of that name that this program replaces.
template <class Function>
Function* replaced(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

FullSockets::FullSockets() {
    g_refused = 0;
    g_are_full = true;
}

FullSockets::~FullSockets() {
    g_are_full = false;
}

int64_t FullSockets::refused() const {
    return g_refused;
}

}  // namespace armci::test

extern "C" {

[[gnu::visibility("default")]] ssize_t send(int socket, const void* bytes, size_t count,
                                            int flags) {
    static auto* const real = armci::test::replaced<decltype(send)>("send");
    return armci::test::is_refused() ? -1 : real(socket, bytes, count, flags);
}

[[gnu::visibility("default")]] ssize_t sendto(int socket, const void* bytes, size_t count,
                                              int flags, const sockaddr* to, socklen_t to_bytes) {
    static auto* const real = armci::test::replaced<decltype(sendto)>("sendto");
    return armci::test::is_refused() ? -1 : real(socket, bytes, count, flags, to, to_bytes);
}

[[gnu::visibility("default")]] ssize_t sendmsg(int socket, const msghdr* message, int flags) {
    static auto* const real = armci::test::replaced<decltype(sendmsg)>("sendmsg");
    return armci::test::is_refused() ? -1 : real(socket, message, flags);
}

}  // extern "C"

// SPDX-License-Identifier: BSD-3-Clause
#include "node/process_memory.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace armci::node {
namespace {

constexpr const char* kRemedy =
    "allow the processes of the job to trace each other (kernel.yama.ptrace_scope below 2; in a "
    "container a seccomp profile that has process_vm_readv and process_vm_writev, one PID "
    "namespace, or CAP_SYS_PTRACE)";

// Returns Yama's rule: with 0 and 1 processes may permit access, 2 is for administrators only, and
// 3 forbids it to all.
int yama_scope() {
    std::ifstream file("/proc/sys/kernel/yama/ptrace_scope");
    int scope = 0;
    return file >> scope ? scope : 0;
}

bool has_ptrace_capability() {
    constexpr int kSysPtrace = 19;
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word) {
        if (word == "CapEff:") {
            uint64_t capabilities = 0;
            status >> std::hex >> capabilities;
            return (capabilities >> kSysPtrace & 1) != 0;
        }
    }
    return false;
}

// Returns errno of the system call if it fails even for this process, to which access is always
// allowed; otherwise 0.
int error_on_self() {
    uint64_t from = 1;
    uint64_t to = 0;
    const iovec local{&to, sizeof to};
    const iovec remote{&from, sizeof from};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == sizeof to ? 0 : errno;
}

// Removes `bytes` from the beginning of the list.
void drop_front(iovec*& pieces, int& count, size_t bytes) {
    while (count > 0 && bytes >= pieces->iov_len) {
        bytes -= pieces->iov_len;
        ++pieces;
        --count;
    }
    if (bytes > 0) {
        pieces->iov_base = static_cast<char*>(pieces->iov_base) + bytes;
        pieces->iov_len -= bytes;
    }
}

// Copies inside this process by ordinary accesses, where the system calls are forbidden.
int64_t copy_here(const iovec& local, const iovec& remote, bool to_process) {
    const size_t bytes = local.iov_len < remote.iov_len ? local.iov_len : remote.iov_len;
    std::memmove(to_process ? remote.iov_base : local.iov_base,
                 to_process ? local.iov_base : remote.iov_base, bytes);
    return static_cast<int64_t>(bytes);
}

}  // namespace

std::string allow_access_by_others() {
    if (const int error = error_on_self(); error != 0) {
        return std::string("process_vm_readv is refused (") + std::strerror(error) +
               "): " + kRemedy;
    }
    const int scope = yama_scope();
    if (scope > 2 || (scope == 2 && !has_ptrace_capability())) {
        return "kernel.yama.ptrace_scope is " + std::to_string(scope) + ": " + kRemedy;
    }
    // Systems without Yama do not know this and need nothing.
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    return "";
}

bool AccessFailure::is_fault() const {
    return error == EFAULT;
}

std::string explain(const AccessFailure& failure) {
    if (failure.is_fault()) {
        return "it is not mapped there or is read-only, or the call's local buffer is; call "
               "ARMCIX_Detach before attached memory is freed or unmapped";
    }
    return std::string(std::strerror(failure.error)) + "; " + kRemedy;
}

ProcessMover::ProcessMover(const Attachment& process, Direction direction)
    : pid_(process.pid), direction_(direction) {
    if (process.pid_namespace != own_pid_namespace()) {
        failure_ = {ESRCH, process.begin};
    }
}

void ProcessMover::add(const void* local, const void* remote, int64_t bytes) {
    if (local_count_ == kMaxPieces || remote_count_ == kMaxPieces) {
        move();
    }
    const auto append = [&](iovec* pieces, int& count, const void* memory) {
        char* begin = static_cast<char*>(const_cast<void*>(memory));
        if (count > 0 &&
            static_cast<char*>(pieces[count - 1].iov_base) + pieces[count - 1].iov_len == begin) {
            pieces[count - 1].iov_len += static_cast<size_t>(bytes);
        } else {
            pieces[count++] = {begin, static_cast<size_t>(bytes)};
        }
    };
    append(local_, local_count_, local);
    append(remote_, remote_count_, remote);
}

bool ProcessMover::finish() {
    move();
    return failure_.error == 0;
}

int64_t ProcessMover::call(const iovec* local, int local_count, const iovec* remote,
                           int remote_count) const {
    const bool to_process = direction_ == Direction::to_process;
    const auto count = [](int pieces) { return static_cast<unsigned long>(pieces); };
    const ssize_t moved =
        to_process
            ? process_vm_writev(pid_, local, count(local_count), remote, count(remote_count), 0)
            : process_vm_readv(pid_, local, count(local_count), remote, count(remote_count), 0);
    if (moved < 0 && (errno == EPERM || errno == ENOSYS) && pid_ == getpid()) {
        return copy_here(*local, *remote, to_process);
    }
    return moved;
}

// The system stops before memory that it cannot access, and at a limit of its own.
void ProcessMover::move() {
    iovec* local = local_;
    iovec* remote = remote_;
    while (failure_.error == 0 && local_count_ > 0) {
        const int64_t moved = call(local, local_count_, remote, remote_count_);
        if (moved <= 0) {
            failure_ = {moved < 0 ? errno : EFAULT, reinterpret_cast<uint64_t>(remote->iov_base)};
            break;
        }
        drop_front(local, local_count_, static_cast<size_t>(moved));
        drop_front(remote, remote_count_, static_cast<size_t>(moved));
    }
    local_count_ = 0;
    remote_count_ = 0;
}

}  // namespace armci::node

// SPDX-License-Identifier: BSD-3-Clause
#include "node/dsa/portal.h"

#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/log.h"

namespace armci::node::dsa {
namespace {

constexpr size_t kPortalBytes = 4096;
constexpr unsigned kLines = kPortalBytes / sizeof(Descriptor);

#if defined(__x86_64__)
constexpr unsigned kMovdir64b = 1U << 28;  // leaf 7, ecx
constexpr unsigned kEnqcmd = 1U << 29;

bool has_features(unsigned wanted) {
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ecx & wanted) == wanted;
}

[[gnu::target("movdir64b")]] void move(char* line, const Descriptor& descriptor) {
    _movdir64b(line, &descriptor);
}

// Returns false if the queue has refused it.
[[gnu::target("enqcmd")]] bool enqueue(char* line, const Descriptor& descriptor) {
    return _enqcmd(line, &descriptor) == 0;
}

// What the descriptor refers to must be in memory before the device learns of it, also what
// streaming stores have written.
void order_stores() {
    _mm_sfence();
}
#else
void move(char*, const Descriptor&) {}
bool enqueue(char*, const Descriptor&) {
    return false;
}
void order_stores() {}
#endif

}  // namespace

bool has_instruction_for(bool is_shared) {
#if defined(__x86_64__)
    return has_features(is_shared ? kEnqcmd : kMovdir64b);
#else
    (void)is_shared;
    return false;
#endif
}

bool Portal::open(base::Descriptor device, bool is_shared, std::string* error) {
    close();
    is_shared_ = is_shared;
    void* page =
        mmap(nullptr, kPortalBytes, PROT_WRITE, MAP_SHARED | MAP_POPULATE, device.get(), 0);
    if (page == MAP_FAILED && errno != EPERM) {
        *error = std::string("its portal cannot be mapped: ") + std::strerror(errno);
        return false;
    }
    if (page != MAP_FAILED && !has_instruction_for(is_shared)) {
        munmap(page, kPortalBytes);
        *error = is_shared ? "this processor has no ENQCMD, which shared queues need"
                           : "this processor has no MOVDIR64B, which dedicated queues need";
        return false;
    }
    device_ = std::move(device);
    page_ = page == MAP_FAILED ? nullptr : static_cast<char*>(page);
    return true;
}

void Portal::close() {
    if (page_ != nullptr) {
        munmap(page_, kPortalBytes);
        page_ = nullptr;
    }
    device_.reset();
}

bool Portal::submit(const Descriptor& descriptor) {
    order_stores();
    if (page_ == nullptr) {
        return write_to_device(descriptor);
    }
    char* line = page_ + (next_line_++ % kLines) * sizeof(Descriptor);
    if (is_shared_) {
        return enqueue(line, descriptor);
    }
    move(line, descriptor);
    return true;
}

bool Portal::write_to_device(const Descriptor& descriptor) const {
    if (::write(device_.get(), &descriptor, sizeof descriptor) == ssize_t{sizeof descriptor}) {
        return true;
    }
    if (errno != EAGAIN && errno != EINTR) {
        base::fatal(nullptr,
                    "the kernel refuses a descriptor for the DSA device: %s; set "
                    "ARMCI_COPY_ENGINE=thread",
                    std::strerror(errno));
    }
    return false;
}

}  // namespace armci::node::dsa

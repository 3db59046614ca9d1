// SPDX-License-Identifier: BSD-3-Clause
#include "stopping_page.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#include "support/job.h"

namespace armci::mp {
namespace {

// The data of the handler, which may only read and write.
struct Stop {
    uintptr_t begin = 0;
    int reached[2] = {-1, -1};
    int released[2] = {-1, -1};
    struct sigaction before {};
};

Stop g_stop;

void pass(int descriptor) {
    const char byte = 0;
    if (write(descriptor, &byte, 1) != 1) {
        _exit(1);
    }
}

void wait_for(int descriptor) {
    char byte = 0;
    if (read(descriptor, &byte, 1) != 1) {
        _exit(1);
    }
}

// Stops the thread that has accessed the memory. The access is repeated when it returns.
void stop_here(int signal, siginfo_t* info, void*) {
    if (reinterpret_cast<uintptr_t>(info->si_addr) - g_stop.begin >= StoppingPage::kBytes) {
        sigaction(signal, &g_stop.before, nullptr);  // another fault
        return;
    }
    pass(g_stop.reached[1]);
    wait_for(g_stop.released[0]);
}

}  // namespace

StoppingPage::StoppingPage() {
    void* memory = mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || pipe(g_stop.reached) != 0 || pipe(g_stop.released) != 0) {
        give_up("no memory or pipes for a stopping page");
    }
    memory_ = static_cast<char*>(memory);
    g_stop.begin = reinterpret_cast<uintptr_t>(memory);
    struct sigaction action {};
    action.sa_sigaction = stop_here;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, &g_stop.before);
}

StoppingPage::~StoppingPage() {
    sigaction(SIGSEGV, &g_stop.before, nullptr);
    munmap(memory_, kBytes);
    for (const int descriptor :
         {g_stop.reached[0], g_stop.reached[1], g_stop.released[0], g_stop.released[1]}) {
        close(descriptor);
    }
}

void StoppingPage::wait_until_reached() const {
    wait_for(g_stop.reached[0]);
}

void StoppingPage::let_go() const {
    if (mprotect(memory_, kBytes, PROT_READ | PROT_WRITE) != 0) {
        give_up("mprotect failed");
    }
    pass(g_stop.released[1]);
}

}  // namespace armci::mp

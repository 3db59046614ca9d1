// SPDX-License-Identifier: BSD-3-Clause
#include "threads.h"

#include <pthread.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "fiber.h"
#include "simulation.h"
#include "timeline.h"

namespace armci::sim {
namespace {

struct SimThread {
    std::unique_ptr<Fiber> fiber;
    void* (*run)(void*) = nullptr;
    void* argument = nullptr;
    int process = 0;
    bool is_joined = false;
};

constexpr size_t kKinds = 2;

std::vector<std::unique_ptr<SimThread>> g_threads;  // a thread's number is one more than its index
std::vector<std::array<SimThread*, kKinds>> g_by_process;
int g_acting = 0;
int g_refused = -1;
const SimThread* g_running = nullptr;  // nullptr: the rank itself runs
OnExit g_on_exit;

SimThread& thread_of(pthread_t number) {
    const size_t index = static_cast<size_t>(number) - 1;
    if (index >= g_threads.size() || g_threads[index]->is_joined) {
        violation("a thread is used that does not exist");
    }
    return *g_threads[index];
}

}  // namespace

void set_acting_process(int process) {
    g_acting = process;
}

int acting_process() {
    return g_acting;
}

void start_threads(int process_count) {
    g_threads.clear();
    g_by_process.assign(static_cast<size_t>(process_count), {});
    g_running = nullptr;
    g_refused = -1;
}

void refuse_threads_of(int process) {
    g_refused = process;
}

bool has_thread(int process, ThreadKind kind) {
    return g_by_process[static_cast<size_t>(process)][static_cast<size_t>(kind)] != nullptr;
}

void resume_thread(int process, ThreadKind kind) {
    SimThread* thread = g_by_process[static_cast<size_t>(process)][static_cast<size_t>(kind)];
    if (thread == nullptr || thread->fiber->has_ended()) {
        return;
    }
    g_running = thread;
    thread->fiber->resume();
    g_running = nullptr;
}

void set_on_exit(OnExit on_exit) {
    g_on_exit = std::move(on_exit);
}

void exit_process(int code) {
    g_on_exit(code, g_running != nullptr);
    for (;;) {  // nothing of the process runs any more
        Fiber::yield();
    }
}

}  // namespace armci::sim

using armci::sim::Fiber;

extern "C" {

int __real_pthread_mutex_lock(pthread_mutex_t* mutex);

// A fiber that waits for a lock lets the one that holds it go on.
int __wrap_pthread_mutex_lock(pthread_mutex_t* mutex) {
    while (Fiber::is_inside() && pthread_mutex_trylock(mutex) != 0) {
        Fiber::yield();
    }
    return Fiber::is_inside() ? 0 : __real_pthread_mutex_lock(mutex);
}

int __wrap_pthread_create(pthread_t* thread, const pthread_attr_t*, void* (*run)(void*),
                          void* argument) {
    using namespace armci::sim;
    if (acting_process() == g_refused) {
        record("thread refused", g_refused);
        return EAGAIN;
    }
    auto made = std::make_unique<SimThread>();
    made->run = run;
    made->argument = argument;
    made->process = acting_process();
    SimThread* self = made.get();
    made->fiber = std::make_unique<Fiber>([self] { self->run(self->argument); });
    g_threads.push_back(std::move(made));
    *thread = static_cast<pthread_t>(g_threads.size());
    return 0;
}

int __wrap_pthread_setname_np(pthread_t number, const char* name) {
    using namespace armci::sim;
    const bool is_server = std::strcmp(name, "armci-server") == 0;
    if (!is_server && std::strcmp(name, "armci-watch") != 0) {
        violation("a thread \"%s\" is started, which is not simulated", name);
    }
    SimThread& thread = thread_of(number);
    const auto kind = static_cast<size_t>(is_server ? ThreadKind::server : ThreadKind::watch);
    g_by_process[static_cast<size_t>(thread.process)][kind] = &thread;
    record("thread", thread.process, static_cast<int64_t>(kind));
    if (is_timed() && is_server) {
        start_thread_at({thread.process, true}, timed_ns());
    }
    return 0;
}

int __wrap_pthread_join(pthread_t number, void**) {
    using namespace armci::sim;
    SimThread& thread = thread_of(number);
    while (!thread.fiber->has_ended()) {
        Fiber::yield();
    }
    thread.is_joined = true;
    for (SimThread*& known : g_by_process[static_cast<size_t>(thread.process)]) {
        known = known == &thread ? nullptr : known;
    }
    return 0;
}

}  // extern "C"

// SPDX-License-Identifier: BSD-3-Clause
// A thread of the library's own, beside those of the program.
#pragma once

#include <pthread.h>

namespace armci::base {

// All signals are blocked in such a thread, so the program's handlers do not run in it. A fatal
// error in it ends the process without the abort hook, which calls MPI. The class uses POSIX
// threads because std::thread can report a failure only by an exception.
class Thread {
  public:
    Thread() = default;
    Thread(const Thread&) = delete;
    Thread& operator=(const Thread&) = delete;

    // Starts a thread that calls block(argument). The system shows the thread by `name`, of at most
    // 15 characters. Returns false if the system refuses a thread.
    bool start(const char* name, void (*block)(void* argument), void* argument);
    // Does the same for a thread that calls a member function: start<&Object::run>(name, object).
    template <auto run, class Object>
    bool start(const char* name, Object& object) {
        return start(
            name, [](void* self) { (static_cast<Object*>(self)->*run)(); }, &object);
    }
    bool is_started() const { return is_started_; }
    // Waits for the end of the thread, which the caller must bring about. Does nothing without a
    // thread.
    void join();

  private:
    static void* enter(void* self);

    pthread_t thread_{};
    bool is_started_ = false;
    void (*run_)(void*) = nullptr;
    void* argument_ = nullptr;
};

}  // namespace armci::base

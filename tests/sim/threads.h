// SPDX-License-Identifier: BSD-3-Clause
// The library's own threads (data servers, watches), simulated: each is a fiber of its process.
// They wait for locks without stopping the one real thread. And what ends a process.
#pragma once

#include <cstdint>
#include <functional>

namespace armci::sim {

// The process that runs now.
void set_acting_process(int process);
int acting_process();

// What the library calls its threads.
enum class ThreadKind : uint8_t { server, watch };

// Forgets those of an earlier run.
void start_threads(int process_count);
// The system refuses further threads of that process. -1: of none.
void refuse_threads_of(int process);
bool has_thread(int process, ThreadKind kind);
// Gives the thread a turn, as its process, if it is there.
void resume_thread(int process, ThreadKind kind);

// What happens when a process ends: `code` is its status, `by_thread` says that one of the threads
// has ended it, which cannot call MPI_Abort. Does not return.
using OnExit = std::function<void(int code, bool by_thread)>;
void set_on_exit(OnExit on_exit);
[[noreturn]] void exit_process(int code);

}  // namespace armci::sim

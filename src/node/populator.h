// SPDX-License-Identifier: BSD-3-Clause
// A thread that touches new memory before the program does, while a processor is idle. The program
// then has no page faults, which cost microseconds: the kernel must find and clear each page.
//
// Each rank has such a thread for its own slices, so that their pages lie in the rank's NUMA node.
// The thread begins at the end of a slice, because programs mostly begin at the beginning. It rests
// after it had to wait for a processor. So it takes little time from threads that have work.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "base/mutex.h"
#include "base/thread.h"
#include "node/memory_limits.h"

namespace armci::node {

class Populator {
  public:
    // The name of the thread in ps -L and top -H.
    static constexpr const char* kThreadName = "armci-populate";

    explicit Populator(MemoryFiles files = {}) : files_(std::move(files)) {}
    ~Populator() { stop(); }
    Populator(const Populator&) = delete;
    Populator& operator=(const Populator&) = delete;

    // Begins to populate the whole pages of a range. Pages that have memory keep their contents.
    // The rest of an earlier range is left. Populating ends when half of the spare memory is taken.
    // The function does nothing if the system refuses a thread.
    void populate(uint64_t begin, uint64_t bytes);
    // After this returns, nothing in [begin, begin + bytes) will be populated.
    void leave(uint64_t begin, uint64_t bytes);
    // Returns how much of the range will still be populated. At 0 the thread is done with it.
    uint64_t bytes_left();
    // Ends the thread after the chunk that is being populated. The rest of the range is left.
    void stop();

  private:
    // Locks the mutex after the chunk that is being populated.
    void lock_soon() ARMCI_ACQUIRE(mutex_);
    void call_thread();
    void run();
    enum class Next : uint8_t { go_on, rest, sleep };
    Next populate_chunk();
    static bool lets_others_run();
    void look_at_memory() ARMCI_REQUIRES(mutex_);

    const MemoryFiles files_;
    base::Thread thread_;
    std::atomic<uint32_t> calls_{0};  // the thread sleeps until it changes
    std::atomic<bool> stopping_{false};
    std::atomic<int> callers_{0};  // in lock_soon()
    base::Mutex mutex_;            // is held while a chunk is populated
    uint64_t begin_ ARMCI_GUARDED_BY(mutex_) = 0;
    uint64_t end_ ARMCI_GUARDED_BY(mutex_) = 0;  // pages behind it are populated
    bool is_new_ ARMCI_GUARDED_BY(mutex_) = false;
    int64_t must_stay_spare_ ARMCI_GUARDED_BY(mutex_) = 0;  // bytes
    uint64_t next_look_ ARMCI_GUARDED_BY(mutex_) = 0;       // where end_ calls for a look at memory
};

}  // namespace armci::node

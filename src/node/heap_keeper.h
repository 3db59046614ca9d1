// SPDX-License-Identifier: BSD-3-Clause
// Freed memory of the node heap stays resident for a while, because new pages cost page faults. The
// keeper limits its amount. It gives memory back that is not used again, or when memory gets short.
//
// Each process that frees memory has a thread for this. The thread sleeps while nothing is kept.
// Otherwise it looks once a second how much memory is spare. It leaves that out if the keeper of
// another process of the node has just looked. The keepers share the result, in the heap.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/thread.h"
#include "node/heap.h"
#include "node/memory_limits.h"

namespace armci::node {

struct KeeperOptions {
    uint64_t max_bytes = 0;            // that a host may keep; 0: freed memory goes back at once
    int64_t kept_ns = 10'000'000'000;  // memory that was kept for this long goes back
    int64_t look_ns = 1'000'000'000;   // between two looks at the host's memory
    MemoryFiles files = {};
};

// Returns how many bytes this node may keep. `max_bytes` is the user's limit for the host, and
// `spare_bytes` is the spare memory. The host's nodes keep `kept_on_host_bytes` now, this one
// `kept_bytes` of them.
uint64_t keep_limit(uint64_t max_bytes, int64_t spare_bytes, uint64_t kept_on_host_bytes,
                    uint64_t kept_bytes);

class HeapKeeper {
  public:
    // The name of the thread in ps -L and top -H.
    static constexpr const char* kThreadName = "armci-memory";

    HeapKeeper() = default;
    ~HeapKeeper() { stop(); }
    HeapKeeper(const HeapKeeper&) = delete;
    HeapKeeper& operator=(const HeapKeeper&) = delete;

    // The heap stays the caller's, and must stay mapped until stop().
    void start(const NodeHeap& heap, const KeeperOptions& options);
    // Ends the thread. Kept memory stays kept.
    void stop();

    // Frees memory of the heap. `record` is the one that allocate() returned. The pages are kept up
    // to the limit. One thread of a process may call this at a time.
    void release(uint32_t record);

    uint64_t max_bytes() const { return options_.max_bytes; }

  private:
    // The thread looks at the host's memory at intervals, or sleeps because nothing is kept, or
    // ends.
    enum State : uint32_t { kLooks, kSleeps, kEnds };

    bool has_thread();
    void look();
    void run();

    NodeHeap heap_;
    KeeperOptions options_;
    base::Thread thread_;
    bool is_refused_ = false;  // the system gives no thread
    std::atomic<uint32_t> state_{kLooks};
};

}  // namespace armci::node

// SPDX-License-Identifier: BSD-3-Clause
// The two processes of a measurement, and how they synchronise: words in memory that both map,
// polled.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace armci::mechanisms {

// Data moves from the source's process to the destination's, whichever side copies it.
enum class Side { source, destination };

inline Side other(Side side) {
    return side == Side::source ? Side::destination : Side::source;
}

inline size_t index_of(Side side) {
    return side == Side::source ? 0 : 1;
}

// Memory that both processes and the one that started them share. Every word except `failed` has
// one writer, and a cache line of its own.
struct Shared {
    static constexpr size_t kRecordBytes = 512;

    alignas(64) std::atomic<uint64_t> ready{0};  // transfers that the source has completed
    alignas(64) std::atomic<uint64_t> done{0};   // of these, received by the destination
    struct alignas(64) Arrival {
        std::atomic<uint64_t> count{0};
    };
    std::array<Arrival, 2> arrived;  // how often each side came to a barrier
    alignas(64) std::atomic<bool> failed{false};
    std::array<char, 256> failure{};  // written before `failed` is set
    struct alignas(64) Record {
        std::array<char, kRecordBytes> bytes{};
    };
    std::array<Record, 2> records;  // of exchange()
};

static_assert(
    std::atomic<uint64_t>::is_always_lock_free);  // else it would not work across processes

void cpu_pause();

class Pair {
  public:
    // `socket` is one end of a pair of Unix sockets, for file descriptors.
    Pair(Shared* shared, Side side, int socket) : shared_(*shared), side_(side), socket_(socket) {}

    Side side() const { return side_; }
    bool is_source() const { return side_ == Side::source; }
    pid_t peer_pid() const { return peer_pid_; }

    // Exchanges the process numbers. Must be called first.
    void meet();

    // Polls until `condition()` holds; `progress()` is called meanwhile for the mechanism.
    template <class Condition, class Progress>
    void wait_until(Condition&& condition, Progress&& progress) {
        for (int turns = 0; !condition(); turns++) {
            progress();
            turns < kSpinTurns ? cpu_pause() : give_way();
        }
    }
    template <class Condition>
    void wait_until(Condition&& condition) {
        wait_until(condition, [] {});
    }

    template <class Progress>
    void barrier(Progress&& progress) {
        const uint64_t count = ++barriers_;
        shared_.arrived[index_of(side_)].count.store(count, std::memory_order_release);
        const auto& peer = shared_.arrived[index_of(other(side_))].count;
        wait_until([&] { return peer.load(std::memory_order_acquire) >= count; }, progress);
    }
    void barrier() {
        barrier([] {});
    }

    // Sends `mine` to the other side and returns what it sent.
    template <class Value>
    Value exchange(const Value& mine) {
        static_assert(std::is_trivially_copyable_v<Value> && sizeof(Value) <= Shared::kRecordBytes);
        std::memcpy(shared_.records[index_of(side_)].bytes.data(), &mine, sizeof mine);
        barrier();
        Value theirs;
        std::memcpy(&theirs, shared_.records[index_of(other(side_))].bytes.data(), sizeof theirs);
        barrier();  // before the records are written again
        return theirs;
    }

    // A descriptor of the source, opened in the destination's process, too. Both call; the source
    // gets its own one back.
    int share_descriptor(int descriptor);

    // The hand-over of a transfer: the source reports that it has done its part, the destination
    // that it has the data.
    void set_ready() { shared_.ready.store(++handed_over_, std::memory_order_release); }
    void set_done() { shared_.done.store(++taken_over_, std::memory_order_release); }
    template <class Progress>
    void wait_until_ready(Progress&& progress) {
        const uint64_t wanted = taken_over_ + 1;
        wait_until([&] { return shared_.ready.load(std::memory_order_acquire) >= wanted; },
                   progress);
    }
    template <class Progress>
    void wait_until_done(Progress&& progress) {
        wait_until([&] { return shared_.done.load(std::memory_order_acquire) >= handed_over_; },
                   progress);
    }

    // Ends this process, and with it the measurement of this mechanism, with a message.
    [[noreturn]] void fail(const char* what, int error);

  private:
    // Long enough for the work of the other side in user space; after that it may lack a core.
    static constexpr int kSpinTurns = 4000;

    void give_way();

    Shared& shared_;
    const Side side_;
    const int socket_;
    pid_t peer_pid_ = 0;
    uint64_t barriers_ = 0;
    uint64_t handed_over_ = 0;
    uint64_t taken_over_ = 0;
};

}  // namespace armci::mechanisms

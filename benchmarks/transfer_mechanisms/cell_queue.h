// SPDX-License-Identifier: BSD-3-Clause
// The lock-free queue of Nemesis (docs/references.md: Buntinas 2006b): many may put cells in, one
// takes them out.
//
// Cells are in memory that processes map at different addresses, so links are numbers. enqueue()
// swaps its cell in as the tail (acq_rel: the contents of the cell come before, and it sees the
// cell before it). Then the cell becomes visible through its predecessor's link or, if there was
// none, the head. The one consumer takes the head. If that cell is also the last one, it tries to
// leave the queue empty by compare-and-swap of the tail. If that fails an enqueue() is between its
// two steps, and its link appears at once.
#pragma once

#include "pair.h"

#include <atomic>
#include <cstdint>

namespace armci::mechanisms {

constexpr uint32_t kNoCell = UINT32_MAX;

struct alignas(64) Cell {
    std::atomic<uint32_t> next{kNoCell};
    uint32_t bytes = 0;  // of the data, which begins after this line
};

class CellQueue {
  public:
    // `cell_at(number)` finds a cell in the caller's mapping.
    template <class CellAt>
    void enqueue(uint32_t number, CellAt&& cell_at) {
        cell_at(number).next.store(kNoCell, std::memory_order_relaxed);
        const uint32_t before = tail_.exchange(number, std::memory_order_acq_rel);
        if (before == kNoCell) {
            head_.store(number, std::memory_order_release);
        } else {
            cell_at(before).next.store(number, std::memory_order_release);
        }
    }

    // kNoCell if there is none.
    template <class CellAt>
    uint32_t dequeue(CellAt&& cell_at) {
        const uint32_t number = head_.load(std::memory_order_acquire);
        if (number == kNoCell) {
            return kNoCell;
        }
        uint32_t next = cell_at(number).next.load(std::memory_order_acquire);
        if (next == kNoCell) {
            // Before the tail: an enqueue() that finds no tail writes the head.
            head_.store(kNoCell, std::memory_order_relaxed);
            uint32_t last = number;
            if (tail_.compare_exchange_strong(last, kNoCell, std::memory_order_acq_rel)) {
                return number;
            }
            while ((next = cell_at(number).next.load(std::memory_order_acquire)) == kNoCell) {
                cpu_pause();
            }
        }
        head_.store(next, std::memory_order_relaxed);
        return number;
    }

  private:
    alignas(64) std::atomic<uint32_t> head_{kNoCell};
    alignas(64) std::atomic<uint32_t> tail_{kNoCell};
};

}  // namespace armci::mechanisms

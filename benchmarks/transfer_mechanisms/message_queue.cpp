// SPDX-License-Identifier: BSD-3-Clause
// Two copies through cells: a cell is taken from the sender's free queue, filled, put into the
// receiver's receive queue, emptied, and returned. One pair of queues per process serves any number
// of peers.
#include "cell_queue.h"
#include "factories.h"
#include "staged_copy.h"

#include <algorithm>
#include <new>

namespace armci::mechanisms {

namespace {

constexpr uint32_t kCellCount = 16;

// Of the one direction that is measured.
struct Queues {
    CellQueue free;     // of the source
    CellQueue receive;  // of the destination
};

// Finds a cell in this process's mapping.
struct CellAt {
    char* cells = nullptr;
    size_t step = 0;

    Cell& operator()(uint32_t number) const {
        return *reinterpret_cast<Cell*>(cells + number * step);
    }
};

class MessageQueue : public StagedCopy {
  public:
    explicit MessageQueue(size_t cell_bytes) : cell_bytes_(cell_bytes) {}

  protected:
    size_t memory_bytes() const override {
        return sizeof(Queues) + kCellCount * (sizeof(Cell) + cell_bytes_);
    }

    void prepare(char* memory) override {
        queues_ = reinterpret_cast<Queues*>(memory);
        cell_at_ = {memory + sizeof(Queues), sizeof(Cell) + cell_bytes_};
        if (!pair_->is_source()) {
            return;
        }
        new (memory) Queues;
        for (uint32_t number = 0; number < kCellCount; number++) {
            new (&cell_at_(number)) Cell;
            queues_->free.enqueue(number, cell_at_);
        }
    }

    void send(const char* from, size_t bytes) override {
        for (size_t at = 0; at < bytes;) {
            const uint32_t number = take(queues_->free);
            Cell& filled = cell_at_(number);
            filled.bytes = static_cast<uint32_t>(std::min(bytes - at, cell_bytes_));
            std::memcpy(data_of(filled), from + at, filled.bytes);
            at += filled.bytes;
            queues_->receive.enqueue(number, cell_at_);
        }
    }

    void receive(char* to, size_t bytes) override {
        for (size_t at = 0; at < bytes;) {
            const uint32_t number = take(queues_->receive);
            Cell& filled = cell_at_(number);
            std::memcpy(to + at, data_of(filled), filled.bytes);
            at += filled.bytes;
            queues_->free.enqueue(number, cell_at_);
        }
    }

  private:
    static char* data_of(Cell& cell) { return reinterpret_cast<char*>(&cell + 1); }

    uint32_t take(CellQueue& queue) {
        uint32_t number = kNoCell;
        pair_->wait_until([&] { return (number = queue.dequeue(cell_at_)) != kNoCell; });
        return number;
    }

    const size_t cell_bytes_;
    Queues* queues_ = nullptr;
    CellAt cell_at_;
};

}  // namespace

std::unique_ptr<Mechanism> make_message_queue(const Kind&, const Sizes& sizes) {
    return std::make_unique<MessageQueue>(sizes.cell_bytes);
}

}  // namespace armci::mechanisms

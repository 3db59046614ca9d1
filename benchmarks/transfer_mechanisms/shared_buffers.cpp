// SPDX-License-Identifier: BSD-3-Clause
// Two copies through two small buffers: while one is copied out, the other is copied in.
//
// Each buffer has a word with the number of bytes in it; 0 means that it is empty. Only the source
// sets it, when it has written the data, and only the destination clears it, when it has read them:
// release and acquire on that word pass the buffer back and forth.
#include "factories.h"
#include "staged_copy.h"

#include <algorithm>
#include <new>

namespace armci::mechanisms {

namespace {

constexpr size_t kBufferCount = 2;

struct alignas(64) FillLevel {
    std::atomic<size_t> bytes{0};
};

class SharedBuffers : public StagedCopy {
  public:
    explicit SharedBuffers(size_t buffer_bytes) : buffer_bytes_(buffer_bytes) {}

  protected:
    size_t memory_bytes() const override {
        return kBufferCount * (sizeof(FillLevel) + buffer_bytes_);
    }

    void prepare(char* memory) override {
        if (pair_->is_source()) {
            new (memory) FillLevel[kBufferCount];
        }
        levels_ = reinterpret_cast<FillLevel*>(memory);
        buffers_ = memory + kBufferCount * sizeof(FillLevel);
    }

    void send(const char* from, size_t bytes) override {
        for (size_t at = 0; at < bytes; next()) {
            std::atomic<size_t>& level = levels_[turn_].bytes;
            pair_->wait_until([&] { return level.load(std::memory_order_acquire) == 0; });
            const size_t piece = std::min(bytes - at, buffer_bytes_);
            std::memcpy(buffers_ + turn_ * buffer_bytes_, from + at, piece);
            level.store(piece, std::memory_order_release);
            at += piece;
        }
    }

    void receive(char* to, size_t bytes) override {
        for (size_t at = 0; at < bytes; next()) {
            std::atomic<size_t>& level = levels_[turn_].bytes;
            size_t piece = 0;
            pair_->wait_until([&] { return (piece = level.load(std::memory_order_acquire)) != 0; });
            std::memcpy(to + at, buffers_ + turn_ * buffer_bytes_, piece);
            level.store(0, std::memory_order_release);
            at += piece;
        }
    }

  private:
    void next() { turn_ = (turn_ + 1) % kBufferCount; }

    const size_t buffer_bytes_;
    FillLevel* levels_ = nullptr;
    char* buffers_ = nullptr;
    size_t turn_ = 0;
};

}  // namespace

std::unique_ptr<Mechanism> make_shared_buffers(const Kind&, const Sizes& sizes) {
    return std::make_unique<SharedBuffers>(sizes.buffer_bytes);
}

}  // namespace armci::mechanisms

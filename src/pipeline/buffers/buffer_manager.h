// SPDX-License-Identifier: BSD-3-Clause
// Memory handed out in pieces that fit the request. It knows no network.
//
// The memory is one arena of buffer_count buffers, which others map and register. Buffers can be
// used one after the other, as their owner makes them ready. A piece is a power of two of at least
// kSmallestPiece and at most one buffer. Buffers are split in halves on demand and merge again as
// soon as both halves are free (a buddy system inside each buffer). A request is served from a
// buffer that is already split before a whole one is broken. So small pieces gather in few buffers
// and a free buffer stays whole. Consequently a piece is at most twice the request, and a request
// that fits a free piece never fails. A freed piece can be used again at once, in any order,
// without waiting for others.
//
// One thread at a time; the owner's lock protects it.
// docs/references.md: Knowlton 1965, Tipparaju 2001
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace armci::pipeline {

class BufferManager {
  public:
    static constexpr size_t kSmallestPiece = 256;

    BufferManager() = default;
    BufferManager(const BufferManager&) = delete;
    BufferManager& operator=(const BufferManager&) = delete;

    // Returns how long buffers are if `buffer_bytes` were asked for: a power of two.
    static size_t rounded(size_t buffer_bytes);

    // Takes an arena of buffer_count * rounded(buffer_bytes) bytes, aligned to at least 64 bytes,
    // which stays the caller's. No buffer is ready then.
    void open(void* arena, size_t buffer_count, size_t buffer_bytes);
    // Makes the next buffer ready, so that pieces of it can be acquired. There must be one.
    void add_buffer();
    size_t ready_count() const { return ready_count_; }
    bool has_all() const { return ready_count_ == buffer_count_; }
    // Returns the number of the buffer that the piece is in, from 0.
    size_t buffer_of(const void* piece) const {
        return static_cast<size_t>(static_cast<const char*>(piece) - arena_) / buffer_bytes_;
    }

    // Returns a piece that is aligned to at least 64 bytes. It is nullptr when no free piece is
    // large enough now, or ever (bytes > buffer_bytes()).
    void* acquire(size_t bytes);
    void release(void* piece);

    size_t buffer_bytes() const { return buffer_bytes_; }
    size_t arena_bytes() const { return buffer_count_ * buffer_bytes_; }
    size_t ready_bytes() const { return ready_count_ * buffer_bytes_; }
    // These return the bytes of all pieces in use, now and at most so far.
    size_t used_bytes() const { return used_bytes_; }
    size_t high_water_bytes() const { return high_water_bytes_; }

  private:
    // The index of its first unit of kSmallestPiece bytes names a piece.
    using Unit = int32_t;
    static constexpr Unit kNoUnit = -1;

    int order_for(size_t bytes) const;
    void push_free(Unit unit, int order);
    void remove_free(Unit unit, int order);
    Unit pop_free(int order);

    char* arena_ = nullptr;
    size_t buffer_count_ = 0;
    size_t ready_count_ = 0;
    size_t buffer_bytes_ = 0;
    int largest_order_ = 0;
    size_t used_bytes_ = 0;
    size_t high_water_bytes_ = 0;

    std::vector<int8_t>
        order_;  // of the piece that begins at a unit, free or used; -1 inside pieces
    std::vector<uint8_t> is_free_;  // whether that piece is free
    std::vector<Unit> next_;        // free list links
    std::vector<Unit> previous_;
    std::vector<Unit> heads_;  // per order
};

}  // namespace armci::pipeline

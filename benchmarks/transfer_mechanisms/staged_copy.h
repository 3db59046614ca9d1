// SPDX-License-Identifier: BSD-3-Clause
// The common part of mechanisms in which the source copies into memory that both map, and the
// destination out of it, a piece at a time.
#pragma once

#include "mechanism.h"
#include "shared_memory.h"

namespace armci::mechanisms {

class StagedCopy : public Mechanism {
  public:
    Availability set_up(Pair& pair, char* own, size_t, char** area) override {
        pair_ = &pair;
        own_ = own;
        *area = own;
        memory_ = map_shared(pair, memory_bytes());
        prepare(memory_);
        pair.barrier();
        return {};
    }

    void tear_down() override { munmap(memory_, memory_bytes()); }

    void act(size_t offset, size_t bytes) override {
        pair_->is_source() ? send(own_ + offset, bytes) : receive(own_ + offset, bytes);
    }

  protected:
    virtual size_t memory_bytes() const = 0;
    // Finds its parts in the memory, of which the source also makes the objects.
    virtual void prepare(char* memory) = 0;
    virtual void send(const char* from, size_t bytes) = 0;
    virtual void receive(char* to, size_t bytes) = 0;

    Pair* pair_ = nullptr;

  private:
    char* own_ = nullptr;
    char* memory_ = nullptr;
};

}  // namespace armci::mechanisms

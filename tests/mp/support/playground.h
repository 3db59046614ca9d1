// SPDX-License-Identifier: BSD-3-Clause
// Where transfers are tested: on every rank an area for each rank, and beside the real memory a
// plain copy (the oracle) of what it must contain.
//
// Only rank o changes its area in rank t's slice, so it knows its exact contents without
// communication. The areas are next to each other: a byte that is written outside an area is found
// in the neighbour's. The local buffer has its oracle too: a put must not change it, and a get only
// the bytes it names.
#pragma once

#include <string>
#include <vector>

#include "support/global_memory.h"
#include "support/transfer.h"

namespace armci::mp {

// Kind of memory the local buffer is taken from.
enum class LocalMemory { heap, malloc_local, own_global };

// Contents: raw random bytes, or elements of an ARMCI_ACC_* type.
constexpr int kRawBytes = -1;

class Playground {
  public:
    // Collective. Sizes are rounded up to 64 bytes. The memory starts filled with `contents`.
    Playground(int64_t area_bytes, int64_t local_bytes, int contents,
               LocalMemory local_memory = LocalMemory::heap);
    ~Playground();
    Playground(const Playground&) = delete;
    Playground& operator=(const Playground&) = delete;

    int64_t area_bytes() const { return area_bytes_; }
    int64_t local_bytes() const { return local_bytes_; }
    char* local() { return local_; }
    char* remote(int target) const { return memory_.at(target, me() * area_bytes_); }
    const std::vector<char>& expected_remote(int target) const {
        return expected_remote_[static_cast<size_t>(target)];
    }

    // Collective: all areas and the local buffer get new random contents of this kind.
    void refill(int contents);
    // New random contents of the kind in use for the local buffer only.
    void refill_local(Rng& rng);

    // Runs the transfer on my area at `target` and on the oracle, and compares the local buffer.
    void perform(const Transfer& transfer, int target, Completion completion);
    // Applies to the oracle a transfer that the test issued itself.
    void expect(const Transfer& transfer, int target);

    void check_local(const std::string& what);
    // Reads back my whole area at `target` (or a part of it) and compares.
    void check_by_get(int target, const std::string& what);
    void check_by_get(int target, int64_t offset_bytes, int64_t bytes, const std::string& what);
    // Collective: after AllFence every rank compares its whole slice, by plain loads, with the
    // expected contents of the other ranks.
    void check_by_owner(const std::string& what);

  private:
    void fill(Rng& rng, char* memory, int64_t bytes) const;

    int64_t area_bytes_;
    int64_t local_bytes_;
    int contents_;
    LocalMemory local_memory_;
    uint64_t fills_ = 0;
    GlobalMemory memory_;
    char* local_ = nullptr;
    std::vector<char> heap_;
    std::vector<char> expected_local_;
    std::vector<std::vector<char>> expected_remote_;
    std::vector<char> readback_;
};

// The room of a random transfer of this verb in the playground. `type` is as for Playground
// contents.
Room room_for(Verb verb, const Playground& playground, int type, int64_t total_bytes);

// A random transfer of any form; for raw contents acc is not possible.
Transfer random_transfer(Rng& rng, Verb verb, const Playground& playground, int type,
                         int64_t total_bytes);

}  // namespace armci::mp

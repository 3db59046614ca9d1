// SPDX-License-Identifier: BSD-3-Clause
#include "support/playground.h"

#include <gtest/gtest.h>

#include <cstring>

#include "support/check.h"

namespace armci::mp {
namespace {

int64_t round_up(int64_t bytes) {
    return (bytes + 63) / 64 * 64;
}

// Bytes of my slice: the areas of all ranks, and the local buffer if it is there.
int64_t slice_bytes(int64_t area_bytes, int64_t local_bytes, LocalMemory local_memory) {
    const int64_t areas = round_up(area_bytes) * nproc();
    return local_memory == LocalMemory::own_global ? areas + round_up(local_bytes) : areas;
}

}  // namespace

Playground::Playground(int64_t area_bytes, int64_t local_bytes, int contents,
                       LocalMemory local_memory)
    : area_bytes_(round_up(area_bytes)),
      local_bytes_(round_up(local_bytes)),
      contents_(contents),
      local_memory_(local_memory),
      memory_(slice_bytes(area_bytes, local_bytes, local_memory)),
      expected_local_(static_cast<size_t>(local_bytes_)),
      expected_remote_(static_cast<size_t>(nproc()),
                       std::vector<char>(static_cast<size_t>(area_bytes_))) {
    switch (local_memory_) {
        case LocalMemory::heap:
            heap_.resize(static_cast<size_t>(local_bytes_));
            local_ = heap_.data();
            break;
        case LocalMemory::malloc_local:
            local_ = static_cast<char*>(ARMCI_Malloc_local(local_bytes_));
            if (local_ == nullptr) {
                give_up("ARMCI_Malloc_local failed");
            }
            break;
        case LocalMemory::own_global:
            local_ = memory_.at(me(), nproc() * area_bytes_);
            break;
    }
    refill(contents);
}

Playground::~Playground() {
    if (local_memory_ == LocalMemory::malloc_local) {
        ARMCI_Free_local(local_);
    }
}

void Playground::fill(Rng& rng, char* memory, int64_t bytes) const {
    if (contents_ != kRawBytes) {
        fill_elements(element_type(contents_), rng, memory, bytes);
        return;
    }
    for (int64_t i = 0; i < bytes; i += 8) {
        const uint64_t word = rng.bits();
        std::memcpy(memory + i, &word, 8);
    }
}

void Playground::refill(int contents) {
    contents_ = contents;
    ++fills_;
    ARMCI_Barrier();
    // Owner and origin generate the same contents from the same stream, without communication.
    const auto stream = [this](int owner, int origin) {
        return (fills_ << 32) + static_cast<uint64_t>(owner) * 65536 +
               static_cast<uint64_t>(origin) + 1;
    };
    for (int origin = 0; origin < nproc(); ++origin) {
        Rng rng = common_rng(stream(me(), origin));
        fill(rng, memory_.at(me(), origin * area_bytes_), area_bytes_);
    }
    for (int target = 0; target < nproc(); ++target) {
        Rng rng = common_rng(stream(target, me()));
        fill(rng, expected_remote_[static_cast<size_t>(target)].data(), area_bytes_);
    }
    Rng rng = rank_rng(fills_);
    refill_local(rng);
    ARMCI_Barrier();
}

void Playground::refill_local(Rng& rng) {
    fill(rng, expected_local_.data(), local_bytes_);
    std::memcpy(local_, expected_local_.data(), static_cast<size_t>(local_bytes_));
}

void Playground::perform(const Transfer& transfer, int target, Completion completion) {
    run(transfer, local_, remote(target), target, completion);
    expect(transfer, target);
    check_local(transfer.describe() + " (" + name_of(completion) + "), local side, target " +
                std::to_string(target));
}

void Playground::expect(const Transfer& transfer, int target) {
    apply(transfer, expected_local_.data(), expected_remote_[static_cast<size_t>(target)].data());
}

void Playground::check_local(const std::string& what) {
    expect_same_bytes(expected_local_.data(), local_, local_bytes_, what);
}

void Playground::check_by_get(int target, const std::string& what) {
    check_by_get(target, 0, area_bytes_, what);
}

void Playground::check_by_get(int target, int64_t offset_bytes, int64_t bytes,
                              const std::string& what) {
    readback_.assign(static_cast<size_t>(bytes), 0x33);
    EXPECT_EQ(
        ARMCI_Get(remote(target) + offset_bytes, readback_.data(), static_cast<int>(bytes), target),
        0);
    expect_same_bytes(expected_remote_[static_cast<size_t>(target)].data() + offset_bytes,
                      readback_.data(), bytes,
                      what + ", remote side read back from target " + std::to_string(target) +
                          " at offset " + std::to_string(offset_bytes));
}

void Playground::check_by_owner(const std::string& what) {
    ARMCI_AllFence();
    const auto area = static_cast<size_t>(area_bytes_);
    std::vector<char> sent(area * static_cast<size_t>(nproc()));
    std::vector<char> received(sent.size());
    for (size_t target = 0; target < expected_remote_.size(); ++target) {
        std::memcpy(sent.data() + target * area, expected_remote_[target].data(), area);
    }
    MPI_Request exchanged = MPI_REQUEST_NULL;
    MPI_Ialltoall(sent.data(), static_cast<int>(area), MPI_BYTE, received.data(),
                  static_cast<int>(area), MPI_BYTE, harness_comm(), &exchanged);
    finish(exchanged);
    for (int origin = 0; origin < nproc(); ++origin) {
        expect_same_bytes(
            received.data() + static_cast<size_t>(origin) * area,
            memory_.at(me(), origin * area_bytes_), area_bytes_,
            what + ", area of origin " + std::to_string(origin) + " as its owner sees it");
    }
    sync();
}

Room room_for(Verb verb, const Playground& playground, int type, int64_t total_bytes) {
    Room room{playground.local_bytes(), playground.area_bytes(), total_bytes};
    if (type != kRawBytes) {
        room.unit_bytes = element_type(type).bytes;
        // Complex elements need the alignment of their parts only, and every part holds a number.
        room.align_bytes = element_type(type).align_bytes;
    }
    room.local_overlap = verb != Verb::get;
    room.remote_overlap = verb != Verb::put;
    return room;
}

Transfer random_transfer(Rng& rng, Verb verb, const Playground& playground, int type,
                         int64_t total_bytes) {
    Transfer transfer;
    transfer.verb = verb;
    transfer.shape = random_shape(rng, room_for(verb, playground, type, total_bytes));
    if (verb == Verb::acc) {
        transfer.type = type;
        transfer.scale = random_scale(element_type(type), rng);
    }
    return transfer;
}

}  // namespace armci::mp

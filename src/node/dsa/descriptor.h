// SPDX-License-Identifier: BSD-3-Clause
// What an Intel DSA device reads and writes in memory: descriptors of work, and the records of
// their completion. descriptor.cpp compares this with the kernel's header where that is installed.
// docs/references.md: Intel DSA, Kuper 2024
#pragma once

#include <cstddef>
#include <cstdint>

namespace armci::node::dsa {

enum class Opcode : uint8_t { noop = 0, batch = 1, drain = 2, memmove = 3 };

// The flags that are used here, in the lower 24 bits of Descriptor::flags_and_opcode.
inline constexpr uint32_t kFlagFence = 0x01;         // in a batch: after those before it
inline constexpr uint32_t kFlagBlockOnFault = 0x02;  // waits at a page fault instead of ending
inline constexpr uint32_t kFlagRecordValid = 0x04;   // there is an address of a record
inline constexpr uint32_t kFlagRecordWanted = 0x08;  // also after success
inline constexpr uint32_t kKnownFlags =
    kFlagFence | kFlagBlockOnFault | kFlagRecordValid | kFlagRecordWanted;

constexpr uint32_t flags_and_opcode(Opcode opcode, uint32_t flags) {
    return (static_cast<uint32_t>(opcode) << 24) | flags;
}

// What a record says in the lower 7 bits of its status.
enum class Status : uint8_t {
    none = 0x00,  // not complete
    success = 0x01,
    page_fault = 0x03,        // the work ended there; the record says how much is done
    batch_failed = 0x05,      // some descriptor of the batch has not succeeded
    batch_page_fault = 0x06,  // while the list of the batch was read
    bad_opcode = 0x10,
    invalid_flags = 0x11,
    reserved_not_zero = 0x12,
    bad_length = 0x13,
    bad_count = 0x14,  // of descriptors in a batch
    overlap = 0x16,
    list_misaligned = 0x18,
    record_misaligned = 0x1b,
    hardware_error = 0x20,
    translation_failed = 0x22,
};
inline constexpr uint8_t kStatusMask = 0x7f;
inline constexpr uint8_t kStatusWasWrite = 0x80;  // the access that met a page fault

// Returns a few words, also for statuses that are not listed above.
const char* describe(Status status);

struct alignas(64) Descriptor {
    uint32_t pasid_and_privilege = 0;  // the processor or the driver sets it
    uint32_t flags_and_opcode = 0;
    uint64_t record = 0;  // address of the completion record, a multiple of 32
    uint64_t source = 0;  // or the list of a batch, at a multiple of 64
    uint64_t destination = 0;
    uint32_t length = 0;  // bytes, or descriptors of a batch
    uint16_t interrupt_handle = 0;
    uint16_t reserved = 0;
    uint64_t operation_specific[3] = {};

    Opcode opcode() const { return static_cast<Opcode>(flags_and_opcode >> 24); }
    uint32_t flags() const { return flags_and_opcode & 0xffffff; }
};

// The device writes the status last. Its reader loads it with acquire order.
struct alignas(32) CompletionRecord {
    uint8_t status = 0;
    uint8_t result = 0;
    uint16_t reserved = 0;
    uint32_t done = 0;  // bytes, or descriptors of a batch
    uint64_t fault_address = 0;
    uint64_t operation_specific[2] = {};
};

static_assert(sizeof(Descriptor) == 64 && offsetof(Descriptor, record) == 8 &&
              offsetof(Descriptor, source) == 16 && offsetof(Descriptor, destination) == 24 &&
              offsetof(Descriptor, length) == 32 && offsetof(Descriptor, interrupt_handle) == 36 &&
              offsetof(Descriptor, operation_specific) == 40);
static_assert(sizeof(CompletionRecord) == 32 && offsetof(CompletionRecord, done) == 4 &&
              offsetof(CompletionRecord, fault_address) == 8);

}  // namespace armci::node::dsa

// SPDX-License-Identifier: BSD-3-Clause
// Global memory made by one rank alone, and named by a record that ranks send to each other.
#include <cinttypes>

#include "base/log.h"
#include "core/checks.h"
#include "core/global_memory.h"

namespace armci::core {
namespace {

uint64_t dynamic_id(int owner, const DynamicMemory& memory) {
    return kDynamicSegment | static_cast<uint64_t>(owner) << kDynamicCountBits | memory.number;
}

}  // namespace

DynamicMemory allocate_dynamic(Runtime& runtime, const char* function, int64_t bytes) {
    DynamicMemory memory;
    std::string reason;
    const node::NodeHeap::Range range =
        take_available(runtime, function, static_cast<size_t>(bytes), &reason);
    if (range.data == nullptr) {
        base::fatal(function, "%" PRId64 " bytes of global memory were asked for on %s: %s", bytes,
                    describe_node(runtime.world).c_str(), reason.c_str());
    }
    memory.data_record = range.record;
    memory.number = runtime.next_dynamic_number++;
    memory.slice = Slice{reinterpret_cast<uint64_t>(range.data), static_cast<uint64_t>(bytes)};
    memory.part.node = runtime.world.node;
    memory.part.server = runtime.server_for(runtime.world.node, memory.number);
    memory.part.begin = memory.slice.base;
    memory.part.bytes = memory.slice.bytes;
    publish(runtime, function, &memory.part);
    return memory;
}

void free_dynamic(Runtime& runtime, const DynamicMemory& memory) {
    withdraw(runtime, "ARMCI_Memctl", memory.part);
    const bool is_poisoned = runtime.checks != nullptr &&
                             runtime.checks->poison_freed(runtime.world.rank, memory.slice,
                                                          dynamic_id(runtime.world.rank, memory));
    runtime.heap.release(memory.data_record, is_poisoned ? node::NodeHeap::Pages::keep
                                                         : node::NodeHeap::Pages::release);
}

void attach_dynamic(Runtime& runtime, int owner, const DynamicMemory& memory) {
    const uint64_t id = dynamic_id(owner, memory);
    if (runtime.segments.find_by_id(id) != nullptr) {
        return;
    }
    auto segment = std::make_unique<Segment>();
    segment->id = id;
    segment->group = runtime.groups.single(owner);
    const size_t words = (SegmentTables::bytes(1, 1) + sizeof(uint64_t) - 1) / sizeof(uint64_t);
    segment->owned_tables = std::make_unique<uint64_t[]>(words);
    segment->tables = new (segment->owned_tables.get()) SegmentTables{1, 1};
    segment->tables->slices()[0] = memory.slice;
    segment->tables->parts()[0] = memory.part;
    runtime.segments.add(std::move(segment));
}

void detach_dynamic(Runtime& runtime, int owner, const DynamicMemory& memory) {
    if (Segment* segment = runtime.segments.find_by_id(dynamic_id(owner, memory))) {
        if (runtime.checks != nullptr) {
            runtime.checks->remember_freed(*segment);
        }
        runtime.segments.remove(segment);
    }
}

}  // namespace armci::core

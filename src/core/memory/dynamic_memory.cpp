// SPDX-License-Identifier: BSD-3-Clause
// Global memory that one rank makes alone, and that is named by a record that ranks send to each
// other.
#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <string>
#include <vector>

#include "base/log.h"
#include "core/memory/global_memory.h"

namespace armci::core {
namespace {

uint64_t dynamic_id(int owner, const DynamicMemory& memory) {
    return kDynamicSegment | static_cast<uint64_t>(owner) << kDynamicCountBits | memory.number;
}

}  // namespace

DynamicMemory GlobalMemory::allocate_dynamic(const char* function, int64_t bytes) {
    if (const std::string beyond_limit = explain_limit(bytes); !beyond_limit.empty()) {
        base::fatal(function, "%s", beyond_limit.c_str());
    }
    DynamicMemory memory;
    std::string reason;
    const node::NodeHeap::Range range =
        take_available(function, static_cast<size_t>(bytes), &reason);
    if (range.data == nullptr) {
        base::fatal(function, "%" PRId64 " bytes of global memory were asked for on %s: %s", bytes,
                    describe_node(context_.progress.world()).c_str(), reason.c_str());
    }
    if (context_.progress.config().debug_alloc) {
        std::memset(range.data, 0, static_cast<size_t>(bytes));
    }
    memory.data_record = range.record;
    memory.number = next_dynamic_number_++;
    memory.slice = Slice{reinterpret_cast<uint64_t>(range.data), static_cast<uint64_t>(bytes)};
    allocated_bytes_ += memory.slice.bytes;
    memory.part.node = context_.progress.world().node;
    memory.part.server = my_server();
    memory.part.begin = memory.slice.base;
    memory.part.bytes = memory.slice.bytes;
    std::vector<uint64_t> further_keys;
    publish(function, &memory.part, &further_keys);
    std::copy(further_keys.begin(), further_keys.end(), memory.further_keys);
    return memory;
}

void GlobalMemory::free_dynamic(const DynamicMemory& memory) {
    const int me = context_.progress.world().rank;
    // Numbers begin anew with each start of the library.
    const Segment* segment = context_.segments.find_by_id(dynamic_id(me, memory));
    if (segment == nullptr || segment->tables->slices()[0].base != memory.slice.base) {
        base::fatal("ARMCI_Memctl",
                    "argument meminfo describes memory at 0x%" PRIx64
                    ", which is freed already; call it once, with one of the record's copies",
                    memory.slice.base);
    }
    detach_dynamic(me, memory);
    allocated_bytes_ -= memory.slice.bytes;
    withdraw("ARMCI_Memctl", memory.part);
    const bool is_poisoned =
        context_.checking->poison_freed(me, memory.slice, dynamic_id(me, memory));
    release_to_heap(memory.data_record, is_poisoned);
}

void GlobalMemory::attach_dynamic(int owner, const DynamicMemory& memory) {
    const uint64_t id = dynamic_id(owner, memory);
    if (context_.segments.find_by_id(id) != nullptr) {
        return;
    }
    auto segment = std::make_unique<Segment>();
    segment->id = id;
    segment->group = Groups::single(owner);
    const Network* network = context_.progress.network();
    const size_t key_count = network != nullptr ? network->domain.further_key_count() : 0;
    const size_t words =
        (SegmentTables::bytes(1, 1, key_count) + sizeof(uint64_t) - 1) / sizeof(uint64_t);
    segment->owned_tables = std::make_unique<uint64_t[]>(words);
    segment->tables = new (segment->owned_tables.get()) SegmentTables{1, 1};
    segment->tables->slices()[0] = memory.slice;
    segment->tables->parts()[0] = memory.part;
    segment->tables->store_further_keys(memory.further_keys, key_count);
    context_.segments.add(std::move(segment));
}

void GlobalMemory::detach_dynamic(int owner, const DynamicMemory& memory) {
    if (Segment* segment = context_.segments.find_by_id(dynamic_id(owner, memory))) {
        context_.checking->remember_freed(*segment);
        context_.segments.remove(segment);
    }
}

}  // namespace armci::core

// SPDX-License-Identifier: BSD-3-Clause
// Memory that one rank makes alone and others address by a record (ARMCI_Memget and companions).
//
// The record travels between ranks as bytes; `idlist` carries what DynamicMemory holds.
#include <algorithm>
#include <cstring>

#include "api/arguments.h"
#include "base/log.h"
#include "core/memory/global_memory.h"

namespace armci::api {
namespace {

struct Record {
    uint64_t magic;
    core::DynamicMemory memory;
};
constexpr uint64_t kMagic = 0x61726d63692d6d65;
static_assert(sizeof(Record) <= sizeof(armci_meminfo_t::idlist));

Record read_record(Call call, const armci_meminfo_t* meminfo) {
    check_not_null(call.function, "meminfo", meminfo);
    Record record;
    std::memcpy(&record, meminfo->idlist, sizeof record);
    if (record.magic != kMagic) {
        base::fatal(call.function, "argument meminfo was not filled by ARMCI_Memget");
    }
    check_rank(call, "meminfo->cpid", meminfo->cpid);
    return record;
}

}  // namespace
}  // namespace armci::api

using armci::core::Entry;
namespace api = armci::api;

extern "C" void ARMCI_Memget(size_t bytes, armci_meminfo_t* meminfo, int) {
    Entry entry("ARMCI_Memget");
    api::check_not_null("ARMCI_Memget", "meminfo", meminfo);
    if (bytes > static_cast<size_t>(INT64_MAX)) {
        armci::base::fatal("ARMCI_Memget", "argument bytes = %zu: more than any machine has",
                           bytes);
    }
    const auto allocated = static_cast<int64_t>(std::max<size_t>(bytes, 1));
    api::Record record{api::kMagic, entry->memory.allocate_dynamic("ARMCI_Memget", allocated)};
    *meminfo = armci_meminfo_t{};
    meminfo->armci_addr = reinterpret_cast<char*>(record.memory.slice.base);
    meminfo->addr = meminfo->armci_addr;
    meminfo->size = bytes;
    meminfo->cpid = entry->world.rank;
    std::memcpy(meminfo->idlist, &record, sizeof record);
    entry->memory.attach_dynamic(entry->world.rank, record.memory);
}

extern "C" void* ARMCI_Memat(armci_meminfo_t* meminfo, long offset) {
    Entry entry("ARMCI_Memat");
    const api::Record record = api::read_record({*entry, "ARMCI_Memat"}, meminfo);
    entry->memory.attach_dynamic(meminfo->cpid, record.memory);
    return reinterpret_cast<void*>(record.memory.slice.base + static_cast<uint64_t>(offset));
}

extern "C" void ARMCI_Memdt(armci_meminfo_t* meminfo, long) {
    Entry entry("ARMCI_Memdt");
    // The record may have other addresses in use; a newer one at the same place replaces it.
    api::read_record({*entry, "ARMCI_Memdt"}, meminfo);
}

extern "C" void ARMCI_Memctl(armci_meminfo_t* meminfo) {
    Entry entry("ARMCI_Memctl");
    const api::Record record = api::read_record({*entry, "ARMCI_Memctl"}, meminfo);
    if (meminfo->cpid == entry->world.rank) {
        entry->memory.free_dynamic(record.memory);
        std::memset(meminfo->idlist, 0, sizeof meminfo->idlist);
    } else {
        entry->memory.detach_dynamic(meminfo->cpid, record.memory);
    }
}

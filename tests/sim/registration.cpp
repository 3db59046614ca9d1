// SPDX-License-Identifier: BSD-3-Clause
// Registered memory of the simulated provider, and access to it.
#include <algorithm>

#include "network.h"
#include "simulation.h"
#include "threads.h"

namespace armci::sim::network {
namespace {

int close_region(fid* object) {
    auto* region = reinterpret_cast<SimRegion*>(object);
    for (const auto& operation : provider().operations) {
        // An endpoint that accesses its own process gives up with its memory, and is closed next.
        if (!operation->is_placed && operation->kind != Kind::send &&
            operation->from != operation->to && operation->key == region->key &&
            operation->to->domain == region->domain && !operation->has_failed &&
            !operation->to->is_dead && !operation->from->is_dead) {
            violation("memory is deregistered while a remote access to it is under way");
        }
    }
    provider().regions.erase({region->domain, region->key});
    provider().descriptors.erase(region);
    delete region;
    return 0;
}

int bind_region(fid* object, fid* endpoint, uint64_t) {
    reinterpret_cast<SimRegion*>(object)->endpoint = reinterpret_cast<SimEndpoint*>(endpoint);
    return 0;
}

int control_region(fid* object, int command, void*) {
    if (command != FI_ENABLE) {
        return -FI_ENOSYS;
    }
    auto* region = reinterpret_cast<SimRegion*>(object);
    region->is_enabled = true;
    region->mr.key = region->key;
    return 0;
}

uint64_t largest_key() {
    return rules().key_bytes >= sizeof(uint64_t) ? UINT64_MAX
                                                 : (uint64_t{1} << (8 * rules().key_bytes)) - 1;
}

// Providers make keys of numbers of their hardware, so nothing may be expected of them.
uint64_t make_key(const fid_domain* domain) {
    uint64_t key = 0;
    do {
        key = (++provider().next_key * 0x9e3779b97f4a7c15) & largest_key();
    } while (provider().regions.count({domain, key}) != 0);
    return key;
}

}  // namespace

char* remote_memory(const SimEndpoint& target, uint64_t address, uint64_t key, size_t bytes,
                    uint64_t access) {
    const auto found = provider().regions.find({target.domain, key});
    if (found == provider().regions.end()) {
        violation("remote access to endpoint %lld by key %llu, which no memory has",
                  static_cast<long long>(target.name()), static_cast<unsigned long long>(key));
    }
    const SimRegion& region = *found->second;
    const uint64_t offset = address - region.remote_base;
    if (offset > region.bytes || bytes > region.bytes - offset) {
        violation("remote access to %zu bytes at offset %lld of registered memory of %zu bytes",
                  bytes, static_cast<long long>(offset), region.bytes);
    }
    if ((region.access & access) != access || !region.is_enabled) {
        violation("remote access of a kind that memory with key %llu is not registered for",
                  static_cast<unsigned long long>(key));
    }
    if (region.endpoint != nullptr && region.endpoint != &target) {
        violation("remote access by endpoint %lld to memory that is bound to endpoint %lld",
                  static_cast<long long>(target.name()),
                  static_cast<long long>(region.endpoint->name()));
    }
    return region.start + offset;
}

void check_local(const SimEndpoint& endpoint, const void* data, size_t bytes,
                 const void* descriptor) {
    if ((rules().memory_mode & FI_MR_LOCAL) == 0) {
        return;
    }
    const auto found = provider().descriptors.find(descriptor);
    const char* begin = static_cast<const char*>(data);
    if (found == provider().descriptors.end() || begin < found->second->start ||
        begin + bytes > found->second->start + found->second->bytes) {
        violation("%zu bytes are posted without a descriptor of registered memory around them",
                  bytes);
    }
    if (found->second->domain != endpoint.domain) {
        violation("%zu bytes are posted with a descriptor of another domain", bytes);
    }
}

int register_region(fid* object, const void* start, size_t bytes, uint64_t access, uint64_t,
                    uint64_t requested_key, uint64_t, fid_mr** mr, void*) {
    static fi_ops ops = {sizeof ops, close_region, bind_region, control_region,
                         nullptr,    nullptr,      nullptr};
    // At start the library needs its own buffers registered.
    constexpr size_t kTrialBytes = 64;  // of immediate data
    const bool is_remote = (access & FI_REMOTE_WRITE) != 0 && bytes > kTrialBytes;
    if ((is_remote || !is_starting(acting_process())) && happens(rules().failed_registrations)) {
        record("registration refused", static_cast<int64_t>(bytes));
        return -FI_ENOMEM;
    }
    // Some keys belong to memory of the provider's own.
    const bool has_own_key = (rules().memory_mode & FI_MR_PROV_KEY) != 0;
    if (!has_own_key && system_numbers()() % 8 == 0) {
        return -FI_ENOKEY;
    }
    if (const int error = refuse(StartCall::registration); error != 0) {
        return -error;
    }
    auto* region = new SimRegion;
    region->mr.fid = {FI_CLASS_MR, nullptr, &ops};
    region->start = static_cast<char*>(const_cast<void*>(start));
    region->bytes = bytes;
    region->access = access;
    region->mr.mem_desc = region;
    region->domain = reinterpret_cast<const fid_domain*>(object);
    region->key = has_own_key ? make_key(region->domain) : requested_key;
    region->remote_base =
        (rules().memory_mode & FI_MR_VIRT_ADDR) != 0 ? reinterpret_cast<uint64_t>(start) : 0;
    region->is_enabled = (rules().memory_mode & FI_MR_ENDPOINT) == 0;
    region->mr.key = region->is_enabled ? region->key : FI_KEY_NOTAVAIL;
    if ((region->key & ~largest_key()) != 0) {
        violation("a registration asks for the key %llu, where keys have %zu bytes",
                  static_cast<unsigned long long>(region->key), rules().key_bytes);
    }
    if (!provider().regions.emplace(std::pair(region->domain, region->key), region).second) {
        violation("two registrations ask for the key %llu",
                  static_cast<unsigned long long>(region->key));
    }
    provider().descriptors[region] = region;
    *mr = &region->mr;
    return 0;
}

}  // namespace armci::sim::network

// SPDX-License-Identifier: BSD-3-Clause
#include "api/arguments.h"

#include <algorithm>
#include <cinttypes>

#include "base/log.h"

namespace armci::api {
namespace {

strided::AccType type_of(const AccArguments& acc) {
    return static_cast<strided::AccType>(acc.datatype);
}

void check_multiple(const char* function, const char* argument, int64_t bytes,
                    strided::AccType type) {
    const int64_t element = strided::element_bytes(type);
    if (bytes % element != 0) {
        base::fatal(function,
                    "argument %s = %" PRId64 ": must be a multiple of the element's %" PRId64
                    " bytes",
                    argument, bytes, element);
    }
}

}  // namespace

bool check_counts(const char* function, const int* count, int stride_levels) {
    check_not_negative(function, "stride_levels", stride_levels);
    check_not_null(function, "count", count);
    for (int i = 0; i <= stride_levels; ++i) {
        if (count[i] < 0) {
            base::fatal(function, "argument count[%d] = %d: must not be negative", i, count[i]);
        }
    }
    return std::find(count, count + stride_levels + 1, 0) == count + stride_levels + 1;
}

void refuse_rank(Call call, const char* argument, int rank) {
    base::fatal(call.function, "argument %s = %d: no such rank; the world has ranks 0 to %d",
                argument, rank, call.runtime.world.size - 1);
}

void check_not_negative(const char* function, const char* argument, int64_t value) {
    if (value < 0) {
        base::fatal(function, "argument %s = %" PRId64 ": must not be negative", argument, value);
    }
}

void check_not_null(const char* function, const char* argument, const void* pointer) {
    if (pointer == nullptr) {
        base::fatal(function, "argument %s is a null pointer; pass valid memory", argument);
    }
}

namespace {

// Checking mode knows what was there.
void refuse_freed(Call call, const char* argument, const RemoteBytes& remote) {
    const std::string what =
        call.runtime.checking->explain_freed(remote.rank, remote.address, remote.bytes);
    if (!what.empty()) {
        base::fatal(call.function,
                    "argument %s: %" PRId64 " bytes at 0x%" PRIx64
                    " of rank %d are no global memory any more: %s. Free memory after the last "
                    "access of any rank",
                    argument, remote.bytes, remote.address, remote.rank, what.c_str());
    }
}

// Finds bytes that are all in one segment of that rank. Returns the server's part of it, or nullptr
// if there is none. It is in line, because short transfers are checked this way.
[[gnu::always_inline]] inline const core::ServerPart* find_global(Runtime& runtime,
                                                                  const RemoteBytes& remote) {
    if (runtime.threads.is_multiple()) [[unlikely]] {
        if (runtime.world.on_my_node(remote.rank)) {
            const auto found =
                runtime.segments.find_by_thread(remote.rank, remote.address, remote.bytes);
            if (found.segment != nullptr) {
                return found.part;
            }
        }
        runtime.threads.hold_lock();
    }
    return runtime.segments.find(remote.rank, remote.address, remote.bytes).part;
}

// Does the same, as far as it can be known without the lock, which the caller may not need.
const core::ServerPart* find_global_unlocked(Runtime& runtime, const RemoteBytes& remote) {
    if (runtime.threads.is_multiple() && runtime.world.on_my_node(remote.rank)) {
        return runtime.segments.find_by_thread(remote.rank, remote.address, remote.bytes).part;
    }
    return find_global(runtime, remote);
}

// Sets the place of bytes in global memory. A new place is right for those of this node.
void set_place(Runtime& runtime, int rank, const core::ServerPart& part, RemotePlace* place) {
    if (!runtime.world.on_my_node(rank)) {
        *place = part.place();
    }
}

[[noreturn]] void refuse_remote(Call call, const char* argument, const RemoteBytes& remote) {
    refuse_freed(call, argument, remote);
    base::fatal(call.function,
                "argument %s: %" PRId64 " bytes at 0x%" PRIx64
                " of rank %d are not all "
                "global memory: %s. Pass an address inside what ARMCI_Malloc returned for that "
                "rank, or inside one range that it has attached (ARMCIX_Attach)",
                argument, remote.bytes, remote.address, remote.rank,
                call.runtime.segments.explain(remote.rank, remote.address, remote.bytes).c_str());
}

// Does check_remote() for an argument whose name is made only where it is needed. *place is new.
template <class MakeName>
void check_named(Call call, const RemoteBytes& remote, RemotePlace* place, MakeName&& name) {
    if (const core::ServerPart* part = find_global(call.runtime, remote)) {
        set_place(call.runtime, remote.rank, *part, place);
        return;
    }
    place->owner =
        call.runtime.attached.find(call.function, remote.rank, remote.address, remote.bytes);
    if (place->owner == wire::kGlobal) {
        refuse_remote(call, std::string(name()).c_str(), remote);
    }
    if (!call.runtime.world.on_my_node(remote.rank)) {
        place->server = call.runtime.network->rank_servers.of(remote.rank);
    }
}

// One side of a descriptor, for error text about its segments.
struct PointerArray {
    const char* name;
    int descriptor;

    std::string name_of(int64_t segment) const {
        return std::string(name) + "[" + std::to_string(segment) + "] of descriptor " +
               std::to_string(descriptor);
    }
};

// Sets what a transfer has from its call, whatever its layout is.
void describe(Call call, OpKind op, int proc, const AccArguments* acc, Transfer* transfer) {
    if (op == OpKind::acc) {
        transfer->scale = strided::make_scale(type_of(*acc), acc->scale);
    }
    transfer->function = call.function;
    transfer->op = op;
    transfer->target = proc;
}

void check_scaled(Call call, const char* argument, int64_t bytes, const AccArguments& acc) {
    check_not_null(call.function, "scale", acc.scale);
    check_multiple(call.function, argument, bytes, type_of(acc));
}

}  // namespace

RemotePlace check_remote(Call call, const char* argument, const RemoteBytes& remote) {
    RemotePlace place;
    check_named(call, remote, &place, [&] { return argument; });
    return place;
}

void check_aligned(const char* function, const char* argument, const void* address, size_t bytes) {
    if (reinterpret_cast<uintptr_t>(address) % bytes != 0) {
        base::fatal(function, "argument %s = %p: must be aligned to %zu bytes", argument, address,
                    bytes);
    }
}

const core::GroupRef& check_group(Call call, const char* argument, const ARMCI_Group* group) {
    check_not_null(call.function, argument, group);
    const core::GroupRef& found = call.runtime.groups.find(group_id(*group));
    if (found == nullptr) {
        base::fatal(call.function,
                    "argument %s: not a group that this rank is a member of, or one that was "
                    "freed",
                    argument);
    }
    return found;
}

void check_type(const char* function, const AccArguments& acc) {
    if (!strided::is_acc_type(acc.datatype)) {
        base::fatal(function,
                    "argument datatype = %d: use one of ARMCI_ACC_INT, _LNG, _FLT, _DBL, "
                    "_CPL, _DCP",
                    acc.datatype);
    }
}

bool make_transfer(Call call, OpKind op, const ContiguousArguments& arguments,
                   const AccArguments* acc, Transfer* transfer) {
    check_not_negative(call.function, "bytes", arguments.bytes);
    if (arguments.bytes == 0) {
        return false;
    }
    check_rank(call, "proc", arguments.proc);
    const bool local_first = source_is_local(op);
    char* local = local_of(op, arguments);
    check_not_null(call.function, local_first ? "src" : "dst", local);
    const auto address = reinterpret_cast<uint64_t>(remote_of(op, arguments));
    check_named(call, {address, arguments.bytes, arguments.proc}, &transfer->place,
                [&] { return local_first ? "dst" : "src"; });
    if (op == OpKind::acc) {
        check_scaled(call, "bytes", arguments.bytes, *acc);
    }
    describe(call, op, arguments.proc, acc, transfer);
    transfer->total_bytes = arguments.bytes;
    transfer->sides.make_contiguous(local, address, arguments.bytes);
    return true;
}

namespace {

void make_layout(Call call, OpKind op, const StridedArguments& arguments,
                 strided::PairLayout* layout) {
    const bool local_first = source_is_local(op);
    const int* local_stride = local_first ? arguments.src_stride : arguments.dst_stride;
    const int* remote_stride = local_first ? arguments.dst_stride : arguments.src_stride;
    switch (strided::make_pair(local_stride, remote_stride, arguments.count,
                               arguments.stride_levels, layout)) {
        case strided::LayoutStatus::ok:
        case strided::LayoutStatus::empty:
            return;
        case strided::LayoutStatus::too_many_levels:
            base::fatal(call.function,
                        "argument stride_levels = %d: more than %d levels that cannot be "
                        "merged; split the transfer",
                        arguments.stride_levels, strided::kMaxLevels);
        case strided::LayoutStatus::overflow:
            base::fatal(call.function,
                        "arguments count and strides: the transfer spans more than 64 bits of "
                        "address space; check them");
    }
}

}  // namespace

bool make_transfer(Call call, OpKind op, const StridedArguments& arguments, const AccArguments* acc,
                   Transfer* transfer) {
    const int* count = arguments.count;
    const int stride_levels = arguments.stride_levels;
    if (!check_counts(call.function, count, stride_levels)) {
        return false;  // nothing else is looked at
    }
    if (stride_levels > 0) {
        check_not_null(call.function, "src_stride_ar", arguments.src_stride);
        check_not_null(call.function, "dst_stride_ar", arguments.dst_stride);
    }
    strided::StridedSides& sides = transfer->sides.make_strided();
    make_layout(call, op, arguments, &sides.layout);
    check_rank(call, "proc", arguments.proc);
    const bool local_first = source_is_local(op);
    sides.local = local_of(op, arguments);
    sides.remote = reinterpret_cast<uint64_t>(remote_of(op, arguments));
    check_not_null(call.function, local_first ? "src_ptr" : "dst_ptr", sides.local);
    const strided::Extent extent = strided::remote_extent(sides.layout);
    check_named(call,
                {sides.remote + static_cast<uint64_t>(extent.begin), extent.end - extent.begin,
                 arguments.proc},
                &transfer->place, [&] { return local_first ? "dst_ptr" : "src_ptr"; });
    if (op == OpKind::acc) {
        check_scaled(call, "count[0]", count[0], *acc);
    }
    describe(call, op, arguments.proc, acc, transfer);
    transfer->total_bytes = strided::total_bytes(sides.layout);
    return true;
}

bool make_transfer(Call call, OpKind op, const OneBlockArguments& arguments,
                   const AccArguments* acc, Transfer* transfer) {
    const StridedArguments same{arguments.src,    nullptr, arguments.dst, nullptr,
                                &arguments.bytes, 0,       arguments.proc};
    return make_transfer(call, op, same, acc, transfer);
}

namespace {

// Checks the remote side of a descriptor block by block, and sets the places.
void check_blocks(Call call, const DescriptorArguments& arguments, OpKind op,
                  const uint64_t* addresses, Transfer* transfer) {
    const int bytes = arguments.descriptor.bytes;
    const int count = arguments.descriptor.ptr_array_len;
    const PointerArray array{source_is_local(op) ? "dst_ptr_array" : "src_ptr_array",
                             arguments.number};
    auto places = std::make_unique<RemotePlace[]>(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) {
        check_named(call, {addresses[i], bytes, arguments.proc}, &places[i],
                    [&] { return array.name_of(i); });
    }
    transfer->place = places[0];
    if (!std::all_of(&places[1], &places[count],
                     [&](const RemotePlace& place) { return place == places[0]; })) {
        transfer->place = pipeline::enclose(places.get(), static_cast<size_t>(count));
        transfer->places = std::move(places);
    }
}

}  // namespace

bool make_transfer(Call call, OpKind op, const DescriptorArguments& arguments,
                   const AccArguments* acc, Transfer* transfer) {
    const armci_giov_t& descriptor = arguments.descriptor;
    const int bytes = descriptor.bytes;
    const int count = descriptor.ptr_array_len;
    check_not_negative(call.function, "bytes of a descriptor", bytes);
    check_not_negative(call.function, "ptr_array_len of a descriptor", count);
    if (bytes == 0 || count == 0) {
        return false;
    }
    check_rank(call, "proc", arguments.proc);
    check_not_null(call.function, "src_ptr_array", descriptor.src_ptr_array);
    check_not_null(call.function, "dst_ptr_array", descriptor.dst_ptr_array);
    const bool local_first = source_is_local(op);
    void** local = local_first ? descriptor.src_ptr_array : descriptor.dst_ptr_array;
    void** remote = local_first ? descriptor.dst_ptr_array : descriptor.src_ptr_array;
    if (void** null = std::find(local, local + count, nullptr); null != local + count) {
        const PointerArray array{local_first ? "src_ptr_array" : "dst_ptr_array", arguments.number};
        check_not_null(call.function, array.name_of(null - local).c_str(), nullptr);
    }
    const auto* local_addresses = reinterpret_cast<const uint64_t*>(local);
    const auto* remote_addresses = reinterpret_cast<const uint64_t*>(remote);
    // Mostly all are in one segment, which one look-up finds out.
    const strided::AddressRange extent = strided::enclose(remote_addresses, count, bytes);
    const core::ServerPart* part =
        extent.bytes > 0 && extent.bytes <= INT64_MAX
            ? find_global_unlocked(
                  call.runtime, {extent.begin, static_cast<int64_t>(extent.bytes), arguments.proc})
            : nullptr;
    if (part != nullptr) {
        set_place(call.runtime, arguments.proc, *part, &transfer->place);
    } else {
        check_blocks(call, arguments, op, remote_addresses, transfer);
    }
    strided::StridedSides& rows = transfer->sides.make_strided();
    if (part != nullptr && strided::make_pair_of_segments(local_addresses, remote_addresses, count,
                                                          bytes, &rows.layout)) {
        rows.local = static_cast<char*>(local[0]);
        rows.is_local_apart = rows.layout.levels > 0;
        rows.remote = remote_addresses[0];
    } else {
        strided::VectorSides& sides = transfer->sides.make_vector();
        sides.local = local_addresses;
        sides.remote = remote_addresses;
        sides.block_count = count;
        sides.block_bytes = bytes;
        sides.remote_extent = extent;
    }
    if (op == OpKind::acc) {
        check_scaled(call, "bytes of a descriptor", bytes, *acc);
    }
    describe(call, op, arguments.proc, acc, transfer);
    transfer->total_bytes = static_cast<int64_t>(bytes) * count;
    return true;
}

}  // namespace armci::api

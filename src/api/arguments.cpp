// SPDX-License-Identifier: BSD-3-Clause
#include "api/arguments.h"

#include <algorithm>
#include <cinttypes>

#include "base/log.h"

namespace armci::api {
namespace {

// In the C interface the source pair comes first; for put and accumulate it is the local one.
bool source_is_local(OpKind op) {
    return op != OpKind::get;
}

void check_multiple(const char* function, const char* argument, int64_t bytes,
                    const strided::AccScale& scale) {
    const int64_t element = strided::element_bytes(scale.type);
    if (bytes % element != 0) {
        base::fatal(function,
                    "argument %s = %" PRId64 ": must be a multiple of the element's %" PRId64
                    " bytes",
                    argument, bytes, element);
    }
}

// Common to strided layouts and contiguous ones.
void check_counts(const char* function, const int* count, int stride_levels) {
    for (int i = 0; i <= stride_levels; ++i) {
        if (count[i] < 0) {
            base::fatal(function, "argument count[%d] = %d: must not be negative", i, count[i]);
        }
    }
}

}  // namespace

void refuse_rank(const char* function, const char* argument, int rank, const Runtime& runtime) {
    base::fatal(function, "argument %s = %d: no such rank; the world has ranks 0 to %d", argument,
                rank, runtime.world.size - 1);
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
void refuse_freed(const char* function, const char* argument, uint64_t address, int64_t bytes,
                  int rank, const Runtime& runtime) {
    const std::string what = runtime.checks != nullptr
                                 ? runtime.checks->explain_freed(rank, address, bytes)
                                 : std::string();
    if (!what.empty()) {
        base::fatal(function,
                    "argument %s: %" PRId64 " bytes at 0x%" PRIx64
                    " of rank %d are no global memory any more: %s. Free memory after the last "
                    "access of any rank",
                    argument, bytes, address, rank, what.c_str());
    }
}

// Whether one segment of that rank has them all. In line, because short transfers are checked so.
[[gnu::always_inline]] inline bool is_global(uint64_t address, int64_t bytes, int rank,
                                             Runtime& runtime) {
    if (runtime.multi_threaded) [[unlikely]] {
        if (runtime.world.on_my_node(rank) &&
            runtime.segments.find_by_thread(rank, address, bytes).segment != nullptr) {
            return true;
        }
        runtime.hold_lock();
    }
    return runtime.segments.find(rank, address, bytes).segment != nullptr;
}

// Same, as far as that can be told without a lock that the caller may do without.
bool is_global_unlocked(uint64_t address, int64_t bytes, int rank, Runtime& runtime) {
    if (runtime.multi_threaded && runtime.world.on_my_node(rank)) {
        return runtime.segments.find_by_thread(rank, address, bytes).segment != nullptr;
    }
    return is_global(address, bytes, rank, runtime);
}

[[noreturn]] void refuse_remote(const char* function, const char* argument, uint64_t address,
                                int64_t bytes, int rank, const Runtime& runtime) {
    refuse_freed(function, argument, address, bytes, rank, runtime);
    base::fatal(function,
                "argument %s: %" PRId64 " bytes at 0x%" PRIx64
                " of rank %d are not all "
                "global memory: %s. Pass an address inside what ARMCI_Malloc returned for that "
                "rank, or inside one range that it has attached (ARMCIX_Attach)",
                argument, bytes, address, rank,
                runtime.segments.explain(rank, address, bytes).c_str());
}

// One side of a descriptor, for messages about its segments.
struct PointerArray {
    const char* name;
    int descriptor;

    std::string name_of(int segment) const {
        return std::string(name) + "[" + std::to_string(segment) + "] of descriptor " +
               std::to_string(descriptor);
    }
};

// check_remote() for a segment, whose name is made only where it is needed.
uint32_t check_segment(const char* function, const PointerArray& array, int segment,
                       uint64_t address, int64_t bytes, int rank, Runtime& runtime) {
    if (is_global(address, bytes, rank, runtime)) {
        return wire::kGlobal;
    }
    const uint32_t owner = core::find_attached(runtime, function, rank, address, bytes);
    if (owner == wire::kGlobal) {
        refuse_remote(function, array.name_of(segment).c_str(), address, bytes, rank, runtime);
    }
    return owner;
}

}  // namespace

uint32_t check_remote(const char* function, const char* argument, uint64_t address, int64_t bytes,
                      int rank, Runtime& runtime) {
    if (is_global(address, bytes, rank, runtime)) {
        return wire::kGlobal;
    }
    const uint32_t owner = core::find_attached(runtime, function, rank, address, bytes);
    if (owner == wire::kGlobal) {
        refuse_remote(function, argument, address, bytes, rank, runtime);
    }
    return owner;
}

void check_aligned(const char* function, const char* argument, const void* address, size_t bytes) {
    if (reinterpret_cast<uintptr_t>(address) % bytes != 0) {
        base::fatal(function, "argument %s = %p: must be aligned to %zu bytes", argument, address,
                    bytes);
    }
}

const core::GroupRef& check_group(const char* function, const char* argument,
                                  const ARMCI_Group* group, const Runtime& runtime) {
    check_not_null(function, argument, group);
    const core::GroupRef& found = runtime.groups.find(group_id(*group));
    if (found == nullptr) {
        base::fatal(function,
                    "argument %s: not a group that this rank is a member of, or one that was "
                    "freed",
                    argument);
    }
    return found;
}

std::optional<strided::AccScale> check_scale(const char* function, int datatype,
                                             const void* scale) {
    if (!strided::is_acc_type(datatype)) {
        base::fatal(function,
                    "argument datatype = %d: use one of ARMCI_ACC_INT, _LNG, _FLT, _DBL, "
                    "_CPL, _DCP",
                    datatype);
    }
    if (scale == nullptr) {
        return std::nullopt;
    }
    return strided::make_scale(static_cast<strided::AccType>(datatype), scale);
}

bool make_contiguous(Runtime& runtime, const char* function, OpKind op, void* src, void* dst,
                     int bytes, int proc, const strided::AccScale* scale, Transfer* transfer) {
    check_not_negative(function, "bytes", bytes);
    if (bytes == 0) {
        return false;
    }
    check_rank(function, "proc", proc, runtime);
    const bool local_first = source_is_local(op);
    void* local = local_first ? src : dst;
    void* remote = local_first ? dst : src;
    check_not_null(function, local_first ? "src" : "dst", local);
    const auto address = reinterpret_cast<uint64_t>(remote);
    transfer->owner =
        check_remote(function, local_first ? "dst" : "src", address, bytes, proc, runtime);
    if (op == OpKind::acc) {
        check_not_null(function, "scale", scale);
        check_multiple(function, "bytes", bytes, *scale);
        transfer->scale = *scale;
    }
    transfer->function = function;
    transfer->op = op;
    transfer->target = proc;
    transfer->total_bytes = bytes;
    transfer->sides = strided::Sides(local, address, bytes);
    return true;
}

bool make_strided(Runtime& runtime, const char* function, OpKind op, void* src,
                  const int* src_stride, void* dst, const int* dst_stride, const int* count,
                  int stride_levels, int proc, const strided::AccScale* scale, Transfer* transfer) {
    check_not_negative(function, "stride_levels", stride_levels);
    check_not_null(function, "count", count);
    check_counts(function, count, stride_levels);
    if (std::find(count, count + stride_levels + 1, 0) != count + stride_levels + 1) {
        return false;  // nothing else is looked at
    }
    const bool local_first = source_is_local(op);
    if (stride_levels > 0) {
        check_not_null(function, "src_stride_ar", src_stride);
        check_not_null(function, "dst_stride_ar", dst_stride);
    }
    strided::StridedSides& sides = transfer->sides.make_strided();
    switch (strided::make_pair(local_first ? src_stride : dst_stride,
                               local_first ? dst_stride : src_stride, count, stride_levels,
                               &sides.layout)) {
        case strided::LayoutStatus::ok:
            break;
        case strided::LayoutStatus::empty:
            return false;
        case strided::LayoutStatus::too_many_levels:
            base::fatal(function,
                        "argument stride_levels = %d: more than %d levels that cannot be "
                        "merged; split the transfer",
                        stride_levels, strided::kMaxLevels);
        case strided::LayoutStatus::overflow:
            base::fatal(function,
                        "arguments count and strides: the transfer spans more than 64 bits of "
                        "address space; check them");
    }
    check_rank(function, "proc", proc, runtime);
    void* local = local_first ? src : dst;
    void* remote = local_first ? dst : src;
    check_not_null(function, local_first ? "src_ptr" : "dst_ptr", local);
    const auto base_address = reinterpret_cast<uint64_t>(remote);
    const strided::Extent extent = strided::remote_extent(sides.layout);
    transfer->owner = check_remote(function, local_first ? "dst_ptr" : "src_ptr",
                                   base_address + static_cast<uint64_t>(extent.begin),
                                   extent.end - extent.begin, proc, runtime);
    if (op == OpKind::acc) {
        check_not_null(function, "scale", scale);
        check_multiple(function, "count[0]", count[0], *scale);
        transfer->scale = *scale;
    }
    transfer->function = function;
    transfer->op = op;
    transfer->target = proc;
    transfer->total_bytes = strided::total_bytes(sides.layout);
    sides.local = static_cast<char*>(local);
    sides.remote = base_address;
    return true;
}

bool make_vector(Runtime& runtime, const char* function, OpKind op, const armci_giov_t& descriptor,
                 int number, int proc, const strided::AccScale* scale, Transfer* transfer) {
    check_not_negative(function, "bytes of a descriptor", descriptor.bytes);
    check_not_negative(function, "ptr_array_len of a descriptor", descriptor.ptr_array_len);
    if (descriptor.bytes == 0 || descriptor.ptr_array_len == 0) {
        return false;
    }
    check_rank(function, "proc", proc, runtime);
    check_not_null(function, "src_ptr_array", descriptor.src_ptr_array);
    check_not_null(function, "dst_ptr_array", descriptor.dst_ptr_array);
    const bool local_first = source_is_local(op);
    void** local = local_first ? descriptor.src_ptr_array : descriptor.dst_ptr_array;
    void** remote = local_first ? descriptor.dst_ptr_array : descriptor.src_ptr_array;
    const int count = descriptor.ptr_array_len;
    if (void** null = std::find(local, local + count, nullptr); null != local + count) {
        const PointerArray array{local_first ? "src_ptr_array" : "dst_ptr_array", number};
        check_not_null(function, array.name_of(static_cast<int>(null - local)).c_str(), nullptr);
    }
    const auto* local_addresses = reinterpret_cast<const uint64_t*>(local);
    const auto* remote_addresses = reinterpret_cast<const uint64_t*>(remote);
    // Most are all in one segment, which one look tells.
    const strided::AddressRange extent =
        strided::enclose(remote_addresses, count, descriptor.bytes);
    const bool are_in_one =
        extent.bytes > 0 && extent.bytes <= INT64_MAX &&
        is_global_unlocked(extent.begin, static_cast<int64_t>(extent.bytes), proc, runtime);
    const PointerArray remote_array{local_first ? "dst_ptr_array" : "src_ptr_array", number};
    for (int i = 0; !are_in_one && i < count; ++i) {
        const uint32_t owner = check_segment(function, remote_array, i, remote_addresses[i],
                                             descriptor.bytes, proc, runtime);
        transfer->owner = std::max(transfer->owner, owner);
    }
    strided::StridedSides& rows = transfer->sides.make_strided();
    if (are_in_one && strided::make_pair_of_segments(local_addresses, remote_addresses, count,
                                                     descriptor.bytes, &rows.layout)) {
        rows.local = static_cast<char*>(local[0]);
        rows.is_local_apart = rows.layout.levels > 0;
        rows.remote = remote_addresses[0];
    } else {
        strided::VectorSides& sides = transfer->sides.make_vector();
        sides.local = local_addresses;
        sides.remote = remote_addresses;
        sides.block_count = count;
        sides.block_bytes = descriptor.bytes;
        sides.remote_extent = extent;
    }
    if (op == OpKind::acc) {
        check_not_null(function, "scale", scale);
        check_multiple(function, "bytes of a descriptor", descriptor.bytes, *scale);
        transfer->scale = *scale;
    }
    transfer->function = function;
    transfer->op = op;
    transfer->target = proc;
    transfer->total_bytes = static_cast<int64_t>(descriptor.bytes) * descriptor.ptr_array_len;
    return true;
}

}  // namespace armci::api

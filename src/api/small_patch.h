// SPDX-License-Identifier: BSD-3-Clause
// The fast path of small patches: a few blocks at one distance on each side, inside a node. Most
// strided transfers of chemistry codes are of some hundred bytes, and bringing a layout into its
// canonical form takes longer than moving these.
// docs/references.md: Nieplocha 2006b
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "api/fast_path.h"

namespace armci::api {

struct SmallPatch {
    // Beyond these, choosing a kernel for strided copies is worth its cost.
    static constexpr int kMaxBlocks = 8;
    static constexpr int kMaxBytes = 1024;

    int block_bytes = 0;
    int blocks = 0;
    int64_t local_stride = 0;
    int64_t remote_stride = 0;

    int bytes() const { return block_bytes * blocks; }
    // The length in bytes from the first byte of one side to its last.
    int64_t local_extent() const { return local_stride * (blocks - 1) + block_bytes; }
    int64_t remote_extent() const { return remote_stride * (blocks - 1) + block_bytes; }
};

// Returns false when it is no small patch, or something about the arguments may be wrong.
inline bool make_small_patch(OpKind op, const StridedArguments& arguments, SmallPatch* patch) {
    const bool local_first = source_is_local(op);
    const int* local_stride = local_first ? arguments.src_stride : arguments.dst_stride;
    const int* remote_stride = local_first ? arguments.dst_stride : arguments.src_stride;
    const int* count = arguments.count;
    if (arguments.stride_levels != 1 || local_stride == nullptr || remote_stride == nullptr ||
        count == nullptr || count[0] <= 0 || count[0] > SmallPatch::kMaxBytes || count[1] <= 0 ||
        count[1] > SmallPatch::kMaxBlocks || local_stride[0] < count[0] ||
        remote_stride[0] < count[0]) {
        return false;
    }
    *patch = {count[0], count[1], local_stride[0], remote_stride[0]};
    return patch->bytes() <= SmallPatch::kMaxBytes && patch->remote_extent() <= INT32_MAX;
}

// Returns whether the patch can take the fast path between these places. They must not overlap,
// because then the order of the blocks would matter.
template <Threads kThreads>
[[gnu::always_inline]] inline bool is_on_node(Runtime& runtime, const SmallPatch& patch,
                                              const void* local, const void* remote, int proc) {
    const auto begin = reinterpret_cast<uint64_t>(local);
    const auto other = reinterpret_cast<uint64_t>(remote);
    const bool is_apart = begin < other
                              ? other - begin >= static_cast<uint64_t>(patch.local_extent())
                              : begin - other >= static_cast<uint64_t>(patch.remote_extent());
    return is_apart && is_plain_on_node<kThreads>(runtime, local, remote,
                                                  static_cast<int>(patch.remote_extent()), proc);
}

// The fast path of a put or get. Returns false when nothing was done.
template <Threads kThreads>
[[gnu::always_inline]] inline bool copied_on_node(Runtime& runtime, OpKind op,
                                                  const StridedArguments& arguments) {
    char* local = local_of(op, arguments);
    char* remote = remote_of(op, arguments);
    SmallPatch patch;
    if (!make_small_patch(op, arguments, &patch) ||
        !is_on_node<kThreads>(runtime, patch, local, remote, arguments.proc)) {
        return false;
    }
    const auto copy_blocks = [&](auto block_bytes) {
        for (int block = 0; block < patch.blocks; ++block) {
            char* here = local + block * patch.local_stride;
            char* there = remote + block * patch.remote_stride;
            std::memcpy(op == OpKind::put ? there : here, op == OpKind::put ? here : there,
                        block_bytes);
        }
    };
    if (patch.block_bytes == sizeof(double)) {
        copy_blocks(std::integral_constant<size_t, sizeof(double)>());
    } else {
        copy_blocks(static_cast<size_t>(patch.block_bytes));
    }
    count_on_node<kThreads>(runtime, op, patch.bytes());
    return true;
}

// The fast path of an accumulate. Returns false when nothing was done.
template <Threads kThreads>
[[gnu::always_inline]] inline bool added_on_node(Runtime& runtime, AccArguments acc,
                                                 const StridedArguments& arguments) {
    const char* local = local_of(OpKind::acc, arguments);
    char* remote = remote_of(OpKind::acc, arguments);
    SmallPatch patch;
    if (!strided::is_acc_type(acc.datatype) || acc.scale == nullptr ||
        !make_small_patch(OpKind::acc, arguments, &patch) ||
        !is_on_node<kThreads>(runtime, patch, local, remote, arguments.proc)) {
        return false;
    }
    const auto type = static_cast<strided::AccType>(acc.datatype);
    if ((patch.block_bytes & (strided::element_bytes(type) - 1)) != 0) {  // a power of two
        return false;
    }
    const strided::AccScale factor = strided::make_scale(type, acc.scale);
    node::LockedAccumulator accumulator(runtime.node.heap.stripes(), factor);
    for (int block = 0; block < patch.blocks; ++block) {
        accumulator.add(local + block * patch.local_stride, remote + block * patch.remote_stride,
                        patch.block_bytes);
    }
    count_on_node<kThreads>(runtime, OpKind::acc, patch.bytes());
    return true;
}

}  // namespace armci::api

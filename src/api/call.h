// SPDX-License-Identifier: BSD-3-Clause
// One call of an entry point, and what its caller has passed.
#pragma once

#include <cstdint>

#include "api/api.h"
#include "base/stats.h"
#include "core/runtime/runtime.h"
#include "pipeline/costs/transfer.h"

namespace armci::api {

using base::OpKind;
using core::Runtime;
using pipeline::Transfer;

struct Call {
    Runtime& runtime;
    const char* function;  // the public name, for messages

    // For a function that is not in line: only the copy is made as a whole, and where it is needed.
    [[gnu::always_inline]] Call copy() const { return {runtime, function}; }
};

// The arguments of a put, get or accumulate, with the names and in the order of the C interface:
// which side is the remote one depends on the operation. spread() calls f(field...): functions that
// are not in line take the fields one by one, for structures of this size would go through memory.
struct ContiguousArguments {
    void* src;
    void* dst;
    int bytes;
    int proc;

    template <class Function>
    [[gnu::always_inline]] auto spread(Function&& f) const {
        return f(src, dst, bytes, proc);
    }
};

struct StridedArguments {
    void* src;
    const int* src_stride;
    void* dst;
    const int* dst_stride;
    const int* count;
    int stride_levels;
    int proc;

    template <class Function>
    [[gnu::always_inline]] auto spread(Function&& f) const {
        return f(src, src_stride, dst, dst_stride, count, stride_levels, proc);
    }
};

// Of a strided call without levels, which moves one block and goes as short a way as a contiguous
// one.
struct OneBlockArguments : ContiguousArguments {};

struct VectorArguments {
    const armci_giov_t* iov;
    int iov_len;
    int proc;
};

// What an accumulate has beside these.
struct AccArguments {
    int datatype;
    const void* scale;
};

// What a put with a flag has beside these.
struct FlagArguments {
    int* flag;
    int value;
};

// The sides of a put or an accumulate (the local side is the source), or of a get.
inline bool source_is_local(OpKind op) {
    return op != OpKind::get;
}
template <class Arguments>
[[gnu::always_inline]] inline char* local_of(OpKind op, const Arguments& arguments) {
    return static_cast<char*>(source_is_local(op) ? arguments.src : arguments.dst);
}
template <class Arguments>
[[gnu::always_inline]] inline char* remote_of(OpKind op, const Arguments& arguments) {
    return static_cast<char*>(source_is_local(op) ? arguments.dst : arguments.src);
}

}  // namespace armci::api

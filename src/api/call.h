// SPDX-License-Identifier: BSD-3-Clause
// One call of an entry point, and the arguments that its caller has passed.
#pragma once

#include <cstdint>

#include "api/api.h"
#include "base/stats.h"
#include "core/runtime/runtime.h"
#include "pipeline/costs/transfer.h"

namespace armci::api {

using base::OpKind;
using core::Runtime;
using pipeline::RemotePlace;
using pipeline::Transfer;

struct Call {
    Runtime& runtime;
    const char* function;  // the public name, for error text

    // Makes a copy for a function that is not in line. Only the copy is in memory as a whole, and
    // only where it is needed.
    [[gnu::always_inline]] Call copy() const { return {runtime, function}; }
};

// The arguments of a put, get or accumulate, with the names and in the order of the C interface.
// Which side is the remote one depends on the operation. spread() calls f(field...). Functions that
// are not in line take the fields one by one, because structures of this size would go through
// memory.
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

// The arguments of a strided call without levels. It moves one block and takes as short a path as a
// contiguous one.
struct OneBlockArguments : ContiguousArguments {};

struct VectorArguments {
    const armci_giov_t* iov;
    int iov_len;
    int proc;
};

// The further arguments of an accumulate.
struct AccArguments {
    int datatype;
    const void* scale;
};

// The further arguments of a put with a flag.
struct FlagArguments {
    int* flag;
    int value;
};

// Returns whether the local side is the source, as in a put or accumulate; it is not in a get.
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

// SPDX-License-Identifier: BSD-3-Clause
// Checks of arguments, and the transfers built from checked ones. What is wrong ends the job with a
// message that names the function, the argument, the rank (in the prefix) and what to do.
#pragma once

#include <optional>

#include "api/api.h"
#include "api/group_struct.h"
#include "core/runtime.h"
#include "pipeline/transfer.h"

namespace armci::api {

using base::OpKind;
using core::Runtime;
using pipeline::Transfer;

[[noreturn]] void refuse_rank(const char* function, const char* argument, int rank,
                              const Runtime& runtime);
inline void check_rank(const char* function, const char* argument, int rank,
                       const Runtime& runtime) {
    if (static_cast<unsigned>(rank) >= static_cast<unsigned>(runtime.world.size)) [[unlikely]] {
        refuse_rank(function, argument, rank, runtime);
    }
}
void check_not_negative(const char* function, const char* argument, int64_t value);
void check_not_null(const char* function, const char* argument, const void* pointer);
// [address, address + bytes) must be global memory of that rank, or memory that it has attached.
// Returns wire::kGlobal or the owner, as Transfer has it. Holds the API lock from here on unless it
// is global memory of this node, and so does whoever goes on with the address.
[[nodiscard]] uint32_t check_remote(const char* function, const char* argument, uint64_t address,
                                    int64_t bytes, int rank, Runtime& runtime);
void check_aligned(const char* function, const char* argument, const void* address, size_t bytes);

// The group a public struct names; ends the job on null or a group that does not exist here.
const core::GroupRef& check_group(const char* function, const char* argument,
                                  const ARMCI_Group* group, const Runtime& runtime);

std::optional<strided::AccScale> check_scale(const char* function, int datatype, const void* scale);
inline const strided::AccScale* pointer_to(const std::optional<strided::AccScale>& scale) {
    return scale ? &*scale : nullptr;
}

// One side of a strided call, as the user passes it.
struct StridedSide {
    const char* name;  // of the pointer argument
    void* base;
    const int* stride;
};

// Both sides of a put, get or accumulate; which of them is remote depends on the operation. `scale`
// is for accumulate only. False: nothing is to be moved, and nothing else was checked.
bool make_contiguous(Runtime& runtime, const char* function, OpKind op, void* src, void* dst,
                     int bytes, int proc, const strided::AccScale* scale, Transfer* transfer);
bool make_strided(Runtime& runtime, const char* function, OpKind op, void* src,
                  const int* src_stride, void* dst, const int* dst_stride, const int* count,
                  int stride_levels, int proc, const strided::AccScale* scale, Transfer* transfer);
// `number` is that of the descriptor in its vector, for messages.
bool make_vector(Runtime& runtime, const char* function, OpKind op, const armci_giov_t& descriptor,
                 int number, int proc, const strided::AccScale* scale, Transfer* transfer);

}  // namespace armci::api

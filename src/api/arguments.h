// SPDX-License-Identifier: BSD-3-Clause
// Checks arguments and makes transfers from checked ones. An error ends the job with a message that
// names the function, the argument, the rank (in the prefix) and what to do.
#pragma once

#include "api/call.h"
#include "api/group_struct.h"

namespace armci::api {

[[noreturn]] void refuse_rank(Call call, const char* argument, int rank);
inline void check_rank(Call call, const char* argument, int rank) {
    if (static_cast<unsigned>(rank) >= static_cast<unsigned>(call.runtime.world.size))
        [[unlikely]] {
        refuse_rank(call.copy(), argument, rank);
    }
}
void check_not_negative(const char* function, const char* argument, int64_t value);
void check_not_null(const char* function, const char* argument, const void* pointer);
// Checks the counts of a strided array. Returns false if one is zero, and so nothing is to be
// moved.
[[nodiscard]] bool check_counts(const char* function, const int* count, int stride_levels);
void check_aligned(const char* function, const char* argument, const void* address, size_t bytes);

// The range [address, address + bytes) of a rank's memory.
struct RemoteBytes {
    uint64_t address;
    int64_t bytes;
    int rank;
};
// Checks that the bytes are global memory of that rank, or memory that it has attached. Returns
// where they are, as Transfer has it. It takes the API lock unless they are global memory of this
// node. A caller that continues to use the address then has the lock.
[[nodiscard]] RemotePlace check_remote(Call call, const char* argument, const RemoteBytes& remote);

// Returns the group a public struct names. The job ends on null or a group that does not exist
// here.
const core::GroupRef& check_group(Call call, const char* argument, const ARMCI_Group* group);

// Checks the type of an accumulate. The scale is left to make_transfer().
void check_type(const char* function, const AccArguments& acc);

// Checks the arguments of a put, get or accumulate and makes a transfer of them. `acc` is for
// accumulate only, with a checked type. Returns false when nothing is to be moved; nothing else was
// checked then, and the scale was not read.
bool make_transfer(Call call, OpKind op, const ContiguousArguments& arguments,
                   const AccArguments* acc, Transfer* transfer);
bool make_transfer(Call call, OpKind op, const StridedArguments& arguments, const AccArguments* acc,
                   Transfer* transfer);
bool make_transfer(Call call, OpKind op, const OneBlockArguments& arguments,
                   const AccArguments* acc, Transfer* transfer);
// One descriptor of a vector. `number` is its place there, for error text.
struct DescriptorArguments {
    const armci_giov_t& descriptor;
    int number;
    int proc;
};
bool make_transfer(Call call, OpKind op, const DescriptorArguments& arguments,
                   const AccArguments* acc, Transfer* transfer);

}  // namespace armci::api

/* SPDX-License-Identifier: BSD-3-Clause */
/* The local side of a transfer, from a Fortran array or section. */
#ifndef ARMCI_FORTRAN_ARRAY_SIDE_H
#define ARMCI_FORTRAN_ARRAY_SIDE_H

#include <ISO_Fortran_binding.h>
#include <stddef.h>

/* The levels that one call of ARMCI takes: a Fortran array has at most 15 dimensions. */
enum { kMaxLevels = CFI_MAX_RANK };

/*
 * Both sides of a transfer between an array and remote memory, as ARMCI describes them. Dimensions
 * whose distance does not fit in an int are left to the caller, who repeats the call along them. One
 * dimension may have more elements than an int can count. The caller then makes calls for pieces of
 * it.
 */
struct sides {
    char* local;
    char* remote;
    int levels;
    int counts[kMaxLevels + 1];
    int local_strides[kMaxLevels];
    int remote_strides[kMaxLevels];
    int long_level;       /* whose count the caller sets; 0 if there is none */
    ptrdiff_t long_count; /* the elements in all pieces of it together */
    int repeated; /* dimensions that are left to the caller */
    ptrdiff_t repetitions[kMaxLevels];
    ptrdiff_t local_steps[kMaxLevels];
    ptrdiff_t remote_steps[kMaxLevels];
    int is_empty;
};

/* strides is NULL if the remote elements lie without gaps, else one distance for each dimension. */
void describe_sides(const CFI_cdesc_t* array, void* remote, const ptrdiff_t* strides,
                    struct sides* sides);

#endif

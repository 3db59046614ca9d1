/* SPDX-License-Identifier: BSD-3-Clause */
#include "array_side.h"

#include <limits.h>

static int fits(ptrdiff_t value) {
    return value >= -INT_MAX && value <= INT_MAX;
}

/*
 * An array whose size is assumed (dimension(*)) has no extent in its last dimension. Its caller
 * cannot pass it here without a section, so each dimension has one.
 */
void describe_sides(const CFI_cdesc_t* array, void* remote, const ptrdiff_t* strides,
                    struct sides* sides) {
    ptrdiff_t block = (ptrdiff_t)array->elem_len;
    ptrdiff_t packed = block;
    sides->local = array->base_addr;
    sides->remote = remote;
    sides->levels = 0;
    sides->long_level = 0;
    sides->repeated = 0;
    sides->is_empty = block == 0;
    for (int d = 0; d < array->rank; ++d) {
        const ptrdiff_t count = array->dim[d].extent;
        const ptrdiff_t local = array->dim[d].sm;
        const ptrdiff_t far = strides != NULL ? strides[d] : packed;
        packed *= count;
        if (count <= 0) {
            sides->is_empty = 1;
            return;
        }
        if (count == 1) {
            continue;
        }
        /* Dimensions without gaps on either side belong to the block. */
        if (sides->levels == 0 && sides->repeated == 0 && local == block && far == block &&
            fits(block * count)) {
            block *= count;
            continue;
        }
        if (fits(local) && fits(far) && (fits(count) || sides->long_level == 0)) {
            sides->local_strides[sides->levels] = (int)local;
            sides->remote_strides[sides->levels] = (int)far;
            ++sides->levels;
            if (fits(count)) {
                sides->counts[sides->levels] = (int)count;
            } else {
                sides->long_level = sides->levels;
                sides->long_count = count;
            }
        } else {
            sides->repetitions[sides->repeated] = count;
            sides->local_steps[sides->repeated] = local;
            sides->remote_steps[sides->repeated] = far;
            ++sides->repeated;
        }
    }
    sides->counts[0] = (int)block;
}

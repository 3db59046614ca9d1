/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptors as a compiler passes them, but with any bounds. */
#ifndef ARMCI_TESTS_FORTRAN_DESCRIPTOR_H
#define ARMCI_TESTS_FORTRAN_DESCRIPTOR_H

#include <ISO_Fortran_binding.h>

enum { kElementBytes = 8 };

typedef CFI_CDESC_T(2) descriptor;

/* Describes an array of doubles with one or two dimensions. */
static inline const CFI_cdesc_t* describe(descriptor* storage, void* address, int rank,
                                          const CFI_dim_t* dim) {
    CFI_cdesc_t* array = (CFI_cdesc_t*)storage;
    array->base_addr = address;
    array->elem_len = kElementBytes;
    array->version = CFI_VERSION;
    array->rank = (CFI_rank_t)rank;
    array->attribute = CFI_attribute_other;
    array->type = CFI_type_double;
    for (int i = 0; i < rank; ++i) {
        array->dim[i] = dim[i];
    }
    return array;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The element types of Global Arrays, handled alike.
 *
 * Expected values are computed in double complex. All of them are small whole numbers, so that they
 * are exact in every type and sums do not depend on the order of the additions.
 */
#pragma once

#include <complex.h>
#include <ga.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef CMPLX /* headers of some C libraries have it for GCC only */
#define CMPLX(re, im) __builtin_complex((double)(re), (double)(im))
#endif

enum { kTypeCount = 6 };
extern const int kTypes[kTypeCount]; /* C_INT, C_LONG, C_FLOAT, C_DBL, C_SCPL, C_DCPL */

const char* type_name(int type);
size_t type_bytes(int type);
bool type_is_complex(int type);

/* Element `index` of an array of the type. Storing drops the imaginary part of real types. */
void element_store(int type, void* array, size_t index, double complex value);
double complex element_load(int type, const void* array, size_t index);

/* A value that depends on the number, between -50 and 50 in each part that the type has. */
double complex test_value(int type, uint64_t number);

/* A factor for accumulates, scales and sums, between 1 and 4 in size, as the type's value. */
double complex test_factor(int type, uint64_t number);

/* One element as the library takes it through void*. */
typedef union {
    int c_int;
    long c_long;
    float c_float;
    double c_dbl;
    SingleComplex c_scpl;
    DoubleComplex c_dcpl;
} scalar_t;
scalar_t scalar(int type, double complex value);

/* Numbers that depend on the seed alone. */
typedef struct {
    uint64_t state;
} rng_t;
rng_t seeded(uint64_t seed);
int random_below(rng_t* rng, int limit); /* 0 ... limit-1 */

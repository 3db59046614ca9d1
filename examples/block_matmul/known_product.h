/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two matrices whose product is known without multiplying them.
 *
 * The checks of block_matmul must not rest on the library that they check, and comparing with a
 * second multiplication would cost as much as the first. So A and B look irregular, but have rank
 * 3:
 *
 *     A(i,k) = sum over r of row_a[r](i) * col_a[r](k)          r = 0, 1, 2
 *     B(k,j) = sum over s of row_b[s](k) * col_b[s](j)          s = 0, 1, 2
 *     C(i,j) = sum over r, s of row_a[r](i) * link[r][s] * col_b[s](j)
 *     link[r][s] = sum over k of col_a[r](k) * row_b[s](k)
 *
 * The nine links are computed once; after that an element of C costs a handful of operations.
 *
 * - All factors are odd integers between -49 and 49 taken from a hash of the seed and the position.
 *   An entry of A or B is a sum of three odd numbers: odd, hence never zero. One wrong element in
 *   one transfer therefore changes a whole line of sums in C; nothing is multiplied away.
 * - All sums stay far below 2^53, so the product in double precision has no rounding error whatever
 *   the order of its additions, and the comparison is for equality.
 */
#ifndef KNOWN_PRODUCT_H
#define KNOWN_PRODUCT_H

#include <stdint.h>

enum { KNOWN_PRODUCT_RANK = 3 };

typedef struct {
    int order;
    signed char* row_a[KNOWN_PRODUCT_RANK]; /* each has order elements */
    signed char* col_a[KNOWN_PRODUCT_RANK];
    signed char* row_b[KNOWN_PRODUCT_RANK];
    signed char* col_b[KNOWN_PRODUCT_RANK];
    int64_t link[KNOWN_PRODUCT_RANK][KNOWN_PRODUCT_RANK];
} known_product_t;

/** Matrices of order x order elements for this seed. Returns 0, or -1 when there is no memory. */
int known_product_create(known_product_t* known, int order, uint64_t seed);
void known_product_destroy(known_product_t* known);

/** Elements of A, of B, and of C = A * B. */
double known_a(const known_product_t* known, int i, int k);
double known_b(const known_product_t* known, int k, int j);
double known_c(const known_product_t* known, int i, int j);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#include "known_product.h"

#include <stdlib.h>
#include <string.h>

/* Spreads every bit of x over the whole result. */
static uint64_t scramble(uint64_t x) {
    for (int round = 0; round < 3; round++) {
        x ^= x >> 32;
        x *= 0x9e3779b97f4a7c15u; /* 2^64 divided by the golden ratio, odd */
    }
    return x ^ (x >> 32);
}

/* New array of odd numbers in [-49, 49], unlike that of any other stream; NULL if out of memory. */
static signed char* odd_numbers(int count, uint64_t seed, uint64_t stream) {
    signed char* numbers = malloc((size_t)count);
    uint64_t start = scramble(seed) + (stream << 32);
    for (int i = 0; numbers != NULL && i < count; i++) {
        numbers[i] = (signed char)(2 * (int)(scramble(start + (uint64_t)i) % 50) - 49);
    }
    return numbers;
}

int known_product_create(known_product_t* known, int order, uint64_t seed) {
    memset(known, 0, sizeof(*known));
    known->order = order;
    for (int r = 0; r < KNOWN_PRODUCT_RANK; r++) {
        uint64_t stream = 4 * (uint64_t)r;
        known->row_a[r] = odd_numbers(order, seed, stream);
        known->col_a[r] = odd_numbers(order, seed, stream + 1);
        known->row_b[r] = odd_numbers(order, seed, stream + 2);
        known->col_b[r] = odd_numbers(order, seed, stream + 3);
        if (known->row_a[r] == NULL || known->col_a[r] == NULL || known->row_b[r] == NULL ||
            known->col_b[r] == NULL) {
            known_product_destroy(known);
            return -1;
        }
    }
    for (int r = 0; r < KNOWN_PRODUCT_RANK; r++) {
        for (int s = 0; s < KNOWN_PRODUCT_RANK; s++) {
            for (int k = 0; k < order; k++) {
                known->link[r][s] += known->col_a[r][k] * known->row_b[s][k];
            }
        }
    }
    return 0;
}

void known_product_destroy(known_product_t* known) {
    for (int r = 0; r < KNOWN_PRODUCT_RANK; r++) {
        free(known->row_a[r]);
        free(known->col_a[r]);
        free(known->row_b[r]);
        free(known->col_b[r]);
    }
    memset(known, 0, sizeof(*known));
}

double known_a(const known_product_t* known, int i, int k) {
    int sum = 0;
    for (int r = 0; r < KNOWN_PRODUCT_RANK; r++) {
        sum += known->row_a[r][i] * known->col_a[r][k];
    }
    return sum;
}

double known_b(const known_product_t* known, int k, int j) {
    int sum = 0;
    for (int s = 0; s < KNOWN_PRODUCT_RANK; s++) {
        sum += known->row_b[s][k] * known->col_b[s][j];
    }
    return sum;
}

double known_c(const known_product_t* known, int i, int j) {
    int64_t sum = 0;
    for (int r = 0; r < KNOWN_PRODUCT_RANK; r++) {
        for (int s = 0; s < KNOWN_PRODUCT_RANK; s++) {
            sum += known->row_a[r][i] * known->link[r][s] * known->col_b[s][j];
        }
    }
    return (double)sum;
}

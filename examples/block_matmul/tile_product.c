/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A block of kRows x kCols sums stays in vector registers while the innermost loop runs along the
 * whole depth, so that every element of b that is loaded serves kRows products and every element
 * of a serves kCols. The kCols columns of b that it needs are first copied into one dense strip,
 * which then stays in the first-level cache while all rows of a pass by.
 */
#include "tile_product.h"

#include <string.h>

enum { kRows = 4, kCols = 8 };

/* One row of a strip. The compiler splits it into the vectors that the processor has. */
typedef double strip_row __attribute__((vector_size(kCols * sizeof(double))));

_Static_assert(TILE_PRODUCT_SCRATCH_BYTES(1) == sizeof(strip_row), "the header states the size");
_Static_assert(TILE_PRODUCT_ALIGNMENT >= _Alignof(strip_row), "and the alignment");

/*
 * One version of the kernel per kind of processor, chosen when the program is loaded. The choice
 * runs too early for the sanitizers' run-time libraries.
 */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define FOR_EACH_PROCESSOR __attribute__((target_clones("default", "arch=haswell", "avx512f")))
#else
#define FOR_EACH_PROCESSOR
#endif

/* Copies columns first ... first + kCols - 1 of b; those beyond the edge of the tile become 0. */
static void copy_strip(int cols, int depth, const double* b, int first, strip_row* strip) {
    int width = cols - first < kCols ? cols - first : kCols;
    for (int k = 0; k < depth; k++) {
        strip[k] = (strip_row){0.0};
        memcpy(&strip[k], b + (size_t)k * cols + first, (size_t)width * sizeof(double));
    }
}

/*
 * sum = a * strip for rows <= kRows rows of a. Inlined, so that rows is a constant where it is
 * kRows and the sums can live in registers.
 */
static inline __attribute__((always_inline)) void multiply_rows(int rows, int depth,
                                                                const double* a,
                                                                const strip_row* strip,
                                                                strip_row* sum) {
    for (int i = 0; i < rows; i++) {
        sum[i] = (strip_row){0.0};
    }
    for (int k = 0; k < depth; k++) {
        strip_row row = strip[k];
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++) {
            sum[i] += a[(size_t)i * depth + k] * row;
        }
    }
}

FOR_EACH_PROCESSOR
void tile_product(int rows, int cols, int depth, const double* a, const double* b, double* c,
                  double* scratch) {
    strip_row* strip = (strip_row*)scratch;
    for (int j = 0; j < cols; j += kCols) {
        int width = cols - j < kCols ? cols - j : kCols;
        copy_strip(cols, depth, b, j, strip);
        for (int i = 0; i < rows; i += kRows) {
            int height = rows - i < kRows ? rows - i : kRows;
            strip_row sum[kRows];
            if (height == kRows) {
                multiply_rows(kRows, depth, a + (size_t)i * depth, strip, sum);
            } else {
                multiply_rows(height, depth, a + (size_t)i * depth, strip, sum);
            }
            for (int r = 0; r < height; r++) {
                memcpy(c + (size_t)(i + r) * cols + j, &sum[r], (size_t)width * sizeof(double));
            }
        }
    }
}

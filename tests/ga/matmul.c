/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrix products of distributed matrices against plain loops: GA_Dgemm and its sisters with all
 * transpositions, matrices that are not square, and products of patches.
 */
#include <ga.h>
#include <macdecls.h>
#include <stdlib.h>

#include "support/check.h"
#include "support/image.h"
#include "tests.h"

/* Small elements keep the products exact in single precision too. */
static image_t small_matrix(int type, int rows, int cols, uint64_t seed) {
    image_t image = create_image(type, 2, (const int[]){rows, cols});
    for (int64_t i = 0; i < image_count(&image); i++) {
        const double complex value = test_value(type, seed * 1000 + (uint64_t)i);
        image.values[i] = CMPLX((int)creal(value) / 8, (int)cimag(value) / 8);
    }
    return image;
}

static int create_stored(const image_t* image, char* name) {
    int dims[2] = {image->dims[0], image->dims[1]};
    const int g_a = NGA_Create(image->type, 2, dims, name, NULL);
    store_image(image, g_a);
    return g_a;
}

/* Element (i, j) of op(matrix). */
static double complex at(const image_t* image, char op, int i, int j) {
    const int index[2] = {op == 'n' ? i : j, op == 'n' ? j : i};
    return *image_at(image, index);
}

static void multiply(int type, char ta, char tb, int m, int n, int k, double complex alpha, int g_a,
                     int g_b, double complex beta, int g_c) {
    scalar_t a = scalar(type, alpha);
    scalar_t b = scalar(type, beta);
    switch (type) {
        case C_DBL:
            GA_Dgemm(ta, tb, m, n, k, a.c_dbl, g_a, g_b, b.c_dbl, g_c);
            break;
        case C_FLOAT:
            GA_Sgemm(ta, tb, m, n, k, a.c_float, g_a, g_b, b.c_float, g_c);
            break;
        case C_DCPL:
            GA_Zgemm(ta, tb, m, n, k, a.c_dcpl, g_a, g_b, b.c_dcpl, g_c);
            break;
        default:
            GA_Cgemm(ta, tb, m, n, k, a.c_scpl, g_a, g_b, b.c_scpl, g_c);
            break;
    }
}

static void verify_product(int type, char ta, char tb, int m, int n, int k) {
    begin_section("product %c%c of %d x %d and %d x %d matrices: %s", ta, tb, m, k, k, n,
                  type_name(type));
    image_t a = small_matrix(type, ta == 'n' ? m : k, ta == 'n' ? k : m, 1);
    image_t b = small_matrix(type, tb == 'n' ? k : n, tb == 'n' ? n : k, 2);
    image_t c = small_matrix(type, m, n, 3);
    const int g_a = create_stored(&a, "a");
    const int g_b = create_stored(&b, "b");
    const int g_c = create_stored(&c, "c");
    const double complex alphas[2] = {1.0, test_factor(type, 4)};
    const double complex betas[2] = {0.0, test_factor(type, 5)};
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                double complex sum = 0;
                for (int l = 0; l < k; l++) {
                    sum += at(&a, ta, i, l) * at(&b, tb, l, j);
                }
                double complex* element = image_at(&c, (int[]){i, j});
                *element = alphas[round] * sum + betas[round] * *element;
            }
        }
        multiply(type, ta, tb, m, n, k, alphas[round], g_a, g_b, betas[round], g_c);
        check_array(&c, g_c, round == 0 ? "alpha 1, beta 0" : "alpha and beta");
        GA_Sync();
    }
    check_array(&a, g_a, "the first factor");
    check_array(&b, g_b, "the second factor");
    GA_Sync();
    GA_Destroy(g_a);
    GA_Destroy(g_b);
    GA_Destroy(g_c);
    destroy_image(&a);
    destroy_image(&b);
    destroy_image(&c);
}

/* C[2:20,4:30] = alpha A[1:19,3:16] B[5:18,0:26] + beta C[...] */
static void verify_patch_product(void) {
    begin_section("product of patches: C_DBL");
    image_t a = small_matrix(C_DBL, 40, 37, 6);
    image_t b = small_matrix(C_DBL, 33, 35, 7);
    image_t c = small_matrix(C_DBL, 29, 41, 8);
    const int g_a = create_stored(&a, "a");
    const int g_b = create_stored(&b, "b");
    const int g_c = create_stored(&c, "c");
    double alpha = 2.0;
    double beta = -1.0;
    NGA_Matmul_patch('n', 'n', &alpha, &beta, g_a, (int[]){1, 3}, (int[]){19, 16}, g_b,
                     (int[]){5, 0}, (int[]){18, 26}, g_c, (int[]){2, 4}, (int[]){20, 30});
    for (int i = 0; i < 19; i++) {
        for (int j = 0; j < 27; j++) {
            double complex sum = 0;
            for (int l = 0; l < 14; l++) {
                sum += at(&a, 'n', 1 + i, 3 + l) * at(&b, 'n', 5 + l, j);
            }
            double complex* element = image_at(&c, (int[]){2 + i, 4 + j});
            *element = alpha * sum + beta * *element;
        }
    }
    GA_Sync();
    check_array(&c, g_c, "patches");
    GA_Sync();
    GA_Destroy(g_a);
    GA_Destroy(g_b);
    GA_Destroy(g_c);
    destroy_image(&a);
    destroy_image(&b);
    destroy_image(&c);
}

void test_matmul(void) {
    static const int kMatrixTypes[] = {C_DBL, C_FLOAT, C_DCPL, C_SCPL};
    for (int t = 0; t < 4; t++) {
        for (int form = 0; form < 4; form++) {
            verify_product(kMatrixTypes[t], form & 1 ? 't' : 'n', form & 2 ? 't' : 'n', 33, 41, 28);
        }
    }
    verify_product(C_DBL, 'n', 'n', 1, 57, 19);
    verify_product(C_DBL, 'n', 't', 150, 140, 160);
    verify_patch_product();
}

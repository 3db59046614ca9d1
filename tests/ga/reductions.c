/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations with one result for all: dot products, norms, the extreme element, and the collective
 * message operations of Global Arrays (broadcasts and reductions of local vectors).
 */
#include <ga.h>
#include <macdecls.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/image.h"
#include "tests.h"

static const int kDims[2] = {27, 22};

/* ---- Dot products ---- */

/* GA's dot products of the type as one complex number; over whole arrays or patches. */
static double complex dot(int type, int g_a, int g_b) {
    switch (type) {
        case C_INT:
            return GA_Idot(g_a, g_b);
        case C_LONG:
            return (double)GA_Ldot(g_a, g_b);
        case C_FLOAT:
            return GA_Fdot(g_a, g_b);
        case C_DBL:
            return GA_Ddot(g_a, g_b);
        case C_SCPL: {
            const SingleComplex value = GA_Cdot(g_a, g_b);
            return CMPLX(value.real, value.imag);
        }
        default: {
            const DoubleComplex value = GA_Zdot(g_a, g_b);
            return CMPLX(value.real, value.imag);
        }
    }
}

static double complex dot_patch(int type, int g_a, box_t a, int g_b, char b_form, box_t b) {
    switch (type) {
        case C_INT:
            return NGA_Idot_patch(g_a, 'n', a.lo, a.hi, g_b, b_form, b.lo, b.hi);
        case C_LONG:
            return (double)NGA_Ldot_patch(g_a, 'n', a.lo, a.hi, g_b, b_form, b.lo, b.hi);
        case C_FLOAT:
            return NGA_Fdot_patch(g_a, 'n', a.lo, a.hi, g_b, b_form, b.lo, b.hi);
        case C_DBL:
            return NGA_Ddot_patch(g_a, 'n', a.lo, a.hi, g_b, b_form, b.lo, b.hi);
        case C_SCPL: {
            const SingleComplex value =
                NGA_Cdot_patch(g_a, 'n', a.lo, a.hi, g_b, b_form, b.lo, b.hi);
            return CMPLX(value.real, value.imag);
        }
        default: {
            const DoubleComplex value =
                NGA_Zdot_patch(g_a, 'n', a.lo, a.hi, g_b, b_form, b.lo, b.hi);
            return CMPLX(value.real, value.imag);
        }
    }
}

static void verify_dots(int type) {
    begin_section("dot products: %s", type_name(type));
    image_t a = create_image(type, 2, kDims);
    image_t b = create_image(type, 2, kDims);
    fill_image(&a, 1);
    fill_image(&b, 2);
    const int g_a = NGA_Create(type, 2, (int*)kDims, "a", NULL);
    const int g_b = NGA_Create(type, 2, (int*)kDims, "b", (int[]){kDims[0], -1});
    store_image(&a, g_a);
    store_image(&b, g_b);

    double complex expected = 0;
    for (int64_t i = 0; i < image_count(&a); i++) {
        expected += a.values[i] * b.values[i];
    }
    double complex found = dot(type, g_a, g_b);
    check(found == expected, "%g%+gi instead of %g%+gi", creal(found), cimag(found),
          creal(expected), cimag(expected));

    const box_t abox = {.ndim = 2, .lo = {2, 3}, .hi = {12, 20}};
    const box_t bbox = {.ndim = 2, .lo = {14, 0}, .hi = {24, 17}};
    expected = 0;
    int index[2];
    first_index(&abox, index);
    do {
        const int other[2] = {index[0] + 12, index[1] - 3};
        expected += *image_at(&a, index) * *image_at(&b, other);
    } while (next_index(&abox, index));
    found = dot_patch(type, g_a, abox, g_b, 'n', bbox);
    check(found == expected, "patches: %g%+gi instead of %g%+gi", creal(found), cimag(found),
          creal(expected), cimag(expected));

    GA_Destroy(g_a);
    GA_Destroy(g_b);
    destroy_image(&a);
    destroy_image(&b);
}

/* ---- Norms and extremes ---- */

static double magnitude(int type, double complex value) {
    return type_is_complex(type) ? cabs(value) : fabs(creal(value));
}

/* Global Arrays takes an array of any shape as one vector. */
static void verify_norms(int type) {
    begin_section("norms: %s", type_name(type));
    image_t a = create_image(type, 2, kDims);
    fill_image(&a, 3);
    const int g_a = NGA_Create(type, 2, (int*)kDims, "a", NULL);
    store_image(&a, g_a);
    double sum = 0;
    double largest = 0;
    for (int64_t i = 0; i < image_count(&a); i++) {
        const double size = magnitude(type, a.values[i]);
        sum += size;
        largest = fmax(largest, size);
    }
    /* The sizes of complex numbers are rounded, in single precision to 24 bits. */
    const double tolerance = type == C_SCPL ? 1e-6 * sum : (type == C_DCPL ? 1e-13 * sum : 0);
    double norm = -1;
    GA_Norm1(g_a, &norm);
    check(fabs(norm - sum) <= tolerance, "norm 1 is %.10g, not %.10g", norm, sum);
    GA_Norm_infinity(g_a, &norm);
    check(fabs(norm - largest) <= tolerance, "norm infinity is %.10g, not %.10g", norm, largest);
    GA_Destroy(g_a);
    destroy_image(&a);
}

static void verify_select(int type) {
    begin_section("smallest and largest element: %s", type_name(type));
    image_t a = create_image(type, 2, kDims);
    const int g_a = NGA_Create(type, 2, (int*)kDims, "a", NULL);
    for (int round = 0; round < 4; round++) {
        fill_image(&a, (uint64_t)(10 + round));
        rng_t rng = seeded((uint64_t)round);
        int low[2] = {random_below(&rng, kDims[0]), random_below(&rng, kDims[1])};
        int high[2] = {(low[0] + 9) % kDims[0], random_below(&rng, kDims[1])};
        *image_at(&a, low) = type_is_complex(type) ? 0 : -1000;
        *image_at(&a, high) = type_is_complex(type) ? CMPLX(900, -800) : 1000;
        store_image(&a, g_a);
        scalar_t value;
        int index[2] = {-1, -1};
        char min[] = "min";
        char max[] = "max";
        NGA_Select_elem(g_a, min, &value, index);
        check(element_load(type, &value, 0) == *image_at(&a, low), "the smallest is %g",
              creal(element_load(type, &value, 0)));
        check(*image_at(&a, index) == *image_at(&a, low), "the smallest is not at %s but %s",
              index_text(2, index), index_text(2, low));
        NGA_Select_elem(g_a, max, &value, index);
        check(element_load(type, &value, 0) == *image_at(&a, high), "the largest is %g",
              creal(element_load(type, &value, 0)));
        check(index[0] == high[0] && index[1] == high[1], "the largest is not at %s but %s",
              index_text(2, index), index_text(2, high));
        GA_Sync();
    }
    GA_Destroy(g_a);
    destroy_image(&a);
}

/* ---- Collective message operations ---- */

enum { kVector = 3000 };

static double term(int rank, int i) {
    return (double)((rank * 37 + i * 11) % 23 - 11);
}

static double reduced(const char* op, int i) {
    double result = 0;
    for (int rank = 0; rank < rank_count(); rank++) {
        const double x = term(rank, i);
        const double a = fabs(x);
        if (strcmp(op, "+") == 0) {
            result = rank == 0 ? x : result + x;
        } else if (strcmp(op, "*") == 0) {
            result = rank == 0 ? x : result * x;
        } else if (strcmp(op, "max") == 0) {
            result = rank == 0 ? x : fmax(result, x);
        } else if (strcmp(op, "min") == 0) {
            result = rank == 0 ? x : fmin(result, x);
        } else if (strcmp(op, "absmax") == 0) {
            result = rank == 0 ? a : fmax(result, a);
        } else {
            result = rank == 0 ? a : fmin(result, a);
        }
    }
    return result;
}

static void reduce(int type, void* x, int n, char* op) {
    switch (type) {
        case C_INT:
            GA_Igop(x, n, op);
            break;
        case C_LONG:
            GA_Lgop(x, n, op);
            break;
        case C_FLOAT:
            GA_Fgop(x, n, op);
            break;
        case C_DBL:
            GA_Dgop(x, n, op);
            break;
        case C_SCPL:
            GA_Cgop(x, n, op);
            break;
        default:
            GA_Zgop(x, n, op);
            break;
    }
}

static void verify_reductions(int type) {
    static const char* const kOps[] = {"+", "*", "max", "min", "absmax", "absmin"};
    for (size_t o = 0; o < sizeof kOps / sizeof *kOps; o++) {
        if (type_is_complex(type) && strcmp(kOps[o], "+") != 0) {
            continue; /* the library only adds them */
        }
        begin_section("reduction %s: %s", kOps[o], type_name(type));
        char op[8];
        strcpy(op, kOps[o]);
        void* x = allocate(kVector * type_bytes(type));
        for (int n = 1; n <= kVector; n = n * 7 + 1) {
            for (int i = 0; i < n; i++) {
                const double value = term(my_rank(), i);
                element_store(type, x, (size_t)i, CMPLX(value, -2 * value));
            }
            reduce(type, x, n, op);
            int64_t wrong = 0;
            for (int i = 0; i < n; i++) {
                const double value = reduced(op, i);
                const double complex expected =
                    CMPLX(value, type_is_complex(type) ? -2 * value : 0);
                wrong += element_load(type, x, (size_t)i) != expected;
            }
            check_many(n, wrong, "%lld of %d elements wrong", (long long)wrong, n);
        }
        free(x);
    }
}

static void verify_broadcasts(void) {
    begin_section("broadcasts from every rank");
    static const int kLengths[] = {1, 8, 1000, 65537, 1 << 20};
    unsigned char* buffer = allocate(1 << 20);
    for (int root = 0; root < rank_count(); root++) {
        for (size_t l = 0; l < sizeof kLengths / sizeof *kLengths; l++) {
            const int length = kLengths[l];
            for (int i = 0; i < length; i++) {
                buffer[i] = (unsigned char)(my_rank() == root ? i * 31 + root : 255 - my_rank());
            }
            GA_Brdcst(buffer, length, root);
            int64_t wrong = 0;
            for (int i = 0; i < length; i++) {
                wrong += buffer[i] != (unsigned char)(i * 31 + root);
            }
            check_many(length, wrong, "%lld of %d bytes from rank %d wrong", (long long)wrong,
                       length, root);
        }
    }
    free(buffer);
}

void test_reductions(void) {
    for (int t = 0; t < kTypeCount; t++) {
        verify_dots(kTypes[t]);
        verify_norms(kTypes[t]);
        verify_select(kTypes[t]);
        verify_reductions(kTypes[t]);
    }
    verify_broadcasts();
}

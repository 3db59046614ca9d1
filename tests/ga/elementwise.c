/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whole-array and patch operations that work element by element, on arrays of the same layout, of
 * different layouts, and on patches that lie at different places.
 */
#include <ga.h>
#include <macdecls.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/image.h"
#include "tests.h"

static const int kDims[2] = {24, 35};

/* An array and what it should hold. */
typedef struct {
    int g_a;
    image_t image;
} array_t;

static int create_irregular(int type) {
    int map[64];
    int blocks[2] = {rank_count(), 1};
    for (int rank = 0; rank < rank_count(); rank++) {
        map[rank] = rank * 2;
    }
    map[rank_count()] = 0;
    return NGA_Create_irreg(type, 2, (int*)kDims, "irregular", blocks, map);
}

static array_t create_array(int type, bool irregular, uint64_t seed) {
    array_t array = {.image = create_image(type, 2, kDims)};
    array.g_a =
        irregular ? create_irregular(type) : NGA_Create(type, 2, (int*)kDims, "regular", NULL);
    fill_image(&array.image, seed);
    store_image(&array.image, array.g_a);
    return array;
}

static void destroy_array(array_t* array) {
    GA_Destroy(array->g_a);
    destroy_image(&array->image);
}

/* Ends an operation: compares, and prevents ranks from starting the next operation before all
 * have compared. */
static void expect(const array_t* array, const char* what) {
    check_array(&array->image, array->g_a, what);
    GA_Sync();
}

/* ---- One array ---- */

/* The box moved by `shift` in both dimensions. */
static box_t shifted(box_t box, int shift) {
    for (int d = 0; d < box.ndim; d++) {
        box.lo[d] += shift;
        box.hi[d] += shift;
    }
    return box;
}

#define FOR_EACH_ELEMENT(image, box, index, element)             \
    for (bool more_ = (first_index(&(box), index), true); more_; \
         more_ = next_index(&(box), index))                      \
        for (double complex* element = image_at(&(image), index); element != NULL; element = NULL)

static void verify_one_array(int type) {
    begin_section("fill, zero, scale, add constant: %s", type_name(type));
    array_t a = create_array(type, false, 1);
    const box_t all = whole_box(2, kDims);
    box_t patch = {.ndim = 2, .lo = {3, 5}, .hi = {19, 30}};
    int index[2];
    const double complex factor = test_factor(type, 1);
    const double complex offset = test_value(type, 2);
    scalar_t alpha = scalar(type, factor);
    scalar_t beta = scalar(type, offset);

    GA_Scale(a.g_a, &alpha);
    FOR_EACH_ELEMENT(a.image, all, index, element) {
        *element *= factor;
    }
    expect(&a, "scale");
    GA_Add_constant(a.g_a, &beta);
    FOR_EACH_ELEMENT(a.image, all, index, element) {
        *element += offset;
    }
    expect(&a, "add constant");
    NGA_Scale_patch(a.g_a, patch.lo, patch.hi, &alpha);
    FOR_EACH_ELEMENT(a.image, patch, index, element) {
        *element *= factor;
    }
    expect(&a, "scale patch");
    GA_Add_constant_patch(a.g_a, patch.lo, patch.hi, &beta);
    FOR_EACH_ELEMENT(a.image, patch, index, element) {
        *element += offset;
    }
    expect(&a, "add constant to patch");
    NGA_Fill_patch(a.g_a, patch.lo, patch.hi, &beta);
    FOR_EACH_ELEMENT(a.image, patch, index, element) {
        *element = offset;
    }
    expect(&a, "fill patch");
    NGA_Zero_patch(a.g_a, (int[]){0, 7}, (int[]){kDims[0] - 1, 7});
    const box_t column = {.ndim = 2, .lo = {0, 7}, .hi = {kDims[0] - 1, 7}};
    FOR_EACH_ELEMENT(a.image, column, index, element) {
        *element = 0;
    }
    expect(&a, "zero a column");
    GA_Fill(a.g_a, &alpha);
    FOR_EACH_ELEMENT(a.image, all, index, element) {
        *element = factor;
    }
    expect(&a, "fill");
    GA_Zero(a.g_a);
    FOR_EACH_ELEMENT(a.image, all, index, element) {
        *element = 0;
    }
    expect(&a, "zero");
    destroy_array(&a);
}

static void verify_absolute_and_reciprocal(int type) {
    begin_section("absolute value and reciprocal: %s", type_name(type));
    array_t a = create_array(type, true, 2);
    const box_t all = whole_box(2, kDims);
    box_t patch = {.ndim = 2, .lo = {1, 0}, .hi = {20, 33}};
    int index[2];
    GA_Abs_value_patch(a.g_a, patch.lo, patch.hi);
    FOR_EACH_ELEMENT(a.image, patch, index, element) {
        *element = fabs(creal(*element));
    }
    expect(&a, "absolute value of a patch");
    GA_Abs_value(a.g_a);
    FOR_EACH_ELEMENT(a.image, all, index, element) {
        *element = fabs(creal(*element));
    }
    expect(&a, "absolute value");

    /* Powers of two have exact reciprocals. */
    FOR_EACH_ELEMENT(a.image, all, index, element) {
        *element = (index[0] % 2 == 0 ? 1.0 : -1.0) / (double)(1 << index[1] % 5);
    }
    store_image(&a.image, a.g_a);
    GA_Recip(a.g_a);
    FOR_EACH_ELEMENT(a.image, all, index, element) {
        *element = 1.0 / creal(*element);
    }
    expect(&a, "reciprocal");
    GA_Recip_patch(a.g_a, patch.lo, patch.hi);
    FOR_EACH_ELEMENT(a.image, patch, index, element) {
        *element = 1.0 / creal(*element);
    }
    expect(&a, "reciprocal of a patch");
    destroy_array(&a);
}

/* ---- Two arrays into a third ---- */

typedef double complex combine_t(double complex a, double complex b);
static double complex product(double complex a, double complex b) {
    return a * b;
}
static double complex quotient(double complex a, double complex b) {
    return a / b;
}
static double complex greater(double complex a, double complex b) {
    return creal(a) > creal(b) ? a : b;
}
static double complex smaller(double complex a, double complex b) {
    return creal(a) < creal(b) ? a : b;
}

static const struct {
    const char* name;
    combine_t* combine;
    void (*whole)(int g_a, int g_b, int g_c);
    void (*patch)(int g_a, int* alo, int* ahi, int g_b, int* blo, int* bhi, int g_c, int* clo,
                  int* chi);
    bool is_ordered; /* not for complex numbers */
    bool divides;
} kOperations[] = {
    {"multiply", product, GA_Elem_multiply, GA_Elem_multiply_patch, false, false},
    {"divide", quotient, GA_Elem_divide, GA_Elem_divide_patch, false, true},
    {"maximum", greater, GA_Elem_maximum, GA_Elem_maximum_patch, true, false},
    {"minimum", smaller, GA_Elem_minimum, GA_Elem_minimum_patch, true, false},
};

static void combine_images(const array_t* a, box_t abox, const array_t* b, box_t bbox, array_t* c,
                           box_t cbox, combine_t* combine) {
    int ia[2];
    int ib[2];
    int ic[2];
    first_index(&abox, ia);
    first_index(&bbox, ib);
    first_index(&cbox, ic);
    bool more = true;
    while (more) {
        *image_at(&c->image, ic) = combine(*image_at(&a->image, ia), *image_at(&b->image, ib));
        more = next_index(&abox, ia);
        next_index(&bbox, ib);
        next_index(&cbox, ic);
    }
}

/* Divisors 1, 2, 4, 8 and dividends that they divide. */
static void prepare_division(array_t* a, array_t* b) {
    const box_t all = whole_box(2, kDims);
    int index[2];
    FOR_EACH_ELEMENT(b->image, all, index, element) {
        *element = 1 << (index[0] + index[1]) % 4;
    }
    FOR_EACH_ELEMENT(a->image, all, index, element) {
        *element *= 8;
    }
    store_image(&a->image, a->g_a);
    store_image(&b->image, b->g_a);
}

static void verify_two_arrays(int type, size_t operation) {
    begin_section("element-wise %s: %s", kOperations[operation].name, type_name(type));
    combine_t* combine = kOperations[operation].combine;
    array_t a = create_array(type, false, 3);
    array_t b = create_array(type, false, 4);
    array_t c = create_array(type, false, 5);
    array_t d = create_array(type, true, 6);
    if (kOperations[operation].divides) {
        prepare_division(&a, &b);
    }
    const box_t all = whole_box(2, kDims);
    kOperations[operation].whole(a.g_a, b.g_a, c.g_a);
    combine_images(&a, all, &b, all, &c, all, combine);
    expect(&c, "same layout");

    /* Global Arrays 5.8 multiplies patches of complex numbers wrongly. */
    if (combine != product || !type_is_complex(type)) {
        box_t abox = {.ndim = 2, .lo = {0, 4}, .hi = {17, 28}};
        box_t bbox = shifted(abox, 4);
        box_t dbox = shifted(abox, 2);
        kOperations[operation].patch(a.g_a, abox.lo, abox.hi, b.g_a, bbox.lo, bbox.hi, d.g_a,
                                     dbox.lo, dbox.hi);
        combine_images(&a, abox, &b, bbox, &d, dbox, combine);
        expect(&d, "patches at different places of different layouts");
    }
    expect(&a, "the first operand");
    expect(&b, "the second operand");
    destroy_array(&a);
    destroy_array(&b);
    destroy_array(&c);
    destroy_array(&d);
}

static void verify_add(int type) {
    begin_section("c = alpha a + beta b: %s", type_name(type));
    array_t a = create_array(type, false, 7);
    array_t b = create_array(type, true, 8);
    array_t c = create_array(type, false, 9);
    const double complex x = test_factor(type, 2);
    const double complex y = test_factor(type, 3);
    scalar_t alpha = scalar(type, x);
    scalar_t beta = scalar(type, y);
    const box_t all = whole_box(2, kDims);
    int index[2];
    GA_Add(&alpha, a.g_a, &beta, b.g_a, c.g_a);
    FOR_EACH_ELEMENT(c.image, all, index, element) {
        *element = x * *image_at(&a.image, index) + y * *image_at(&b.image, index);
    }
    expect(&c, "different layouts");

    GA_Add(&alpha, c.g_a, &beta, a.g_a, c.g_a);
    FOR_EACH_ELEMENT(c.image, all, index, element) {
        *element = x * *element + y * *image_at(&a.image, index);
    }
    expect(&c, "in place");

    box_t abox = {.ndim = 2, .lo = {2, 1}, .hi = {15, 21}};
    box_t bbox = shifted(abox, 7);
    box_t cbox = shifted(abox, 3);
    NGA_Add_patch(&alpha, a.g_a, abox.lo, abox.hi, &beta, b.g_a, bbox.lo, bbox.hi, c.g_a, cbox.lo,
                  cbox.hi);
    FOR_EACH_ELEMENT(c.image, cbox, index, element) {
        const int ia[2] = {index[0] - 3, index[1] - 3};
        const int ib[2] = {index[0] + 4, index[1] + 4};
        *element = x * *image_at(&a.image, ia) + y * *image_at(&b.image, ib);
    }
    expect(&c, "patches");
    destroy_array(&a);
    destroy_array(&b);
    destroy_array(&c);
}

void test_elementwise(void) {
    for (int t = 0; t < kTypeCount; t++) {
        verify_one_array(kTypes[t]);
        verify_add(kTypes[t]);
        for (size_t i = 0; i < sizeof kOperations / sizeof *kOperations; i++) {
            if (!kOperations[i].is_ordered || !type_is_complex(kTypes[t])) {
                verify_two_arrays(kTypes[t], i);
            }
        }
    }
    verify_absolute_and_reciprocal(C_DBL);
    verify_absolute_and_reciprocal(C_FLOAT);
}

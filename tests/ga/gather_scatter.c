/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NGA_Scatter, _Gather and _Scatter_acc of single elements at random places, which reach the
 * library as vectors of tiny blocks. Subscripts of accumulates repeat, within a call and between
 * ranks.
 */
#include <ga.h>
#include <macdecls.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/image.h"
#include "tests.h"

/* A list of elements: subscripts in both of the forms that Global Arrays takes, and their values.
 */
typedef struct {
    int count;
    int ndim;
    int* flat;        /* count x ndim */
    int** subscripts; /* rows of flat */
    void* values;
} elements_t;

static elements_t create_elements(int type, int ndim, int count) {
    elements_t list = {.count = count, .ndim = ndim};
    list.flat = allocate((size_t)(count * ndim) * sizeof *list.flat);
    list.subscripts = allocate((size_t)count * sizeof *list.subscripts);
    for (int i = 0; i < count; i++) {
        list.subscripts[i] = list.flat + (size_t)i * (size_t)ndim;
    }
    list.values = allocate((size_t)count * type_bytes(type));
    memset(list.values, 0, (size_t)count * type_bytes(type));
    return list;
}

static void destroy_elements(elements_t* list) {
    free(list->values);
    free(list->subscripts);
    free(list->flat);
}

static void unflatten(const image_t* image, int64_t number, int* index) {
    for (int d = image->ndim - 1; d >= 0; d--) {
        index[d] = (int)(number % image->dims[d]);
        number /= image->dims[d];
    }
}

/* Element i of rank r gets value number r * count + i. */
static void set_value(const image_t* image, elements_t* list, int rank, int i) {
    element_store(image->type, list->values, (size_t)i,
                  test_value(image->type, (uint64_t)(rank * list->count + i)));
}

/* Every element of the array once, in a scattered order, dealt out to the ranks. */
static elements_t distinct_elements(const image_t* image, int rank) {
    const int64_t total = image_count(image);
    int64_t step = total / 2 + 1; /* made coprime to total */
    for (bool coprime = false; !coprime; step++) {
        int64_t a = total;
        int64_t b = step;
        while (b != 0) {
            const int64_t rest = a % b;
            a = b;
            b = rest;
        }
        coprime = a == 1;
        if (coprime) {
            break;
        }
    }
    const int count = (int)(total / rank_count()) + (rank < total % rank_count() ? 1 : 0);
    elements_t list = create_elements(image->type, image->ndim, count);
    for (int i = 0; i < count; i++) {
        unflatten(image, ((int64_t)i * rank_count() + rank) * step % total, list.subscripts[i]);
        set_value(image, &list, rank, i);
    }
    return list;
}

/* Random places; the first tenth of the array is hit most, its first element by all ranks. */
static elements_t repeated_elements(const image_t* image, int rank, int count, uint64_t seed) {
    elements_t list = create_elements(image->type, image->ndim, count);
    rng_t rng = seeded(seed * 1000 + (uint64_t)rank);
    const int total = (int)image_count(image);
    for (int i = 0; i < count; i++) {
        const int limit = i % 2 == 0 ? total : total / 10 + 1;
        unflatten(image, i % 7 == 0 ? 0 : random_below(&rng, limit), list.subscripts[i]);
        set_value(image, &list, rank, i);
    }
    return list;
}

static void check_gathered(const image_t* image, const elements_t* list, const char* what) {
    int64_t wrong = 0;
    for (int i = 0; i < list->count; i++) {
        wrong += element_load(image->type, list->values, (size_t)i) !=
                 *image_at(image, list->subscripts[i]);
    }
    check_many(list->count, wrong, "%s: %lld elements of %d are wrong", what, (long long)wrong,
               list->count);
}

static void verify(int type, int ndim, const int* dims, bool flat) {
    begin_section("scatter, gather and scatter-accumulate: %d-D %s%s", ndim, type_name(type),
                  flat ? ", flat subscripts" : "");
    image_t image = create_image(type, ndim, dims);
    const int g_a = NGA_Create(type, ndim, image.dims, "scattered", NULL);
    GA_Zero(g_a);

    for (int rank = 0; rank < rank_count(); rank++) {
        elements_t list = distinct_elements(&image, rank);
        for (int i = 0; i < list.count; i++) {
            *image_at(&image, list.subscripts[i]) = element_load(type, list.values, (size_t)i);
        }
        if (rank == my_rank() && flat) {
            NGA_Scatter_flat(g_a, list.values, list.flat, list.count);
        } else if (rank == my_rank()) {
            NGA_Scatter(g_a, list.values, list.subscripts, list.count);
        }
        destroy_elements(&list);
    }
    GA_Sync();
    check_array(&image, g_a, "after scatter");

    elements_t mine = repeated_elements(&image, my_rank(), 500, 1);
    memset(mine.values, 0, (size_t)mine.count * type_bytes(type));
    if (flat) {
        NGA_Gather_flat(g_a, mine.values, mine.flat, mine.count);
    } else {
        NGA_Gather(g_a, mine.values, mine.subscripts, mine.count);
    }
    check_gathered(&image, &mine, "gather");
    destroy_elements(&mine);
    GA_Sync();

    const double complex factor = test_factor(type, 7);
    for (int rank = 0; rank < rank_count(); rank++) {
        elements_t list = repeated_elements(&image, rank, 600, 2);
        for (int i = 0; i < list.count; i++) {
            *image_at(&image, list.subscripts[i]) +=
                factor * element_load(type, list.values, (size_t)i);
        }
        if (rank == my_rank()) {
            scalar_t alpha = scalar(type, factor);
            if (flat) {
                NGA_Scatter_acc_flat(g_a, list.values, list.flat, list.count, &alpha);
            } else {
                NGA_Scatter_acc(g_a, list.values, list.subscripts, list.count, &alpha);
            }
        }
        destroy_elements(&list);
    }
    GA_Sync();
    check_array(&image, g_a, "after scatter-accumulate");
    GA_Destroy(g_a);
    destroy_image(&image);
}

/* Puts to one place: the whole value of one of them must remain. */
static void verify_repeated_scatter(void) {
    begin_section("scatter to repeated subscripts leaves one of the values");
    const int dims[1] = {16};
    image_t image = create_image(C_LONG, 1, dims);
    const int g_a = NGA_Create(C_LONG, 1, image.dims, "repeated", NULL);
    elements_t list = create_elements(C_LONG, 1, 112); /* below 128: the product must fit */
    for (int i = 0; i < list.count; i++) {
        list.subscripts[i][0] = i % 16;
        ((long*)list.values)[i] = 0x0101010101010101L * (i + 1);
    }
    if (my_rank() == rank_count() - 1) {
        NGA_Scatter(g_a, list.values, list.subscripts, list.count);
    }
    GA_Sync();
    long found[16];
    NGA_Get(g_a, (int[]){0}, (int[]){15}, found, NULL);
    for (int i = 0; i < 16; i++) {
        const long number = found[i] % 0x100 - 1;
        check(number >= 0 && number < list.count && number % 16 == i &&
                  found[i] == 0x0101010101010101L * (number + 1),
              "element %d is %lx", i, found[i]);
    }
    destroy_elements(&list);
    GA_Destroy(g_a);
    destroy_image(&image);
}

/* More blocks in a call than any descriptor of fixed size holds. */
static void verify_many_elements(void) {
    begin_section("scatter-accumulate and gather of many elements in one call");
    const int dims[2] = {200, 150};
    image_t image = create_image(C_DBL, 2, dims);
    const int g_a = NGA_Create(C_DBL, 2, image.dims, "many", NULL);
    GA_Zero(g_a);
    for (int rank = 0; rank < rank_count(); rank++) {
        elements_t list = repeated_elements(&image, rank, 60000, 3);
        for (int i = 0; i < list.count; i++) {
            *image_at(&image, list.subscripts[i]) += element_load(C_DBL, list.values, (size_t)i);
        }
        if (rank == my_rank()) {
            double alpha = 1.0;
            NGA_Scatter_acc(g_a, list.values, list.subscripts, list.count, &alpha);
        }
        destroy_elements(&list);
    }
    GA_Sync();
    elements_t list = repeated_elements(&image, my_rank(), 60000, 4);
    NGA_Gather(g_a, list.values, list.subscripts, list.count);
    check_gathered(&image, &list, "gather");
    destroy_elements(&list);
    GA_Destroy(g_a);
    destroy_image(&image);
}

void test_gather_scatter(void) {
    for (int t = 0; t < kTypeCount; t++) {
        verify(kTypes[t], 2, (const int[]){23, 31}, t % 2 == 1);
    }
    verify(C_DBL, 1, (const int[]){401}, false);
    verify(C_INT, 3, (const int[]){7, 9, 11}, true);
    verify(C_DCPL, 4, (const int[]){5, 6, 4, 7}, false);
    verify_repeated_scatter();
    verify_many_elements();
}

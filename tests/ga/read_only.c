/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays with the property "read_only": Global Arrays copies them to every domain and frees the
 * copies in its own order, through a group that it has already freed.
 */
#include <ga.h>
#include <macdecls.h>

#include "support/check.h"
#include "support/image.h"
#include "tests.h"

static const int kDims[2] = {29, 33};

static void check_reads(const image_t* image, int g_a, const char* what) {
    rng_t rng = seeded((uint64_t)my_rank());
    for (int i = 0; i < 10; i++) {
        const box_t box = random_box(&rng, 2, kDims);
        patch_t patch = create_patch(image->type, &box, 1);
        NGA_Get(g_a, patch.box.lo, patch.box.hi, patch.data, patch.ld);
        check_patch(image, &patch, what);
        destroy_patch(&patch);
    }
    check_array(image, g_a, what);
    GA_Sync();
}

static void verify(int type, bool unset) {
    begin_section("read-only array, %s: %s",
                  unset ? "made writable again" : "destroyed while read-only", type_name(type));
    char read_only[] = "read_only";
    for (int round = 0; round < 5; round++) {
        image_t image = create_image(type, 2, kDims);
        fill_image(&image, (uint64_t)round);
        const int g_a = NGA_Create(type, 2, (int*)kDims, "read-only", NULL);
        store_image(&image, g_a);
        GA_Set_property(g_a, read_only);
        check_reads(&image, g_a, "while read-only");
        if (unset) {
            GA_Unset_property(g_a);
            check_reads(&image, g_a, "writable again");
            scalar_t two = scalar(type, 2);
            GA_Scale(g_a, &two);
            for (int64_t i = 0; i < image_count(&image); i++) {
                image.values[i] *= 2;
            }
            check_reads(&image, g_a, "changed");
        }
        GA_Destroy(g_a);
        destroy_image(&image);
    }
}

void test_read_only(void) {
    verify(C_DBL, true);
    verify(C_INT, true);
    verify(C_DBL, false);
}

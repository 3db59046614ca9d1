/* SPDX-License-Identifier: BSD-3-Clause */
/* For the models beside this: MISTAKE(n) is whether the environment plants mistake n. So one
 * compiled checker serves for all of them.
 */
c_decl {
    \#include <stdlib.h>
    static int planted;
    __attribute__((constructor)) static void plant(void) {
        const char *text = getenv("MISTAKE");
        planted = text != NULL ? atoi(text) : 0;
    }
};
#define MISTAKE(number) c_expr { planted == number }

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Writes a C program that takes the address of every declared function: that it links proves that the
# library defines them all.
# usage: generate_addresses.sh FUNCTION_LIST > addresses.c
set -eu

cat <<'END'
#include <armci/armci.h>
#include <armci/armcix.h>
#include <armci/message.h>
#include <stdio.h>

typedef void (*function_t)(void);

static const struct {
    const char* name;
    volatile function_t address;
} functions[] = {
END
sed 's/.*/    {"&", (function_t)&},/' "$1"
cat <<'END'
};

int main(void) {
    const size_t count = sizeof(functions) / sizeof(functions[0]);
    int failures = 0;
    size_t i;
    for (i = 0; i < count; ++i) {
        if (functions[i].address == NULL) {
            printf("%s has no address\n", functions[i].name);
            ++failures;
        }
    }
    printf("%zu functions, %d without address\n", count, failures);
    return failures != 0;
}
END

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Prints the name of every function that the public headers declare, one a line, sorted.
# usage: list_functions.sh COMPILER [FLAG...]      (the flags find armci/ and mpi.h)
set -eu

# After the preprocessor no comments are left, and of the names with our prefixes that stand before a
# parenthesis none is anything but a declared function.
printf '#include <armci/%s>\n' armci.h armcix.h message.h parmci.h |
    "$@" -E -P -x c - |
    grep -oE '\b(P?ARMCI|ARMCIX|p?armci)_[A-Za-z0-9_]+ *\(' |
    tr -d ' (' | LC_ALL=C sort -u

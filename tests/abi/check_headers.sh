#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Compiles each public header alone, and some together, in every C and C++ standard that the compilers
# know, with all warnings as errors.
# usage: check_headers.sh INCLUDE_DIR C_COMPILER CXX_COMPILER [FLAG...]      (the flags find mpi.h)
set -eu

include_dir=$1 c_compiler=$2 cxx_compiler=$3
shift 3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/empty"
echo 'int nothing;' | tee "$work/empty/file.c" >"$work/empty/file.cpp"

headers=$(cd "$include_dir" && find . -name '*.h' | sed 's|^\./||' | LC_ALL=C sort)
number=0
for group in $headers message.h,armci.h armci.h,armci/armcix.h,message.h; do
    number=$((number + 1))
    echo "$group" | tr ',' '\n' | sed 's/.*/#include <&>/' >"$work/$number.c"
    # A header that leaves a declaration open would take hold of this one.
    echo 'int following;' >>"$work/$number.c"
    cp "$work/$number.c" "$work/$number.cpp"
done

compiled=0
failures=0
# usage: check_standard COMPILER STANDARD SUFFIX [FLAG...]
check_standard() {
    compiler=$1 standard=$2 suffix=$3
    shift 3
    if ! "$compiler" "-std=$standard" -fsyntax-only "$work/empty/file.$suffix" 2>/dev/null; then
        echo "skipped: $compiler does not know -std=$standard"
        return
    fi
    for file in "$work"/*."$suffix"; do
        compiled=$((compiled + 1))
        if ! "$compiler" "-std=$standard" -fsyntax-only -Wall -Wextra -pedantic -Werror \
            -Wno-long-long "$@" "-I$include_dir" "$file"; then
            echo "FAILED with $compiler -std=$standard:"
            cat "$file"
            failures=$((failures + 1))
        fi
    done
}

for standard in c89 c99 c11 c17 c2x; do
    check_standard "$c_compiler" $standard c -Wstrict-prototypes "$@"
done
for standard in c++98 c++11 c++14 c++17 c++20 c++2b; do
    check_standard "$cxx_compiler" $standard cpp "$@"
done

echo "$compiled compilations, $failures failures"
[ "$compiled" -gt 0 ] && [ "$failures" -eq 0 ]

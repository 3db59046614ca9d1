#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Checks what the compiler has made of the kernels: sums and products in whole NEON registers, none of
# them fused, so that all processors round alike; streaming stores.
# usage: check_instructions.sh OBJDUMP OBJECT...
set -eu

objdump=$1
shift
failures=0
code=$("$objdump" --disassemble --no-show-raw-insn "$@" | awk -F '\t' 'NF > 2 { print $2, $3 }')

# expect PATTERN TEXT: some instruction is like that
expect() {
    printf '%s\n' "$code" | grep -Eq "$1" && return
    echo "FAILED: no $2"
    failures=$((failures + 1))
}

# refuse PATTERN TEXT: no instruction is
refuse() {
    printf '%s\n' "$code" | grep -E "$1" || return 0
    echo "FAILED: $2"
    failures=$((failures + 1))
}

for width in 4s 2d; do
    expect "^add v[0-9]+\.$width," "sum of integers, $width"
    expect "^fadd v[0-9]+\.$width," "sum of floating-point numbers, $width"
    expect "^fmul v[0-9]+\.$width," "product of floating-point numbers, $width"
    expect "^fsub v[0-9]+\.$width," "product of complex numbers, $width"
done
# There is no product of vectors of 8-byte integers; that of 4-byte ones may be fused: it does not round.
expect '^m(ul|la) v[0-9]+\.4s,' 'product of integers, 4s'
refuse '^(fn?m(add|sub)|fml[as]|fcmla) ' 'fused multiply-add'
expect '^stnp q' 'streaming store'
[ "$failures" -eq 0 ]

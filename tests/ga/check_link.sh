#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Checks what a program that was linked with Global Arrays and this library took from where.
# usage: check_link.sh static|shared PROGRAM libarmci.so      (NM may name the tool)
set -eu

kind=$1 program=$2 shared=$3
nm=${NM:-nm}
names='^(P?ARMCIX?|p?armci)_' # of the interface
export LC_ALL=C

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}

# usage: check_empty FILE TEXT      (fails, with the lines of FILE, unless it is empty)
check_empty() {
    if [ -s "$1" ]; then
        fail "$2:"
        sed 's/^/    /' "$1"
    else
        echo "ok: no $2"
    fi
}

"$nm" --undefined-only "$program" | awk '{sub(/@.*/, "", $2); print $2}' | sort -u >"$work/undefined"
"$nm" --defined-only "$program" | awk '{print $3}' | sort -u >"$work/defined"
"$nm" -D --defined-only "$shared" | awk '{sub(/@.*/, "", $3); print $3}' | sort -u >"$work/exported"
grep -E "$names" "$work/undefined" >"$work/needed" || true
grep -E "$names" "$work/defined" >"$work/brought" || true
ldd "$program" >"$work/libraries"

grep 'not found' "$work/libraries" >"$work/bad" || true
check_empty "$work/bad" "missing shared library"
# Internal names of ARMCI-MPI, which is a static library.
grep -E '^(ARMCII_|gmr_)' "$work/defined" >"$work/bad" || true
check_empty "$work/bad" "code of another ARMCI in the program"

case $kind in
static)
    check_empty "$work/needed" "undefined name of the interface"
    grep libarmci "$work/libraries" >"$work/bad" || true
    check_empty "$work/bad" "shared libarmci loaded by a program that has the static one"
    grep -qx ARMCI_PutS "$work/brought" || fail "ARMCI_PutS is not in the program"
    ;;
shared)
    comm -23 "$work/needed" "$work/exported" >"$work/bad"
    check_empty "$work/bad" "name of the interface that libarmci.so lacks"
    comm -12 "$work/brought" "$work/exported" >"$work/bad"
    check_empty "$work/bad" "name of the interface that is not taken from libarmci.so"
    grep -qx ARMCI_PutS "$work/needed" || fail "the program does not use ARMCI_PutS"
    # The only libarmci is the one of this build.
    awk '/libarmci/ {print $3}' "$work/libraries" | xargs -r realpath >"$work/loaded"
    realpath "$shared" | cmp -s - "$work/loaded" || fail "loaded is $(cat "$work/loaded"), not $shared"
    ;;
*)
    echo "usage: check_link.sh static|shared PROGRAM libarmci.so" >&2
    exit 2
    ;;
esac
[ "$failures" -eq 0 ]

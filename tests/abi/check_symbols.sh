#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Checks the symbols of both libraries against the public headers and against what existing programs need.
# usage: check_symbols.sh libarmci.so libarmci.a FUNCTION_LIST armci.map
# NM and READELF in the environment may name the tools.
set -eu

shared=$1 static=$2 declared=$3 map=$4
here=$(dirname "$0")
nm=${NM:-nm}
readelf=${READELF:-readelf}
export LC_ALL=C

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Besides, the one name by which the tools reach the library's inside (src/api/tool_access.h).
{ cat "$declared"; echo armci_private_tool_access; } | sort >"$work/known"
failures=0

# usage: check_empty FILE TEXT      (fails, with the lines of FILE, unless it is empty)
check_empty() {
    if [ -s "$1" ]; then
        echo "FAILED: $2:"
        sed 's/^/    /' "$1"
        failures=$((failures + 1))
    else
        echo "ok: no $2"
    fi
}

# "name type address" of what the libraries define for others
# "ADDRESS TYPE NAME@@NODE", and the nodes themselves with type A
"$nm" -D --defined-only "$shared" | awk '$2 != "A" {print $3, $2, $1}' | sort >"$work/versioned"
sed 's/@[^ ]*//' "$work/versioned" >"$work/shared"
"$nm" -g --defined-only "$static" 2>/dev/null | awk 'NF == 3 {print $3, $2}' |
    grep -E '^(P?ARMCIX?|p?armci)_' | sort >"$work/static"
cut -d' ' -f1 "$work/shared" >"$work/exported"
cut -d' ' -f1 "$work/static" >"$work/archived"

for needed in symbols_ga.txt symbols_armci_mpi.txt; do
    grep -v '^#' "$here/$needed" >"$work/needed"
    comm -23 "$work/needed" "$work/exported" >"$work/bad"
    check_empty "$work/bad" "function of $needed missing in the shared library"
done

comm -23 "$declared" "$work/exported" >"$work/bad"
check_empty "$work/bad" "declared function missing in the shared library"
comm -13 "$work/known" "$work/exported" >"$work/bad"
check_empty "$work/bad" "undeclared symbol exported from the shared library"

grep -v -e '^P\{0,1\}ARMCI[^ ]*@@ARMCI_[0-9.]* ' -e '^p\{0,1\}armci_[^ ]*@@ARMCI_[0-9.]* ' "$work/versioned" |
    grep -v '^armci_private_tool_access@@ARMCI_PRIVATE ' >"$work/bad" || true
check_empty "$work/bad" "function without the version of a release"
sed -n 's/^ *\([A-Za-z_0-9]*\);$/\1/p' "$map" | sort >"$work/mapped"
comm -13 "$work/exported" "$work/mapped" >"$work/bad"
check_empty "$work/bad" "name in the list of exports that the library does not define"

comm -23 "$declared" "$work/archived" >"$work/bad"
check_empty "$work/bad" "declared function missing in the static library"
uniq -d "$work/archived" >"$work/bad"
check_empty "$work/bad" "function defined twice in the static library"
# C++ names carry our namespace and names with two underscores are the compiler's; any other could meet
# a name of the program.
"$nm" -g --defined-only "$static" 2>/dev/null | awk 'NF == 3 {print $3}' | grep -vE '^(_Z|__)' |
    sort -u | comm -23 - "$work/known" >"$work/bad"
check_empty "$work/bad" "foreign name in the static library"

# A profiling tool replaces ARMCI_x and calls PARMCI_x: both have to exist, the first weak, and they are
# one function. In the lists, "weak strong" pairs.
sed -n 's/^P\(ARMCI_.*\)/\1 &/p; s/^p\(armci_.*\)/\1 &/p' "$declared" | sort >"$work/pairs"
for library in shared static; do
    awk -v library="$library" '
        FNR == NR { type[$1] = $2; address[$1] = $3; next }
        type[$1] != "W" { print $1 " has type " type[$1] ", not W" }
        type[$2] != "T" { print $2 " has type " type[$2] ", not T" }
        library == "shared" && address[$1] != address[$2] { print $1 " is not " $2 }
    ' "$work/$library" "$work/pairs" >"$work/bad"
    check_empty "$work/bad" "wrong pair of profiling names in the $library library"

    # Tests of Global Arrays bring these along.
    awk '($1 == "armci_msg_init" || $1 == "armci_msg_finalize") && $2 != "W"' "$work/$library" \
        >"$work/bad"
    check_empty "$work/bad" "strong definition of a replaceable function in the $library library"
    awk '$2 != "W" && $2 != "T"' "$work/$library" >"$work/bad"
    check_empty "$work/bad" "data among the API names of the $library library"
done

# A call of a weak name from inside would show up in a tool's counts. Calls between public functions of a
# shared library go through relocations.
"$readelf" -rW "$shared" | awk 'NF >= 5 {sub(/@.*/, "", $5); print $5}' | sort -u >"$work/called"
cut -d' ' -f1 "$work/pairs" | comm -12 - "$work/called" >"$work/bad"
check_empty "$work/bad" "weak name that the library itself uses"

soname=$("$readelf" -dW "$shared" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
case $soname in
libarmci.so.[0-9]*) echo "ok: soname $soname" ;;
*)
    echo "FAILED: soname is '$soname'"
    failures=$((failures + 1))
    ;;
esac

[ -s "$work/pairs" ] && [ "$failures" -eq 0 ]

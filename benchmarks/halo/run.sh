#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs halo_benchmark with 1, 2, 4, 8 and 16 ranks and joins the results.
#
#   benchmarks/halo/run.sh PROGRAM OUT.csv [option of halo_benchmark]...
#
# $RANKS names other numbers of ranks, and $LAUNCHER what starts them (default mpiexec).
set -euo pipefail

if (($# < 2)); then
    sed -n '3,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
fi
program=$1
out=$2
shift 2
read -ra launcher <<<"${LAUNCHER:-mpiexec}"
part=$(mktemp)
trap 'rm -f "$part"' EXIT
header=yes
for ranks in ${RANKS:-1 2 4 8 16}; do
    "${launcher[@]}" -n "$ranks" "$program" --csv "$part" "$@"
    if [[ $header == yes ]]; then
        cp "$part" "$out"
        header=no
    else
        tail -n +2 "$part" >>"$out"
    fi
done

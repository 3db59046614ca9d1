#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Fuzzes with libFuzzer for some minutes each, from the corpora in tests/fuzz/corpus. Needs clang.
#
#   scripts/fuzz.sh MINUTES [TARGET...]     targets: layout wire config profile; all if none is named
#
# What is found is in build/fuzz/found/TARGET; a case that was mended goes into the corpus. So do new
# paths, smallest first, if FUZZ_KEEP=1. Exit status 0 if nothing was found.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
if ! [[ ${1:-} =~ ^[0-9]+$ ]]; then
    sed -n '3,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
fi
seconds=$(($1 * 60))
shift
targets=("$@")
if ((${#targets[@]} == 0)); then
    targets=(layout wire config profile)
fi

"$root/scripts/build.sh" fuzz --target armci_fuzz_targets
status=0
for target in "${targets[@]}"; do
    corpus=$root/tests/fuzz/corpus/$target
    found=$root/build/fuzz/found/$target
    grown=$root/build/fuzz/grown/$target
    mkdir -p "$found" "$grown"
    echo "== $target, $seconds s"
    "$root/build/fuzz/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -max_len=2048 -print_final_stats=1 \
        -verbosity=0 -artifact_prefix="$found/" "$grown" "$corpus" || status=1
    if [[ ${FUZZ_KEEP:-0} == 1 ]]; then
        "$root/build/fuzz/tests/fuzz/fuzz_$target" -merge=1 -verbosity=0 "$corpus" "$grown"
    fi
done
exit "$status"

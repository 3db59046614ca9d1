#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The soak: random operations of all kinds at 8 ranks (4 virtual nodes of 2, 2 data servers each),
# checked against an oracle, with memory, groups, mutexes, attached memory and the library itself
# coming and going, and limits on what each rank's memory, descriptors and threads may grow by after a
# warm-up (tests/mp/soak.cpp says how much). Inside one node, and over each libfabric provider that
# this machine has.
#
#   scripts/soak.sh MINUTES [--route ROUTE] [--provider NAME]... [--ranks N] [--seed N]
#     MINUTES           for each provider; a fraction will do
#     --route ROUTE     auto, rma, server or alternate (default: alternate, both in turn)
#     --provider NAME   only these; "node" is the one without a network
#     --ranks N         default 8
#     --seed N          of all random numbers; default: a random one, which is printed
#
# Prints for each provider how many operations and bytes it was, what each rank's memory was first and
# last, and errors. Exit status 0 if there were none.
set -euo pipefail

usage() {
    sed -n '3,18s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
}

die() {
    echo "soak: $1" >&2
    exit 1
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mpiexec=/usr/bin/mpiexec.mpich
program=$root/build/release/tests/mp/mp_soak
route=alternate
ranks=8
seed=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
providers=()
(($# > 0)) || usage
minutes=$1
[[ $minutes =~ ^[0-9]+(\.[0-9]+)?$ ]] || usage
shift
while (($# > 0)); do
    (($# > 1)) || usage
    case $1 in
        --route) route=$2 ;;
        --provider) providers+=("$2") ;;
        --ranks) ranks=$2 ;;
        --seed) seed=$2 ;;
        *) usage ;;
    esac
    shift 2
done

# The caller's settings are not part of the soak.
for variable in "${!ARMCI_@}"; do
    unset "$variable"
done

"$root/scripts/build.sh" release -DARMCI_BUILD_TESTS=ON -DARMCI_BUILD_TOOLS=ON --target mp_soak
"$root/scripts/build.sh" release --target armci-info
seconds=$(awk -v minutes="$minutes" 'BEGIN { print minutes * 60 }')
# Time for the last round, also of a slow provider on a loaded machine.
limit=$(awk -v seconds="$seconds" 'BEGIN { print int(seconds * 2 + 300) }')

if ((${#providers[@]} == 0)); then
    # What is there: the default, and what is used only when it is named.
    found=$("$root/build/release/tools/armci-info/armci-info" --providers |
        sed -n -e 's/^between nodes: \([^ ]*\) on .*/\1/p' \
            -e 's/^ *not by default: \([^ ]*\): used only when .*/\1/p') ||
        die "armci-info --providers failed"
    [[ -n $found ]] ||
        die "armci-info --providers names no provider that works here; name some by --provider"
    mapfile -t providers <<<"node"$'\n'"$found"
fi

log=$(mktemp --tmpdir armci-soak.XXXXXX)
trap 'rm -f "$log"' EXIT
summary=()
failures=0
echo "soak: $minutes minutes each of ${providers[*]}; route $route, $ranks ranks, seed $seed"
for provider in "${providers[@]}"; do
    if [[ $provider == node ]]; then
        settings=(ARMCI_NODE_SIZE=0)
    else
        settings=(ARMCI_NODE_SIZE=2 ARMCI_SERVERS_PER_NODE=2 ARMCI_ROUTE="$route"
            ARMCI_PROVIDER="$provider")
    fi
    printf '\n== %s\n' "$provider"
    status=0
    env "${settings[@]}" TEST_SEED="$seed" SOAK_SECONDS="$seconds" \
        timeout --kill-after=10 "$limit" "$mpiexec" -n "$ranks" "$program" </dev/null 2>&1 |
        tee "$log" || status=$?
    total=$(sed -n 's/^soak: provider [^:]*: //p' "$log")
    verdict=ok
    if ((status != 0)) || [[ ! $total =~ ,\ [1-9][0-9]*\ operations, ]] || grep -q 'ARMCI \(Warning\|Error\):' "$log"; then
        verdict="FAILED (exit status $status); repeat with --seed $seed --provider '$provider'"
        failures=$((failures + 1))
    fi
    memory=$(sed -n 's/.*resident \([0-9]*\) KiB .*, \([0-9]*\) KiB at the end.*/\1 \2/p' "$log" |
        awk '{ if ($1 > first) first = $1; if ($2 > last) last = $2 }
             END { printf "largest rank %.1f MiB first, %.1f MiB last", first / 1024, last / 1024 }')
    summary+=("$(printf '%-14s %s; %s: %s' "$provider" "${total:-no result}" "$memory" "$verdict")")
done

printf '\n== summary\n'
printf '%s\n' "${summary[@]}"
((failures == 0))

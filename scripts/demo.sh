#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Shows the library at work: installs what is missing, builds, and multiplies two matrices in global
# memory inside one process, inside a node, and between (virtual) nodes.
#
#   scripts/demo.sh [N [BLOCK]]     order of the matrices, and of their tiles (at most N);
#                                   default 1536 128
#
# Exit status 0 if every element of every product is right.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mpiexec=/usr/bin/mpiexec.mpich
program=$root/build/release/examples/block_matmul

order=${1:-1536}
block=${2:-128}
if (($# > 2)) || ! [[ $order =~ ^[1-9][0-9]*$ && $block =~ ^[1-9][0-9]*$ ]] ||
    ((block > order)); then
    sed -n '3,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
fi

started=$SECONDS
# say WHAT: what comes next, and when
say() {
    printf '\n== demo, %d s: %s\n' $((SECONDS - started)) "$1"
}

say "1 of 3: Debian packages that are missing, if any (some minutes on a new system)"
"$root/scripts/setup.sh" build
say "2 of 3: the library and one example are compiled (about a minute on two processors)"
"$root/scripts/build.sh" release --target block_matmul \
    -DARMCI_BUILD_TESTS=OFF -DARMCI_BUILD_BENCHMARKS=OFF -DARMCI_BUILD_EXAMPLES=ON
say "3 of 3: the example runs in four ways (some seconds each)"

log=$(mktemp --tmpdir armci-demo.XXXXXX)
trap 'rm -f "$log"' EXIT
summary=()
failures=0

# show TITLE EXPLANATION RANKS [NAME=VALUE...]: one run with these variables in its environment
show() {
    local title=$1 explanation=$2 ranks=$3 verdict=PASS status=0 speed
    shift 3
    local clean=(env -u ARMCI_NODE_SIZE -u ARMCI_PROVIDER -u ARMCI_ROUTE)
    printf '\n== %s\n%s\n' "$title" "$explanation"
    printf '$ %s\n' "${*:+$* }mpiexec -n $ranks block_matmul $order $block"
    "${clean[@]}" "$@" "$mpiexec" -n "$ranks" "$program" "$order" "$block" </dev/null 2>&1 |
        tee "$log" || status=$?
    if ((status != 0)) || ! grep -qx PASS "$log"; then
        verdict="FAIL (exit status $status)"
        failures=$((failures + 1))
    fi
    speed=$(sed -n 's/.*, \(.* GFLOP\/s\)$/\1/p' "$log")
    summary+=("$(printf '%-44s %18s   %s' "$title" "${speed:--}" "$verdict")")
}

show "one rank" \
    "A process alone: no network is opened, all memory is its own." 1
show "4 ranks, one node" \
    "Ranks of one node share memory: every transfer is a copy by the process that wants it." 4
show "4 ranks, 4 virtual nodes, TCP, direct RMA" \
    "Each rank is a node of its own. Puts and gets are remote writes and reads; accumulates need
the target's processor and go to its data server." 4 \
    ARMCI_NODE_SIZE=1 ARMCI_PROVIDER=tcp ARMCI_ROUTE=rma
show "4 ranks, 4 virtual nodes, TCP, data server" \
    "The same, but puts and gets go through the data server as well, in chunks." 4 \
    ARMCI_NODE_SIZE=1 ARMCI_PROVIDER=tcp ARMCI_ROUTE=server

printf '\n== summary: C = A * B, N = %s, tiles of %s, every element checked\n' "$order" "$block"
printf '%s\n' "${summary[@]}"
if ((failures > 0)); then
    echo "$failures of ${#summary[@]} runs failed"
    exit 1
fi
echo "all ${#summary[@]} runs passed; the demo took $((SECONDS - started)) s"

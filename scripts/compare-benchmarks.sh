#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds two versions, runs the benchmarks of both in turn (A B A B ...) and says which rows have
# become slower or faster, with the ratio of medians and the noise of each row.
#
#   scripts/compare-benchmarks.sh BASE HEAD [--rounds N] [--only LIST] [--least PERCENT]
#     BASE, HEAD       commits, or folders of builds that are there already; HEAD may be "." for this
#                      tree as it is
#     --rounds N       runs of each version (5)
#     --only LIST      kinds of runs, of kernels,node,network (all)
#     --least PERCENT  smaller differences are not named (5)
#
# Results stay in build/compare-benchmarks as JSON files; benchmarks/compare/versions.py compares them
# again. Use an idle machine. Exit status: 0 if no row is slower, 1 if one is, 2 on errors.
set -euo pipefail

usage() {
    sed -n '3,15s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
rounds=5
only=kernels,node,network
least=5
versions=()
while (($# > 0)); do
    case $1 in
        --rounds | --only | --least)
            (($# > 1)) || usage
            printf -v "${1#--}" %s "$2"
            shift
            ;;
        -*) usage ;;
        *) versions+=("$1") ;;
    esac
    shift
done
((${#versions[@]} == 2)) || usage
[[ $rounds =~ ^[1-9][0-9]*$ && $only =~ ^(kernels|node|network)(,(kernels|node|network))*$ ]] || usage
for variable in "${!ARMCI_@}"; do
    unset "$variable"
done

where=$root/build/compare-benchmarks
rm -rf "$where/base" "$where/head"
mkdir -p "$where/base" "$where/head"

# build_of VERSION: prints the folder of its build, which it makes if it is not one
build_of() {
    if [[ -x $1/tools/armci-bench/armci-bench ]]; then
        (cd "$1" && pwd)
        return
    fi
    local tree=$root commit
    if [[ $1 != . ]]; then
        commit=$(git rev-parse --verify --quiet "$1^{commit}") ||
            { echo "compare-benchmarks: $1 is neither a commit nor a build with armci-bench" >&2; return 2; }
        tree=$where/trees/$commit
        if [[ ! -d $tree ]]; then
            git worktree add --detach --force "$tree" "$commit" >&2
        fi
    fi
    echo "compare-benchmarks: builds $1 (about 3 minutes if it is new)" >&2
    "$tree/scripts/build.sh" release -DARMCI_BUILD_TESTS=OFF -DARMCI_BUILD_TOOLS=ON \
        -DARMCI_BUILD_EXAMPLES=OFF -DARMCI_BUILD_BENCHMARKS=ON >&2
    echo "$tree/build/release"
}

base=$(build_of "${versions[0]}")
head=$(build_of "${versions[1]}")

common=(--modes latency --repeat 7 --min-time 3)
rows=(--ops put,get,acc,put-strided,get-strided,acc-strided,fetch-add,lock --sizes 8,4K,64K,1M --runs 128,4K)
windows=(--ops put,get --modes window --window 64 --sizes 8,4K --repeat 7 --min-time 3 --target-wait armci)
kernels='^(Copy|Pack|Unpack|AccumulateBlocks)/(8|128|4096)$|^AccumulateBlocks'

# bench RESULT BUILD RANKS OPTION...
bench() {
    local result=$1 build=$2 ranks=$3
    shift 3
    mpiexec -n "$ranks" "$build/tools/armci-bench/armci-bench" "$@" --json "$result" >"$result.log" 2>&1 ||
        { tail -n 20 "$result.log" >&2; echo "compare-benchmarks: $build: armci-bench failed" >&2; exit 2; }
    rm "$result.log"
}

# measure KIND BUILD FOLDER ROUND
measure() {
    local kind=$1 build=$2 folder=$3 round=$4
    case $kind in
        kernels)
            "$build/benchmarks/kernel_benchmark" --benchmark_filter="$kernels" --benchmark_min_time=0.05 \
                --benchmark_out="$folder/kernels.$round.json" --benchmark_out_format=json >/dev/null 2>&1
            ;;
        node) bench "$folder/node.$round.json" "$build" 2 "${rows[@]}" "${common[@]}" ;;
        network)
            ARMCI_NODE_SIZE=1 bench "$folder/network.$round.json" "$build" 2 "${rows[@]}" "${common[@]}" \
                --target-wait armci
            ARMCI_NODE_SIZE=1 bench "$folder/windows.$round.json" "$build" 2 "${windows[@]}"
            ;;
    esac
}

started=$SECONDS
for ((round = 1; round <= rounds; ++round)); do
    echo "compare-benchmarks: round $round of $rounds" \
        "$( ((round > 1)) && echo "(about $(((SECONDS - started) * (rounds - round + 1) / (round - 1))) s are left)" || true)"
    for kind in ${only//,/ }; do
        measure "$kind" "$base" "$where/base" "$round"
        measure "$kind" "$head" "$where/head" "$round"
    done
done
exec python3 -B benchmarks/compare/versions.py "$where/base" "$where/head" --least "$least"

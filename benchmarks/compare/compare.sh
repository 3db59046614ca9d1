#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures this library and another ARMCI with the same program, in turn, and prints how they
# compare row by row. See README.md here.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)

rounds=3
ranks=2
peer_ranks=
launcher=mpiexec
build=$root/build/compare
ours=
peer=
peer_libraries=-larmci-mpich
peer_name=
peer_environment=(ARMCI_USE_WIN_ALLOCATE=0)
timeout_s=600
bench_options=(--repeat 11 --min-time 5)

usage() {
    cat <<EOF
usage: $(basename "$0") [options] [-- options of armci-bench]

  --rounds N             runs of each library, in turn (default $rounds)
  --ranks N              ranks of each run (default $ranks)
  --peer-ranks N         ranks that the peer is started with, if it keeps some for itself
  --launcher COMMAND     what starts N ranks when "-n N" and a program follow (default $launcher)
  --build DIR            where to build and to keep results (default build/compare)
  --ours PROGRAM         an armci-bench built already with this library
  --peer PROGRAM         an armci-bench built already with the other one
  --peer-libraries LIBS  what to link for the other one (default $peer_libraries, Debian's ARMCI-MPI)
  --peer-name NAME       how to call it (default: the Debian package and its version)
  --peer-env NAME=VALUE  setting for the peer's runs; may be repeated (replaces the default
                         ${peer_environment[*]}, without which ARMCI-MPI gives wrong results)
  --timeout S            longest time for one run (default $timeout_s)

The options of armci-bench default to: ${bench_options[*]}
Exit status: 0 when everything ran, however fast it was.
EOF
}

fail() {
    echo "compare.sh: $*" >&2
    exit 2
}

default_environment=yes
while [ $# -gt 0 ]; do
    option=$1
    shift
    case $option in
        --help | -h)
            usage
            exit 0
            ;;
        --)
            bench_options=("$@")
            break
            ;;
    esac
    [ $# -gt 0 ] || fail "$option: unknown, or its value is missing (--help tells more)"
    case $option in
        --rounds) rounds=$1 ;;
        --ranks) ranks=$1 ;;
        --peer-ranks) peer_ranks=$1 ;;
        --launcher) launcher=$1 ;;
        --build) build=$1 ;;
        --ours) ours=$1 ;;
        --peer) peer=$1 ;;
        --peer-libraries) peer_libraries=$1 ;;
        --peer-name) peer_name=$1 ;;
        --peer-env)
            [ $default_environment = yes ] && peer_environment=()
            default_environment=no
            peer_environment+=("$1")
            ;;
        --timeout) timeout_s=$1 ;;
        *) fail "unknown option $option (--help tells more)" ;;
    esac
    shift
done
[[ $rounds =~ ^[1-9][0-9]*$ ]] || fail "--rounds: '$rounds' is not a number of runs"
[[ $ranks =~ ^[1-9][0-9]*$ ]] || fail "--ranks: '$ranks' is not a number of ranks"
peer_ranks=${peer_ranks:-$ranks}
[[ $peer_ranks =~ ^[1-9][0-9]*$ ]] || fail "--peer-ranks: '$peer_ranks' is not a number of ranks"
read -ra launch <<<"$launcher"

mkdir -p "$build"
build=$(cd "$build" && pwd)

# Builds quietly; shows the log when that fails.
build_target() {
    local what=$1 log=$build/$1.log
    shift
    echo "building $what (log: $log)"
    if ! { cmake "$@" -B "$build/$what" && cmake --build "$build/$what" --target armci-bench \
        --parallel; } >"$log" 2>&1; then
        tail -n 30 "$log" >&2
        fail "could not build $what"
    fi
}

if [ -z "$ours" ]; then
    build_target ours -S "$root" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DARMCI_BUILD_TESTS=OFF \
        -DARMCI_BUILD_EXAMPLES=OFF
    ours=$(find "$build/ours" -name armci-bench -type f -perm -u+x -print -quit)
fi
if [ -z "$peer" ]; then
    if [ -z "$peer_name" ]; then
        peer_name="ARMCI-MPI"
        if version=$(dpkg-query -W -f '${Version}' libarmci-mpi-dev 2>/dev/null); then
            peer_name="ARMCI-MPI (libarmci-mpi-dev $version)"
        fi
    fi
    build_target peer -S "$root/tools/armci-bench" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        "-DARMCI_BENCH_LIBRARIES=$peer_libraries" "-DARMCI_BENCH_LIBRARY_NAME=$peer_name"
    peer=$build/peer/armci-bench
fi
[ -x "$ours" ] || fail "there is no program '$ours'"
[ -x "$peer" ] || fail "there is no program '$peer'"

# run RANKS RESULT LOG ENVIRONMENT... -- PROGRAM: one run. A row with wrong data (status 1) is a result
# like others and shows in the table; anything else that goes wrong ends the comparison.
run() {
    local count=$1 result=$2 log=$3 status=0
    shift 3
    local environment=()
    while [ "$1" != -- ]; do
        environment+=("$1")
        shift
    done
    rm -f "$result"
    env "${environment[@]}" timeout "$timeout_s" "${launch[@]}" -n "$count" "$2" "${bench_options[@]}" \
        --json "$result" >"$log" 2>&1 || status=$?
    if [ $status -gt 1 ] || [ ! -s "$result" ]; then
        tail -n 20 "$log" >&2
        fail "$2 did not finish (status $status)"
    fi
}

ours_results=()
peer_results=()
for ((round = 1; round <= rounds; round++)); do
    echo "round $round of $rounds"
    run "$ranks" "$build/ours.$round.json" "$build/ours.$round.txt" -- "$ours"
    run "$peer_ranks" "$build/peer.$round.json" "$build/peer.$round.txt" "${peer_environment[@]}" -- "$peer"
    ours_results+=("$build/ours.$round.json")
    peer_results+=("$build/peer.$round.json")
done
echo
exec python3 "$here/ratios.py" --ours "${ours_results[@]}" --peer "${peer_results[@]}"

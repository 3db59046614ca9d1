#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds and runs all tests: the release build, then what is labelled for the address sanitizer in a
# build of its own, by clang. Installs missing packages first.
#
#   scripts/test.sh [--quick] [--nightly] [--filter REGEX] [--mpi mpich|openmpi]
#                   [--compiler gcc|clang]
#     --quick           the release build only
#     --nightly         also what takes longer than it is worth every time (label nightly), and the
#                       thread sanitizer
#     --filter REGEX    only tests whose name matches (as ctest -R)
#     --mpi, --compiler another MPI or compiler, in builds of their own (see build.sh); the release
#                       build only
#
# The last line is "N passed, N failed". Exit status 0 if nothing failed.
set -euo pipefail

usage() {
    sed -n '3,15s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
quick=no
sanitizers=(asan)
left_out='^nightly$'
filter=
mpi=mpich
compiler=gcc
while (($# > 0)); do
    case $1 in
        --quick) quick=yes ;;
        --nightly) left_out='^nothing$' sanitizers+=(tsan) ;;
        --filter)
            (($# > 1)) || usage
            filter=$2
            shift
            ;;
        --mpi | --compiler)
            (($# > 1)) || usage
            printf -v "${1#--}" %s "$2"
            shift
            ;;
        *) usage ;;
    esac
    shift
done

packages=(build test)
suffix=
case $mpi in
    mpich) ;;
    openmpi) packages+=(openmpi) suffix+=-openmpi quick=yes ;;
    *) usage ;;
esac
case $compiler in
    gcc) ;;
    clang) packages+=(clang) suffix+=-clang quick=yes ;;
    *) usage ;;
esac
if [[ $quick == no ]]; then
    packages+=(clang)
fi

# Tests set what they need; the caller's settings are not part of that.
for variable in "${!ARMCI_@}"; do
    unset "$variable"
done

# The thread sanitizer of GCC 12 cannot place its shadow memory on kernels that randomise addresses
# with more than 28 bits. Where switching that off is not allowed, it is tried without.
fixed_addresses=()
if setarch "$(uname -m)" --addr-no-randomize true 2>/dev/null; then
    fixed_addresses=(setarch "$(uname -m)" --addr-no-randomize)
fi

# libfabric's provider verbs reads the kernel's symbols twice, which is most of the time of its start
# (docs/scaling.md). Where mounts are allowed, tests see an empty table.
no_symbols=(unshare --mount sh -c 'mount --bind /dev/null /proc/kallsyms && exec "$@"' sh)
if ! "${no_symbols[@]}" true 2>/dev/null; then
    no_symbols=()
fi

passed=0
failed=0
skipped=0

# run_ctest PRESET OPTION...: runs the tests that the options select and counts them
run_ctest() {
    local preset=$1 status=0 total=0 bad=0 ignored
    shift
    local directory=$root/build/$preset$suffix
    local log=$directory/ctest.log
    "${prefix[@]}" ctest --test-dir "$directory" --output-on-failure --no-tests=ignore \
        ${filter:+-R "$filter"} "$@" </dev/null 2>&1 | tee "$log" || status=$?
    read -r bad total < <(
        sed -n 's/^[0-9]*% tests passed, \([0-9]*\) tests failed out of \([0-9]*\)$/\1 \2/p' "$log"
    ) || true # no such line when no test was selected
    bad=${bad:-0} total=${total:-0}
    ignored=$(grep -c '^ *[0-9]*/[0-9]* Test .*\*\*\*Skipped' "$log" || true)
    if ((status != 0 && bad == 0)); then
        echo "test: ctest ended with status $status without naming a failed test"
        bad=1
        total=$((total + 1))
    fi
    ran=$((ran + total))
    failed=$((failed + bad))
    skipped=$((skipped + ignored))
    passed=$((passed + total - bad - ignored))
}

# build PRESET TARGET
build() {
    # With sanitizers only the tests are of interest, of which those targets are made.
    local others=OFF
    if [[ $1 == release ]]; then
        others=ON
    fi
    "$root/scripts/build.sh" "$1" --mpi "$mpi" --compiler "$compiler" --target "$2" \
        -DARMCI_BUILD_TESTS=ON -DARMCI_BUILD_TOOLS=ON -DARMCI_BUILD_EXAMPLES=ON \
        -DARMCI_BUILD_BENCHMARKS="$others" -DARMCI_BUILD_PYTHON="$others"
}

# Tests of several ranks leave processors idle now and then. The builds with sanitizers use that
# time, and no other. What they have not built then, or cannot, is built when its turn comes.
ahead= # the process group that does so
build_ahead() {
    local log=$root/build/ahead.log
    if [[ $quick == yes ]] || ! chrt --idle 0 true 2>/dev/null; then
        return
    fi
    echo "test: builds ${sanitizers[*]} meanwhile, while processors are idle (log: $log)"
    ( # tests must not see what is exported here
        export -f build
        export root mpi compiler
        exec setsid chrt --idle 0 bash -c \
            'for preset; do build "$preset" "armci_${preset}_tests"; done' \
            build_ahead "${sanitizers[@]}" </dev/null >"$log" 2>&1
    ) &
    ahead=$!
}
stop_building_ahead() {
    if [[ -n $ahead ]]; then
        kill -- "-$ahead" 2>/dev/null || true
        wait "$ahead" 2>/dev/null || true
        ahead=
    fi
}
trap stop_building_ahead EXIT

# run_part PRESET TARGET OPTION...: builds a target of a preset and runs the tests that the ctest
# options select
run_part() {
    local preset=$1 target=$2 started=$SECONDS
    shift 2
    printf '\n== %s\n' "$preset$suffix"
    if ! build "$preset" "$target"; then
        echo "test: $preset does not build"
        failed=$((failed + 1))
        return
    fi
    local ran=0 prefix=("${no_symbols[@]}")
    if [[ $preset == tsan ]]; then
        prefix+=("${fixed_addresses[@]}")
    fi
    # Some of these wait now and then. Those with the label "waits" have several ranks, but leave half
    # of two processors idle.
    run_ctest "$preset" "$@" -L '^(unit|single|waits)$' --parallel $(($(nproc) + 1))
    if [[ $preset == release ]]; then
        build_ahead
    fi
    # On two processors, two jobs of two ranks run at a time, but jobs of three or more run alone. If
    # all jobs ran alone, these tests would take a sixth longer.
    run_ctest "$preset" "$@" -LE "^(unit|single|waits)\$|$left_out" --parallel $(($(nproc) + 2))
    if ((ran == 0)) && [[ -z $filter ]]; then
        echo "test: $preset has no tests"
        failed=$((failed + 1))
    fi
    echo "== $preset took $((SECONDS - started)) s"
}

# What this is going to do. Times are of two idle processors and an empty build folder.
echo "test: Debian packages that are missing, if any (some minutes on a new system)"
"$root/scripts/setup.sh" "${packages[@]}"
if [[ -z $filter ]]; then
    echo "test: next, release: compiles everything (6 minutes) and runs all tests (10 minutes)"
    if [[ $quick == no ]]; then
        echo "test: then, ${sanitizers[*]}: compile the rest of their tests, and run them (asan 2 minutes)"
    fi
fi
run_part release all
stop_building_ahead
if [[ $quick == no ]]; then
    for preset in "${sanitizers[@]}"; do
        run_part "$preset" "armci_${preset}_tests" -L "^$preset\$"
    done
fi

printf '\n'
if ((skipped > 0)); then
    echo "$skipped skipped"
fi
if ((passed + failed == 0)); then
    echo "test: no test matches '$filter'"
    failed=1
fi
echo "$passed passed, $failed failed"
((failed == 0))

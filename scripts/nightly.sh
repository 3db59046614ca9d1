#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# All tests, and the checks that take too long for scripts/test.sh, in the builds of this tree.
#
#   scripts/nightly.sh [--seeds N] [--first S] [--coverage]
#     --seeds N    schedules of the simulated network, and of each provider's twin (100000)
#     --first S    seed of the first of them (1)
#     --coverage   also which lines the tests run (an hour more)
#
# Exit status 0 if nothing failed; each check says how its failure is repeated.
set -euo pipefail

usage() {
    sed -n '3,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
seeds=100000
first=1
coverage=no
while (($# > 0)); do
    case $1 in
        --seeds | --first)
            (($# > 1)) || usage
            printf -v "${1#--}" %s "$2"
            shift
            ;;
        --coverage) coverage=yes ;;
        *) usage ;;
    esac
    shift
done
[[ $seeds =~ ^[1-9][0-9]*$ && $first =~ ^[0-9]+$ ]] || usage
first=$((10#$first)) # 08 is no octal number

"$root/scripts/setup.sh" build test
"$root/scripts/build.sh" release --target armci_sim -DARMCI_BUILD_TESTS=ON

failed=0

# simulate OPTION...: each processor takes its share of the seeds, at least one.
simulate() {
    local shares pids=() share=0 pid
    shares=$(nproc)
    ((shares <= seeds)) || shares=$seeds
    for ((share = 0; share < shares; ++share)); do
        "$root/build/release/tests/sim/armci_sim" "$@" \
            --first $((first + seeds * share / shares)) \
            --seeds $((seeds * (share + 1) / shares - seeds * share / shares)) &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do
        wait "$pid" || failed=1
    done
}

simulate_twins() {
    local twin
    for twin in $("$root/build/release/tests/sim/armci_sim" --list); do
        simulate --twin "$twin"
    done
}

# check WORDS COMMAND...: says how long it took, and how long everything has taken so far
check() {
    local began=$SECONDS
    printf '== %s (since %s)\n' "$1" "$(date +%H:%M)"
    shift
    "$@" || failed=1
    echo "== took $((SECONDS - began)) s, $((SECONDS / 60)) min so far"
}

echo "nightly: all tests (some 30 minutes), then longer checks: several hours on two processors"

check "all tests" "$root/scripts/test.sh" --nightly
check "simulated network, $seeds schedules" simulate
check "simulated network with the terms of real providers, $seeds schedules each" simulate_twins
check "models, larger sizes" "$root/docs/models/check.sh" large
if [[ -x /usr/sbin/sshd && -x /usr/sbin/slurmctld && -x /usr/sbin/nft && -x /usr/bin/mpicc.openmpi ]]; then
    # With MPICH they are among all tests.
    check "several hosts, Open MPI" "$root/scripts/test.sh" --mpi openmpi --nightly --filter '^hosts\.'
else
    echo "== several hosts: left out, needs sshd, Slurm and Open MPI (scripts/setup.sh openmpi hosts)"
fi
check "newest libfabric and MPICH" "$root/scripts/test-on.sh" newest
check "standard binary interface of MPI 5" "$root/scripts/test-on.sh" abi
check "Python package as a wheel" "$root/scripts/test-python.sh"
if [[ -x /usr/bin/mpicc.openmpi ]]; then
    check "Python package as a wheel, Open MPI" "$root/scripts/test-python.sh" --mpi openmpi
else
    echo "== Python package with Open MPI: left out, needs Open MPI (scripts/setup.sh openmpi)"
fi
if ((EUID == 0)) && command -v debootstrap >/dev/null; then
    check "packages on Debian 12 and 13 (25 minutes each, the first time 30)" \
        "$root/scripts/test-debian.sh"
    check "Global Arrays and NWChem from source (20 minutes, the first time 45)" \
        "$root/scripts/test-nwchem.sh"
else
    echo "== packages, Global Arrays and NWChem from source: left out, need root and debootstrap" \
        "(scripts/setup.sh nightly)"
fi
if ((EUID == 0)) && command -v debootstrap >/dev/null && command -v buildah >/dev/null; then
    check "image (5 minutes)" "$root/scripts/test-image.sh"
else
    echo "== image: left out, needs root, debootstrap and buildah (scripts/setup.sh nightly)"
fi
if command -v spack >/dev/null; then
    check "Spack recipe (5 minutes)" "$root/scripts/test-spack.sh"
else
    echo "== Spack recipe: left out, needs Spack in PATH"
fi
check "AArch64 under emulation" "$root/scripts/test-arm.sh"
if command -v clang++ >/dev/null; then
    check "fuzzing" "$root/scripts/fuzz.sh" 5
else
    echo "== fuzzing: left out, needs clang (scripts/setup.sh clang)"
fi
if [[ -x /usr/bin/chromium ]]; then
    check "timeline in Perfetto" "$root/scripts/test-perfetto.sh"
else
    echo "== timeline in Perfetto: left out, needs chromium (scripts/setup.sh perfetto)"
fi
check "mutants: each planted mistake is caught (minutes, the first time also a build)" \
    python3 -B "$root/tests/mutants/run.py"
check "each source file by itself (4 minutes, the first time)" \
    "$root/scripts/build.sh" dev -DARMCI_BUILD_TESTS=ON -DARMCI_BUILD_PYTHON=ON
check "clang-tidy of what has changed" "$root/scripts/tidy.sh"
check "binary interface of the last release" "$root/scripts/abidiff.sh"
if command -v doxygen >/dev/null; then
    check "reference of the public headers" "$root/scripts/build.sh" release --target docs
else
    echo "== reference of the public headers: left out, needs doxygen (scripts/setup.sh docs)"
fi
if [[ $coverage == yes ]]; then
    check "coverage" "$root/scripts/coverage.sh"
fi
check "soak" "$root/scripts/soak.sh" 30

if ((failed != 0)); then
    echo "nightly: something failed"
    exit 1
fi
echo "nightly: nothing failed"

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Configures a preset of CMakePresets.json and builds it into build/PRESET, with Debian's MPICH and
# GCC (clang for the presets asan and fuzz) or, into directories of their own (build/PRESET-openmpi,
# build/PRESET-clang), with another MPI and compiler. --mpi abi builds for the standard binary
# interface of MPI 5, with the mpicc_abi and mpiexec of the PATH (MPICH has them from version 5 on;
# scripts/test-on.sh abi gets one).
#
#   scripts/build.sh PRESET [--mpi mpich|openmpi|abi] [--compiler gcc|clang] [-DNAME=VALUE...]
#                    [--target NAME]
set -euo pipefail

usage() {
    sed -n '3,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
}

[[ ${1:--} != -* ]] || usage
preset=$1
shift
target=all
mpi=mpich
compiler=gcc
settings=()
while (($# > 0)); do
    case $1 in
        --target | --mpi | --compiler)
            (($# > 1)) || usage
            printf -v "${1#--}" %s "$2"
            shift
            ;;
        *) settings+=("$1") ;;
    esac
    shift
done

cd "$(dirname "${BASH_SOURCE[0]}")/.."
directory=build/$preset
# Named in full because mpicc and mpiexec may belong to another MPI that is installed beside it.
mpicc=/usr/bin/mpicc.$mpi
mpifort=/usr/bin/mpifort.$mpi
case $mpi in
    mpich) mpiexec=/usr/bin/mpiexec.mpich ;;
    openmpi)
        mpiexec=$PWD/scripts/mpiexec-openmpi.sh
        directory+=-openmpi
        ;;
    abi)
        if ! mpicc=$(command -v mpicc_abi); then
            echo "build: no mpicc_abi in the PATH; MPICH 5 has it" >&2
            exit 1
        fi
        mpiexec=${mpicc%/*}/mpiexec
        mpifort=
        settings=(-DARMCI_BUILD_FORTRAN=OFF "${settings[@]}") # the interface is one for C
        directory+=-abi
        ;;
    *) usage ;;
esac
case $compiler in
    gcc) ;; # what cmake finds, or CC and CXX name
    clang)
        settings+=(-DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++)
        directory+=-clang
        ;;
    *) usage ;;
esac

# CMake forgets settings of the preset when the compiler of a build folder changes, as that of asan has.
cached=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$directory/CMakeCache.txt" 2>/dev/null || true)
if [[ $preset == asan && -n $cached && $cached != *clang* ]]; then
    rm -rf "$directory/CMakeCache.txt" "$directory/CMakeFiles"
fi

echo "build: preset $preset in $PWD/$directory"
# Debian's Python is the one that Debian's modules are for.
# Only warnings and errors of the configuration are worth reading; they go to standard error.
cmake --preset "$preset" -B "$directory" --log-level=WARNING --no-warn-unused-cli \
    -DMPI_C_COMPILER="$mpicc" \
    -DMPI_Fortran_COMPILER="$mpifort" \
    -DMPIEXEC_EXECUTABLE="$mpiexec" -DPython_EXECUTABLE=/usr/bin/python3 "${settings[@]}" >/dev/null
cmake --build "$directory" --parallel "$(nproc)" --target "$target"

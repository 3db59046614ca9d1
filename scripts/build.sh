#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Configures a preset of CMakePresets.json and builds it into build/PRESET, with Debian's MPICH and GCC
# or, into directories of their own (build/PRESET-openmpi, build/PRESET-clang), with another MPI and
# compiler.
#
#   scripts/build.sh PRESET [--mpi mpich|openmpi] [--compiler gcc|clang] [-DNAME=VALUE...]
#                    [--target NAME]
set -euo pipefail

usage() {
    sed -n '3,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
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
case $mpi in
    mpich) mpiexec=/usr/bin/mpiexec.mpich ;;
    openmpi)
        mpiexec=$PWD/scripts/mpiexec-openmpi.sh
        directory+=-openmpi
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

echo "build: preset $preset in $PWD/$directory"
# Only warnings and errors of the configuration are worth reading; they go to standard error.
cmake --preset "$preset" -B "$directory" --log-level=WARNING --no-warn-unused-cli \
    -DMPI_C_COMPILER="/usr/bin/mpicc.$mpi" \
    -DMPI_Fortran_COMPILER="/usr/bin/mpifort.$mpi" \
    -DMPIEXEC_EXECUTABLE="$mpiexec" "${settings[@]}" >/dev/null
cmake --build "$directory" --parallel "$(nproc)" --target "$target"

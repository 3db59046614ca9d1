#!/usr/bin/env bash
# Configures a preset of CMakePresets.json with Debian's MPICH and builds it into build/PRESET.
#
#   scripts/build.sh PRESET [-DNAME=VALUE...] [--target NAME]
set -euo pipefail

if (($# == 0)); then
    sed -n '2,4s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
fi
preset=$1
shift
target=all
settings=()
while (($# > 0)); do
    if [[ $1 == --target ]]; then
        target=${2:?}
        shift
    else
        settings+=("$1")
    fi
    shift
done

cd "$(dirname "${BASH_SOURCE[0]}")/.."
echo "build: preset $preset in $PWD/build/$preset"
# Named in full because mpicc and mpiexec may belong to another MPI that is installed beside MPICH.
# Only warnings and errors of the configuration are worth reading; they go to standard error.
cmake --preset "$preset" --log-level=WARNING --no-warn-unused-cli \
    -DMPI_C_COMPILER=/usr/bin/mpicc.mpich \
    -DMPI_Fortran_COMPILER=/usr/bin/mpifort.mpich \
    -DMPIEXEC_EXECUTABLE=/usr/bin/mpiexec.mpich "${settings[@]}" >/dev/null
cmake --build "build/$preset" --parallel "$(nproc)" --target "$target"

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests the Python package as a user gets it: pip builds the wheel into an environment of its own
# (build/python), and the tests, the examples, the tutorial and mypy run there. With MPICH, NumPy and
# mpi4py are the newest of PyPI, the latter built here. With Open MPI they are those of Debian, and
# PyPI's wheel of mpi4py is tried at the end.
#
#   scripts/test-python.sh [--mpi mpich|openmpi] [--installed PREFIX]
#     --installed PREFIX   links the library that is installed there, not that of this tree
set -euo pipefail

usage() {
    sed -n '3,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mpi=mpich
settings=()
while (($# > 0)); do
    (($# > 1)) || usage
    case $1 in
        --mpi) mpi=$2 ;;
        --installed) settings+=("--config-settings=cmake.define.armci_ROOT=$2") ;;
        *) usage ;;
    esac
    shift 2
done
case $mpi in
    mpich)
        "$root/scripts/setup.sh" build python
        mpiexec="/usr/bin/mpiexec.mpich -n"
        packages=()
        more=()
        ;;
    openmpi)
        "$root/scripts/setup.sh" build test openmpi python
        mpiexec="$root/scripts/mpiexec-openmpi.sh -n"
        packages=(--system-site-packages)
        # Newer ones fail with Debian 12's matplotlib, which is among the system's packages.
        more=("matplotlib-inline<0.2")
        # The notebook calls mpiexec as a user would, also as root and on two processors.
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
        export OMPI_MCA_rmaps_base_oversubscribe=1
        ;;
    *) usage ;;
esac

environment=$root/build/python/$mpi
python=$environment/bin/python
/usr/bin/python3 -m venv --clear "${packages[@]}" "$environment"
echo "test-python: next: the wheel (2 minutes)"
"$python" -m pip install --quiet "$root/python[test]" "${more[@]}" \
    "--config-settings=cmake.define.MPI_C_COMPILER=/usr/bin/mpicc.$mpi" "${settings[@]}"
if [[ $mpi == mpich ]]; then
    # The wheel of mpi4py needs libmpi.so.12; the library of Debian's MPICH has another name.
    echo "test-python: next: mpi4py (2 minutes, unless pip has built it before)"
    MPICC=/usr/bin/mpicc.mpich "$python" -m pip install --quiet --no-binary mpi4py mpi4py
fi

export MPIEXEC=$mpiexec PYTHON=$python OPENBLAS_NUM_THREADS=1
run=("$python" -B "$root/tests/python/run.py")
cd "$environment" # where no folder is called armci
"$python" -m mypy --strict --config-file "$root/python/pyproject.toml" -p armci
"${run[@]}" pytest 1 --doctest-modules --pyargs armci
"${run[@]}" pytest 1 "$root/tests/python"
PYTHON_TEST_SEEDS=200 "${run[@]}" pytest 3 "$root/tests/python"
ARMCI_NODE_SIZE=1 PYTHON_TEST_SEEDS=100 "${run[@]}" pytest 2 "$root/tests/python"
ARMCI_NODE_SIZE=2 PYTHON_TEST_SEEDS=50 "${run[@]}" pytest 4 "$root/tests/python"
"${run[@]}" uncaught 2
for example in matrix_product heat task_counter; do
    "${run[@]}" script 3 "$root/examples/python/$example.py"
done
"$python" -B "$root/tests/python/run_notebook.py" "$root/python/tutorial.ipynb"
if [[ $mpi == openmpi ]]; then
    "$python" -m pip install --quiet --ignore-installed --no-deps mpi4py
    "${run[@]}" pytest 2 "$root/tests/python/test_mpi4py.py"
fi
echo "test-python: everything passed"

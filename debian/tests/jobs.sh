# SPDX-License-Identifier: BSD-3-Clause
# Sourced by the tests: jobs of both MPIs, also as root and with more ranks than processors.

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
mpis='mpich openmpi'
: "${AUTOPKGTEST_TMP:=$(mktemp -d)}"

fail() {
    echo "FAILED: $*"
    exit 1
}

# run_nodes MPI RANKS COMMAND...: on one node, and with a node for each rank
run_nodes() {
    mpi=$1 ranks=$2
    shift 2
    for size in "$ranks" 1; do
        ARMCI_NODE_SIZE=$size timeout 600 "mpiexec.$mpi" -n "$ranks" "$@" ||
            fail "$* with $mpi, $size of $ranks ranks on a node: status $?"
    done
}

# check_needs PROGRAM MPI: its shared libraries are the one for that MPI, and no other ARMCI
check_needs() {
    needed=$(objdump -p "$1" | sed -n 's/^ *NEEDED *\(libarmci.*\)/\1/p')
    [ "$needed" = "libarmci-$2.so.0" ] || fail "$1 needs '$needed', not libarmci-$2.so.0"
}

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds Global Arrays 5.9 and NWChem 7.2 from source against the installed library, runs tests of
# both on one node and on virtual nodes, and compares energies with those that NWChem's sources come
# with. In a chroot with Debian 13, whose archive the sources come from; needs what
# scripts/test-on.sh needs. On two processors it takes 45 minutes the first time, and 20 from
# then on: Global Arrays and NWChem stay as they were built, and run with the library of the day.
#
#   scripts/test-nwchem.sh [--fresh] [--ga DIRECTORY]
#     --fresh    makes the chroot anew
#     --ga       takes Global Arrays from a directory with its sources, for example of its head, in
#                place of Debian's
#
# docs/running.md describes the same steps for users.
set -euo pipefail

usage() {
    sed -n '3,15s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
}

die() {
    echo "test-nwchem: $1" >&2
    exit 1
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# --- On this host ---------------------------------------------------------------------------------

main() {
    local options=() ga='' chroot=$root/build/chroot/nwchem
    while (($# > 0)); do
        case $1 in
            --fresh) options+=(--fresh) ;;
            --ga)
                (($# > 1)) || usage
                ga=$(realpath "$2")
                shift
                ;;
            *) usage ;;
        esac
        shift
    done
    local run=("$root/scripts/test-on.sh" trixie --chroot "$chroot" "${options[@]}" --run)
    if [[ -n $ga ]]; then
        [[ -e $ga/configure.ac ]] ||
            die "$ga has no configure.ac, so it is not the source of Global Arrays"
        "${run[@]}" true # makes the chroot
        rm -rf "$chroot/var/tmp/ga-given"
        cp -r "$ga" "$chroot/var/tmp/ga-given"
        exec "${run[@]}" 'scripts/test-nwchem.sh --here given'
    fi
    exec "${run[@]}" 'scripts/test-nwchem.sh --here debian'
}

# --- In the chroot --------------------------------------------------------------------------------

work=/var/tmp/armci-nwchem
prefix=/opt/armci
export DEBIAN_FRONTEND=noninteractive
# What a Global Arrays and an NWChem with Fortran integers of 8 bytes need to use Debian's linear
# algebra, which has 4.
export BLAS_SIZE=4 SCALAPACK_SIZE=4 USE_64TO32=y USE_SCALAPACK=y
export BLAS_LIB=-lblas LAPACK_LIB=-llapack BLASOPT='-llapack -lblas' SCALAPACK=-lscalapack-mpich
# NWChem takes the MPI of the first mpif90 and mpicc in the PATH.
export PATH=$work/bin:$PATH
export NWCHEM_TARGET=LINUX64 USE_MPI=y FC=gfortran CC=gcc USE_HWOPT=n
nwchem_modules="nwdft driver mp2_grad"
ga_options=(--prefix=/opt/ga "--with-armci=$prefix" --enable-i8 --disable-peigs
    "--with-blas4=$BLAS_LIB" "--with-lapack=$LAPACK_LIB" "--with-scalapack=$SCALAPACK"
    MPICC=mpicc.mpich MPICXX=mpicxx.mpich MPIF77=mpifort.mpich "LDFLAGS=-Wl,-rpath,$prefix/lib")
nwchem_options=(FOPTIMIZE=-O1) # energies are the same, and it takes half the time
# Programs of Global Arrays that check their own results, and take less than a minute. Without
# nbtest, whose ranks check their parts while rank 0 already goes on accumulating to them.
ga_tests=(test testc elempatch ga_shift gatscat ghosts matrixc mulmatpatchc nbtestc ndim ntestc
    ntestfc packc patch patch2 patch_enumc pg2test pgtest read_only simple_groups stride testeig
    testmatmultc testmult testmultrect testsolve unpackc)
# SCF, DFT and MP2: energies, gradients and optimisations of small molecules.
nwchem_tests=(h2o h2o_opt h2o_cg_opt dft_he2+ dft_ozone h2o_diag_to_cg h2mp2 auh2o)

# step NAME MINUTES COMMAND...: its output goes to a file, and what it is at to standard output
step() {
    local name=$1 minutes=$2 log=$work/$1.log started=$SECONDS pid status=0
    shift 2
    printf 'test-nwchem: %-14s about %s min, output in %s\n' "$name" "$minutes" "$log"
    "$@" >"$log" 2>&1 </dev/null &
    pid=$!
    while sleep 60 && kill -0 "$pid" 2>/dev/null; do
        printf 'test-nwchem: %-14s %4d s  %s\n' "$name" $((SECONDS - started)) \
            "$(tail -n 1 "$log" | tr -d '\r' | cut -c 1-70)"
    done &
    wait "$pid" || status=$?
    kill $! 2>/dev/null || true
    if ((status != 0)); then
        tail -n 40 "$log" >&2
        die "$name failed with status $status; all of its output is in $log of the chroot"
    fi
    printf 'test-nwchem: %-14s passed in %d s\n' "$name" $((SECONDS - started))
}

install_tools() {
    if [[ ! -e /etc/apt/sources.list.d/sources.list ]]; then
        sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >/etc/apt/sources.list.d/sources.list
    fi
    apt-get update
    apt-get install --yes --no-install-recommends autoconf automake bzip2 cmake csh dpkg-dev file \
        g++ gfortran libblas-dev libcli11-dev libfabric-dev libhwloc-dev liblapack-dev libmpich-dev \
        libscalapack-mpich-dev libtool m4 make mpich ninja-build nlohmann-json3-dev \
        perl pkgconf python3
}

install_library() {
    mkdir -p "$work/bin"
    ln -sf /usr/bin/mpicc.mpich "$work/bin/mpicc"
    ln -sf /usr/bin/mpifort.mpich "$work/bin/mpif90"
    cmake -S "$root" -B "$work/armci" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        -DCMAKE_UNITY_BUILD=ON -DCMAKE_INSTALL_PREFIX="$prefix" -DARMCI_BUILD_TESTS=OFF \
        -DARMCI_BUILD_EXAMPLES=OFF -DMPI_C_COMPILER=/usr/bin/mpicc.mpich \
        -DMPI_Fortran_COMPILER=/usr/bin/mpifort.mpich
    cmake --build "$work/armci"
    cmake --install "$work/armci"
}

# source_of PACKAGE: the name of the archive with the sources of a Debian package
source_of() {
    apt-get source --print-uris "$1" | awk '$2 ~ /\.orig\.tar\.[a-z0-9]+$/ { print $2 }'
}

# What a build was made of is the last that it writes, so one that was interrupted counts as none.
#   is_built NAME SOURCE OPTION...
#   note_built NAME SOURCE OPTION...
is_built() {
    [[ -e $work/$1.built && $(<"$work/$1.built") == "${*:2}" ]]
}
note_built() {
    echo "${*:2}" >"$work/$1.built"
}

# unpack PACKAGE: the sources of a Debian package without Debian's changes, as $work/PACKAGE
unpack() {
    local uri file sum
    read -r uri file _ sum < <(apt-get source --print-uris "$1" | grep '\.orig\.tar')
    mkdir -p "$work/sources"
    if [[ ! -e $work/sources/$file ]]; then
        /usr/lib/apt/apt-helper download-file "${uri//\'/}" "$work/sources/$file" "$sum"
    fi
    rm -rf "${work:?}/$1"
    mkdir "$work/$1"
    tar -C "$work/$1" --strip-components=1 -xf "$work/sources/$file"
}

# build_ga given|ARCHIVE
build_ga() {
    rm -rf "$work/ga.built" "$work/nwchem.built" /opt/ga # NWChem has the library in it
    if [[ $1 == given ]]; then
        rm -rf "$work/ga"
        mv /var/tmp/ga-given "$work/ga"
    else
        unpack ga
    fi
    cd "$work/ga"
    autoreconf --force --install
    mkdir build-armci
    cd build-armci
    ../configure "${ga_options[@]}"
    make -j "$(nproc)"
    make install
    local programs=("${ga_tests[@]/#/global/testing/}")
    make -j "$(nproc)" "${programs[@]/%/.x}"
    note_built ga "$1" "${ga_options[@]}"
}

# build_nwchem ARCHIVE
build_nwchem() {
    rm -f "$work/nwchem.built"
    unpack nwchem
    export NWCHEM_TOP=$work/nwchem EXTERNAL_GA_PATH=/opt/ga NWCHEM_MODULES=$nwchem_modules
    # Its link command names neither the folder of Global Arrays nor a run path.
    export LIBRARY_PATH=/opt/ga/lib:$prefix/lib LD_RUN_PATH=$prefix/lib
    cd "$NWCHEM_TOP/src"
    make nwchem_config
    make -j "$(nproc)" "${nwchem_options[@]}"
    [[ -x $NWCHEM_TOP/bin/$NWCHEM_TARGET/nwchem ]]
    note_built nwchem "$1" "$nwchem_modules" "${nwchem_options[@]}"
}

test_ga() {
    local program size failed=() output=$work/ga-test.out
    cd "$work/ga/build-armci/global/testing"
    for program in "${ga_tests[@]}"; do
        for size in 4 1; do
            echo "== $program, $size of 4 ranks on a node"
            if ! ARMCI_NODE_SIZE=$size timeout 1800 mpiexec.mpich -n 4 "./$program.x" \
                >"$output" 2>&1 ||
                grep -E 'Error found|ERROR|FAILED|[Mm]ismatch' "$output"; then
                failed+=("$program, $size of 4 ranks on a node")
            fi
            cat "$output"
        done
    done
    if ((${#failed[@]} > 0)); then
        printf 'failed: %s\n' "${failed[@]}"
        return 1
    fi
}

# test_nwchem SIZE: NWChem's own comparison of its results with the ones in its sources
test_nwchem() {
    export NWCHEM_TOP=$work/nwchem MPIRUN_PATH=/usr/bin/mpiexec.mpich ARMCI_NODE_SIZE=$1
    export NWCHEM_EXECUTABLE=$NWCHEM_TOP/bin/$NWCHEM_TARGET/nwchem
    export NWCHEM_BASIS_LIBRARY=$NWCHEM_TOP/src/basis/libraries/
    cd "$NWCHEM_TOP/QA"
    ./runtests.mpi.unix procs 2 "${nwchem_tests[@]}"
}

here() {
    local ga=$1 nwchem
    [[ -e /etc/made-by-test-on ]] ||
        die "--here installs packages: only in a chroot of scripts/test-on.sh"
    mkdir -p "$work"
    step tools 3 install_tools
    step library 3 install_library
    nwchem=$(source_of nwchem)
    if [[ $ga == debian ]]; then ga=$(source_of ga); fi
    if [[ $ga == given ]] || ! is_built ga "$ga" "${ga_options[@]}"; then
        step ga 8 build_ga "$ga"
    fi
    step ga-tests 10 test_ga
    if ! is_built nwchem "$nwchem" "$nwchem_modules" "${nwchem_options[@]}"; then
        step nwchem 10 build_nwchem "$nwchem"
    fi
    step nwchem-node 5 test_nwchem 2
    step nwchem-nodes 10 test_nwchem 1
    echo "test-nwchem: passed with $ga and $nwchem"
}

case ${1:-} in
    --here)
        (($# == 2)) || usage
        here "$2"
        ;;
    *) main "$@" ;;
esac

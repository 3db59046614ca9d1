#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds what the studies need and runs them. See README.md here.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
build=
options=()
measures=yes
asks=no # whether something is only printed, which needs no build
smoke=no
named=no        # whether studies are named; otherwise it is all of them
names_others=no # whether one of these has other libraries, too
peers=()        # NAME=FOLDER: where Global Arrays, with that variant of ComEx, is installed
while (($# > 0)); do
    case $1 in
        --build)
            (($# > 1)) || { echo "run.sh: --build needs a folder" >&2; exit 2; }
            build=$2
            shift
            ;;
        --peer)
            (($# > 1)) || { echo "run.sh: --peer needs NAME=FOLDER or NAME=PROGRAM" >&2; exit 2; }
            if [[ -d ${2#*=} ]]; then
                peers+=("$2")
            else
                options+=(--peer "$2")
            fi
            shift
            ;;
        --output)
            (($# > 1)) || { echo "run.sh: --output needs a folder" >&2; exit 2; }
            options+=(--output "$2")
            shift
            ;;
        *)
            options+=("$1")
            case $1 in
                -h | --help | --list) asks=yes measures=no ;;
                --report) measures=no ;;
                --smoke) smoke=yes ;;
                peers* | nemesis*) named=yes names_others=yes ;;
                -*) ;;
                *) named=yes ;;
            esac
            ;;
    esac
    shift
done

# build_peer NAME TITLE INCLUDE LIBRARIES: armci-bench for another library, and small_operations if
# valgrind's headers are there
build_peer() {
    local folder=$root/build/peers/$1 library link=()
    echo "studies: builds armci-bench for $2 (log: $folder.log)"
    mkdir -p "$root/build/peers"
    if ! { cmake -S "$root/tools/armci-bench" -B "$folder" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        "-DARMCI_BENCH_LIBRARY_NAME=$2" "-DARMCI_BENCH_INCLUDE_DIR=$3" "-DARMCI_BENCH_LIBRARIES=$4" \
        -DARMCI_BENCH_RAW=OFF && cmake --build "$folder" --target armci-bench --parallel; } \
        >"$folder.log" 2>&1; then
        tail -n 20 "$folder.log" >&2
        exit 1
    fi
    for library in ${4//;/ }; do
        if [[ $library == [/-]* ]]; then link+=("$library"); else link+=("-l$library"); fi
    done
    if [[ -e /usr/include/valgrind/callgrind.h ]] && ! "${MPICC:-mpicc}" -O2 -g ${3:+"-I$3"} \
        "$here/instructions/operations.c" -o "$folder/small_operations" "${link[@]}" >>"$folder.log" 2>&1; then
        tail -n 20 "$folder.log" >&2
        exit 1
    fi
    options+=(--peer "$1=$folder/armci-bench")
}

if [[ -z $build ]]; then
    build=$root/build/release
    if [[ $asks == no ]]; then
        echo "studies: builds $build; some minutes if it is empty"
        "$root/scripts/build.sh" release -DARMCI_BUILD_TESTS=ON -DARMCI_BUILD_TOOLS=ON \
            -DARMCI_BUILD_EXAMPLES=ON -DARMCI_BUILD_BENCHMARKS=ON --target studies
    fi
fi
# Debian's matplotlib belongs to Debian's interpreter, which need not be the first one.
python=python3
if ! python3 -c 'import matplotlib' 2>/dev/null && /usr/bin/python3 -c 'import matplotlib' 2>/dev/null; then
    python=/usr/bin/python3
fi
for peer in ${peers[@]+"${peers[@]}"}; do
    name=${peer%%=*} prefix=${peer#*=}
    build_peer "$name" "ComEx ${name^^}" "$prefix/include/ga" \
        "$prefix/lib/libarmci.a;$prefix/lib/libcomex.a;blas;m"
done
if [[ $named == no && $smoke == no ]]; then
    names_others=yes
fi
if [[ $measures == yes && $names_others == yes && " ${options[*]-} " != *" mpi="* ]] &&
    version=$(dpkg-query -W -f '${Version}' libarmci-mpi-dev 2>/dev/null); then
    build_peer mpi "ARMCI-MPI $version" "" -larmci-mpich
fi
exec "$python" -B "$here/run_studies.py" --build "$build" ${options[@]+"${options[@]}"}

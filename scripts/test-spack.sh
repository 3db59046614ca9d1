#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs the commit that is checked out by the recipe in packaging/spack, with what the system has
# (MPICH, libfabric, hwloc, compilers), and runs the recipe's test. Needs Spack 1.0 or newer. Nothing
# of the user's Spack is changed. On two processors it takes 5 minutes.
#
#   scripts/test-spack.sh [--spack DIR] [--packages DIR] [SPEC...]
#     --spack DIR       Spack's directory; default: the spack in PATH
#     --packages DIR    a clone of spack-packages; otherwise Spack clones it
#     SPEC              what is installed, each by itself; default: "armci-ofi" and
#                       "armci-ofi ~fortran ~tools"
set -euo pipefail

usage() {
    sed -n '3,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
}

die() {
    echo "test-spack: $1" >&2
    exit 1
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$root/build/spack
spack=spack
packages=''
specs=()
while (($# > 0)); do
    case $1 in
        --spack | --packages)
            (($# > 1)) || usage
            [[ -d $2 ]] || die "$1 $2: no such directory"
            if [[ $1 == --spack ]]; then
                spack=$2/bin/spack
            else
                packages=$(realpath "$2")
            fi
            shift
            ;;
        -h | --help)
            sed -n '3,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
            exit 0
            ;;
        -*) usage ;;
        *) specs+=("$1") ;;
    esac
    shift
done
((${#specs[@]} > 0)) || specs=(armci-ofi "armci-ofi ~fortran ~tools")
type -P "$spack" >/dev/null || die "needs Spack: --spack DIR, or spack in PATH"

"$root/scripts/setup.sh" build test
[[ $(mpicc -show) == *mpich* ]] || die "needs MPICH's mpicc (update-alternatives --config mpi)"

# external NAME VERSION [MORE]: a package that the system has
external() {
    [[ $2 == [0-9]* ]] || die "the system does not say which version of $1 it has"
    printf '  %s:\n    externals:\n    - spec: %s@%s\n      prefix: /usr\n' "$1" "$1" "$2${3:-}"
}

# The environment has the settings, so that those of the user stay as they are.
write_environment() {
    cat <<END
spack:
  specs: []
  view: false
  config:
    install_tree: {root: $work/installed}
    build_stage: [$work/stage]
    test_stage: $work/test
    build_jobs: $(nproc)
  repos:
    armci: $work/source/packaging/spack/spack_repo/armci
END
    [[ -z $packages ]] || echo "    builtin: $packages/repos/spack_repo/builtin"
    cat <<END
  packages:
    all:
      buildable: false
      providers: {mpi: [mpich]}
    armci-ofi: {buildable: true}
    gcc-runtime: {buildable: true}
    compiler-wrapper: {buildable: true}
END
    {
        external gcc "$(gcc -dumpfullversion)" " languages='c,c++,fortran'"
        echo '      extra_attributes:'
        echo '        compilers: {c: /usr/bin/gcc, cxx: /usr/bin/g++, fortran: /usr/bin/gfortran}'
        external cmake "$(cmake --version | awk 'NR == 1 { print $3 }')"
        external ninja "$(ninja --version)"
        external pkgconf "$(pkg-config --version)"
        external python "$(/usr/bin/python3 -c 'import platform; print(platform.python_version())')"
        external mpich "$(pkg-config --modversion mpich)"
        external libfabric "$(pkg-config --modversion libfabric)"
        external hwloc "$(pkg-config --modversion hwloc)"
        external cli11 "$(pkg-config --modversion CLI11)"
        external nlohmann-json "$(pkg-config --modversion nlohmann_json)"
    } | sed 's/^/  /'
}

# The recipe takes its sources from branch main of the repository that it is in.
rm -rf "$work"
mkdir -p "$work/environment"
git clone --quiet --no-local "$root" "$work/source"
git -C "$work/source" checkout --quiet -B main "$(git -C "$root" rev-parse HEAD)"
write_environment >"$work/environment/spack.yaml"

in_environment() {
    SPACK_DISABLE_LOCAL_CONFIG=1 SPACK_USER_CACHE_PATH=$work/cache "$spack" -e "$work/environment" "$@"
}

echo "test-spack: $("$spack" --version), output in $work/log"
for spec in "${specs[@]}"; do
    echo "test-spack: $spec (2 minutes)"
    {
        in_environment add "$spec" && in_environment concretize --force &&
            in_environment install && in_environment test run --fail-fast armci-ofi &&
            in_environment remove armci-ofi
    } >>"$work/log" 2>&1 || {
        tail -n 40 "$work/log" >&2
        die "$spec failed; all of its output is in $work/log"
    }
done
echo "test-spack: passed"

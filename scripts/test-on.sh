#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds and tests the working tree on another release of Debian, in a chroot. Needs root,
# debootstrap, git and a Debian mirror.
#
#   scripts/test-on.sh newest [FILTER]
#     On this host, with the newest libfabric and MPICH that are there as binaries (the PyPI package
#     mpich). Runs the programs of build/release unchanged, and a build of its own, in build/newest.
#     FILTER is for the tests of the latter (as ctest -R); default ^(unit|sim)
#
#   scripts/test-on.sh abi
#     On this host, a build for the standard binary interface of MPI 5 (scripts/build.sh --mpi abi)
#     with the same package: programs of several ranks, and programs with the library of another
#     MPI.
#
#   scripts/test-on.sh SUITE [--chroot DIR] [--mirror URL] [--fresh] [--run COMMAND | OPTION...]
#     SUITE             bookworm, trixie, …
#     --chroot DIR      where the chroot is, or will be made; default build/chroot/SUITE
#     --mirror URL      where its packages come from; default the first in this host's apt sources
#     --fresh           makes it anew. Otherwise it stays for the next run, with what was built.
#     --run COMMAND     runs a shell command in the tree's copy instead of the tests, as "bash -i"
#     OPTION...         of scripts/test.sh, which runs in it: --quick, --filter REGEX, …
#
# Its mounts and processes live in namespaces of their own and end with the script, whatever ends
# it. Of the environment it takes TERM, proxies, and what pip and certificates need.
set -euo pipefail

usage() {
    sed -n '3,23s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
}

die() {
    echo "test-on: $1" >&2
    exit 1
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# In the chroot: where the tree's copy is, and a file that says who has made the chroot.
tree=/usr/src/armci-ofi
marker=etc/made-by-test-on

# inside COMMAND...: the part that runs in the namespaces. Replaces itself by the command in
# $chroot.
inside() {
    local device name keep=()
    mount --bind "$chroot" "$chroot" # a root that is a mount, so that tests can have mounts of their own
    mount -t proc proc "$chroot/proc"
    mount --rbind /sys "$chroot/sys"
    mount -t tmpfs -o mode=755 dev "$chroot/dev"
    mkdir "$chroot/dev/shm" "$chroot/dev/pts"
    mount -t tmpfs -o mode=1777 shm "$chroot/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=666 devpts "$chroot/dev/pts"
    ln -s pts/ptmx "$chroot/dev/ptmx"
    ln -s /proc/self/fd "$chroot/dev/fd"
    ln -s fd/0 "$chroot/dev/stdin"
    ln -s fd/1 "$chroot/dev/stdout"
    ln -s fd/2 "$chroot/dev/stderr"
    for device in null zero full random urandom tty; do
        : >"$chroot/dev/$device"
        mount --bind "/dev/$device" "$chroot/dev/$device"
    done
    # Settings of this host's compilers and libraries are not for the other release.
    while IFS= read -r name; do
        case $name in
            TERM | *_proxy | *_PROXY | PIP_* | SSL_CERT_*) keep+=("$name=${!name}") ;;
        esac
    done < <(compgen -e)
    # shellcheck disable=SC2016 # the inner bash expands it
    exec env --ignore-environment "${keep[@]}" HOME=/root LC_ALL=C.UTF-8 \
        PATH=/usr/sbin:/usr/bin:/sbin:/bin \
        chroot "$chroot" bash -c 'cd "$1" && shift && exec "$@"' bash "$tree" "$@"
}

# The first Debian archive that this host's apt uses.
host_mirror() {
    # shellcheck disable=SC2016 # these are apt's
    apt-get indextargets --format '$(LABEL) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
        awk '$1 == "Debian" && $2 == "main" && !found++ { print $3 }'
}

# The proxies of this host's apt, for debootstrap and as a file for the chroot's apt.
apt_settings() {
    apt-config dump | grep -E '^Acquire::(https?::Proxy|Check-)' || true
}

# What is replaced or written into must be this script's own.
check_is_own() {
    [[ ! -e $1 || -e $1/$marker ]] ||
        die "$1 exists, but is no chroot that this script has made: remove it, or name another by --chroot"
}

make_chroot() {
    local proxy='' mirror=${mirror:-$(host_mirror)}
    [[ -n $mirror ]] || die "no Debian archive among this host's apt sources; name one by --mirror"
    eval "$(apt-config shell proxy Acquire::http::Proxy)"
    if [[ -n $proxy && $proxy != DIRECT ]]; then
        export http_proxy=${http_proxy:-$proxy}
    fi
    echo "test-on: making $chroot"
    check_is_own "$chroot.new"
    rm -rf --one-file-system "$chroot.new"
    mkdir -p "$chroot.new/${marker%/*}"
    : >"$chroot.new/$marker"
    if ! debootstrap --variant=minbase --include=ca-certificates "$suite" "$chroot.new" "$mirror" \
        >"$chroot.log" 2>&1 </dev/null; then
        tail -n 20 "$chroot.log" >&2
        die "debootstrap failed; all of its output is in $chroot.log"
    fi
    apt_settings >"$chroot.new/etc/apt/apt.conf.d/00host"
    rm -rf --one-file-system "$chroot"
    mv "$chroot.new" "$chroot"
}

# The tracked files as they are in the working tree. What was built stays: their times are kept.
copy_tree() {
    mkdir -p "$chroot$tree"
    find "$chroot$tree" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
    git -C "$root" ls-files -z | # but those deleted and not yet committed
        while IFS= read -r -d '' file; do
            if [[ -e $root/$file ]]; then printf '%s\0' "$file"; fi
        done |
        tar -C "$root" --null --files-from=- -cf - | tar -C "$chroot$tree" --no-same-owner -xf -
}

# --- The newest MPICH and libfabric ---------------------------------------------------------------

# The package brings no headers of libfabric, so both builds use the system's. Nor does it bring MPI
# for Fortran.
newest_package=mpich==5.0.2

# get_newest DIRECTORY: unpacks the package
get_newest() {
    local work=$1.new
    rm -rf "$work"
    mkdir -p "$work"
    python3 -m pip download --quiet --no-deps --dest "$work" "$newest_package" ||
        die "pip cannot download $newest_package"
    python3 -m zipfile -e "$work"/*.whl "$work"
    mv "$work"/*.data/data/* "$work"
    rm -rf "$work"/*.whl "$work"/*.data "$work"/*.dist-info
    chmod +x "$work"/bin/*
    # What programs that were linked with Debian's MPICH ask for. Its binary interface is the same.
    ln -s libmpi.so.12 "$work/lib/libmpich.so.12"
    # Its MPI does not link with an older libfabric.
    ln -s libfabric.so.1 "$work/lib/mpich/libfabric.so"
    mkdir "$work/lib/pkgconfig"
    printf '%s\n' 'Name: libfabric' 'Description: libfabric of the package' 'Version: 2.5.1' \
        "Libs: -L$1/lib/mpich -lfabric" >"$work/lib/pkgconfig/libfabric.pc"
    rm -rf "$1"
    mv "$work" "$1"
}

# test_newest [FILTER]: ends the script
test_newest() {
    local filter=${1:-'^(unit|sim)'} package=$root/build/newest/${newest_package//=/-} failed=0
    local build=$root/build/newest/release programs=(mp_transfer mp_sync mp_world armci_unit_tests)
    local program
    [[ -e $package ]] || get_newest "$package"
    for program in "${programs[@]}"; do
        "$root/scripts/build.sh" release -DARMCI_BUILD_TESTS=ON --target "$program"
    done
    export LD_LIBRARY_PATH=$package/lib:$package/lib/mpich
    echo "test-on: newest, programs of build/release unchanged"
    python3 -B "$root/tests/matrix/matrix.py" run "$root/build/release" \
        --mpiexec "$package/bin/mpiexec" --binaries "libfabric 1.17, MPICH 4" --update || failed=1
    ctest --test-dir "$root/build/release" --output-on-failure --parallel "$(nproc)" -R '^unit\.' ||
        failed=1
    echo "test-on: newest, a build with it in $build"
    (cd "$root" && PKG_CONFIG_PATH=$package/lib/pkgconfig cmake --preset release -B "$build" --log-level=WARNING --no-warn-unused-cli \
        -DARMCI_BUILD_TESTS=ON -DARMCI_BUILD_FORTRAN=OFF -DMPI_C_COMPILER="$package/bin/mpicc" \
        -DMPIEXEC_EXECUTABLE="$package/bin/mpiexec" >/dev/null)
    cmake --build "$build" --parallel "$(nproc)" --target "${programs[@]}" armci_sim armci_scale
    python3 -B "$root/tests/matrix/matrix.py" run "$build" --mpiexec "$package/bin/mpiexec" --update ||
        failed=1
    ctest --test-dir "$build" --output-on-failure --parallel "$(nproc)" -R "$filter" || failed=1
    exit "$failed"
}

# --- The standard binary interface of MPI 5 -------------------------------------------------------

# expect_refusal WORDS COMMAND...: a program that has found the library of another MPI ends and says
# so
expect_refusal() {
    local words=$1 output
    shift
    if output=$("$@" 2>&1) || ! grep -qF "$words" <<<"$output"; then
        printf 'test-on: instead of "%s": %s\n' "$words" "$output" >&2
        return 1
    fi
}

# test_abi: ends the script
test_abi() {
    local package=$root/build/newest/${newest_package//=/-} failed=0
    local build=$root/build/release-abi
    local programs=(mp_transfer mp_sync mp_world first_put halo2d block_matmul)
    local file program needed
    [[ -e $package ]] || get_newest "$package"
    "$root/scripts/build.sh" release --target armci_shared
    export PATH=$package/bin:$PATH LD_LIBRARY_PATH=$package/lib:$package/lib/mpich
    export PKG_CONFIG_PATH=$package/lib/pkgconfig
    for program in "${programs[@]}"; do
        "$root/scripts/build.sh" release --mpi abi -DARMCI_BUILD_TESTS=ON -DARMCI_BUILD_EXAMPLES=ON \
            --target "$program"
    done
    for file in "$build/src/libarmci.so" "$build/examples/first_put"; do
        needed=$(objdump -p "$file" | awk '$1 == "NEEDED" && $2 ~ /^libmpi/ { print $2 }')
        if [[ $needed != libmpi_abi.so.1 ]]; then
            echo "test-on: $file needs '$needed', not libmpi_abi.so.1" >&2
            failed=1
        fi
    done
    python3 -B "$root/tests/matrix/matrix.py" run "$build" --mpiexec "$package/bin/mpiexec" \
        --binaries "the standard interface of MPI 5" --update || failed=1
    ctest --test-dir "$build" --output-on-failure --parallel "$(nproc)" -R '^example' || failed=1
    echo "test-on: abi, programs with the library of another MPI"
    "$package/bin/mpicc" -I"$root/include" "$root/examples/first_put.c" -L"$build/src" -larmci \
        -o "$build/first_put_mpich"
    LD_LIBRARY_PATH=$build/src:$LD_LIBRARY_PATH expect_refusal "link it with libarmci-mpich" \
        "$package/bin/mpiexec" -n 1 "$build/first_put_mpich" || failed=1
    "$package/bin/mpicc_abi" -I"$root/include" "$root/examples/first_put.c" -o "$build/first_put_abi" \
        -L"$root/build/release/src" -larmci -Wl,--allow-shlib-undefined
    LD_LIBRARY_PATH=$root/build/release/src:$LD_LIBRARY_PATH expect_refusal "link it with libarmci-abi" \
        "$package/bin/mpiexec" -n 1 "$build/first_put_abi" || failed=1
    exit "$failed"
}

if [[ ${1:-} == newest ]]; then
    shift
    test_newest "$@"
fi
if [[ ${1:-} == abi ]]; then
    test_abi
fi

if [[ ${1:-} == --inside ]]; then # of this script, see below
    chroot=$2
    shift 2
    inside "$@"
fi

suite=${1:-}
[[ $suite =~ ^[a-z]+$ ]] || usage
shift
chroot=$root/build/chroot/$suite
mirror=
fresh=no
command=()
options=()
while (($# > 0)); do
    case $1 in
        --chroot | --mirror | --run)
            (($# > 1)) || usage
            case $1 in
                --chroot) chroot=$(realpath -m "$2") ;;
                --mirror) mirror=$2 ;;
                --run) command=(bash -c "$2") ;;
            esac
            shift
            ;;
        --fresh) fresh=yes ;;
        *) options+=("$1") ;;
    esac
    shift
done
if ((${#command[@]} == 0)); then
    command=(scripts/test.sh "${options[@]}")
elif ((${#options[@]} > 0)); then
    usage
fi

((EUID == 0)) || die "needs root, for chroot and mount"
for program in debootstrap git; do
    command -v "$program" >/dev/null || die "needs $program (apt-get install $program)"
done
git -C "$root" rev-parse --git-dir >/dev/null || die "copies what git tracks, but $root is no git tree"

mkdir -p "$(dirname "$chroot")"
exec {lock}>"$chroot.lock"
flock --nonblock "$lock" || die "another run uses $chroot"
check_is_own "$chroot"
if [[ $fresh == yes || ! -e $chroot ]]; then
    make_chroot
fi
for file in resolv.conf hosts; do
    if [[ -e /etc/$file ]]; then cp /etc/$file "$chroot/etc/$file"; fi
done
copy_tree
echo "test-on: $suite ($(<"$chroot/etc/debian_version")) in $chroot"
unshare --mount --pid --fork --kill-child "${BASH_SOURCE[0]}" --inside "$chroot" "${command[@]}"

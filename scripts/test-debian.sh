#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the Debian packages of debian/, and those of cpack and packaging/rpm, on releases of
# Debian, each in a chroot of its own, and tests what they install. Needs what scripts/test-on.sh
# needs. On two processors a release takes 25 minutes, the first time also five for its chroot.
#
#   scripts/test-debian.sh [--fresh] [SUITE...]     default: bookworm trixie
#     --fresh    makes the chroots anew
#
# Steps: the source package, the packages (with their build-time tests), lintian, autopkgtest,
# cpack, rpmbuild. The packages are then in build/chroot/packages-SUITE/var/tmp/armci-packages.
set -euo pipefail

usage() {
    sed -n '3,12s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
}

die() {
    echo "test-debian: $1" >&2
    exit 1
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# --- On this host ---------------------------------------------------------------------------------

main() {
    local options=() suites=() suite failed=()
    while (($# > 0)); do
        case $1 in
            --fresh) options+=(--fresh) ;;
            -*) usage ;;
            *) suites+=("$1") ;;
        esac
        shift
    done
    if ((${#suites[@]} == 0)); then suites=(bookworm trixie); fi
    for suite in "${suites[@]}"; do
        # Not the chroot of the other tests: what is installed in it is what programs find.
        "$root/scripts/test-on.sh" "$suite" --chroot "$root/build/chroot/packages-$suite" \
            "${options[@]}" --run 'scripts/test-debian.sh --here' || failed+=("$suite")
    done
    if ((${#failed[@]} > 0)); then
        die "failed on: ${failed[*]}"
    fi
    echo "test-debian: passed on ${suites[*]}"
}

# --- In the chroot --------------------------------------------------------------------------------

work=/var/tmp/armci-packages
prefix=/opt/armci
export DEBIAN_FRONTEND=noninteractive

# step NAME MINUTES COMMAND...: its output goes to a file, and what it is at to standard output
step() {
    local name=$1 minutes=$2 log=$work/$1.log started=$SECONDS pid status=0
    shift 2
    printf 'test-debian: %-12s about %s min, output in %s\n' "$name" "$minutes" "$log"
    "$@" >"$log" 2>&1 </dev/null &
    pid=$!
    while sleep 30 && kill -0 "$pid" 2>/dev/null; do
        printf 'test-debian: %-12s %4d s  %s\n' "$name" $((SECONDS - started)) \
            "$(tail -n 1 "$log" | tr -d '\r' | cut -c 1-70)"
    done &
    wait "$pid" || status=$?
    kill $! 2>/dev/null || true
    if ((status != 0)); then
        tail -n 40 "$log" >&2
        die "$name failed with status $status; all of its output is in $log of the chroot"
    fi
    printf 'test-debian: %-12s passed in %d s\n' "$name" $((SECONDS - started))
}

install_tools() {
    apt-get update
    apt-get install --yes --no-install-recommends \
        autopkgtest build-essential fakeroot file lintian rpm rpmlint
    apt-get build-dep --yes --no-install-recommends "$root"
}

# The source package: an archive of the sources as a release has them, and debian/.
make_source() {
    version=$(dpkg-parsechangelog -l "$root/debian/changelog" -S Version)
    source=$work/armci-ofi-${version%-*}
    mkdir "$source"
    tar -C "$root" --exclude=./build -cf - . | tar -C "$source" -xf -
    tar -C "$work" --exclude="armci-ofi-${version%-*}/debian" -cJf \
        "$work/armci-ofi_${version%-*}.orig.tar.xz" "armci-ofi-${version%-*}"
}

build_packages() {
    cd "$work"/armci-ofi-*/
    dpkg-buildpackage --unsigned-source --unsigned-changes --build=full
}

# Older releases do not know the newest version of the policy.
# Bytes of code look like misspelt words to lintian.
run_lintian() {
    lintian --allow-root --suppress-tags newer-standards-version,spelling-error-in-binary \
        --pedantic --info --display-info \
        --fail-on error,warning,info,pedantic "$work"/*.changes
}

run_autopkgtest() {
    autopkgtest --output-dir "$work/autopkgtest" "$work"/*.deb "$work"/*.dsc -- null
}

# check_program: what is installed below $prefix builds and runs a program
check_program() {
    # shellcheck disable=SC2046 # words of a command line
    PKG_CONFIG_PATH=$prefix/lib/pkgconfig sh -c 'mpicc.mpich "$1" \
        $(pkg-config --cflags --libs armci) -Wl,-rpath,"$2/lib" -o "$3"' sh \
        "$root/examples/first_put.c" "$prefix" "$work/first_put"
    mpiexec.mpich -n 3 "$work/first_put"
    mpiexec.mpich -n 2 "$prefix/bin/armci-info"
}

# The packages of cpack: each is installed, used and removed. The program rpm of Debian asks for
# nothing, because Debian's packages are not in its data base.
run_cpack() {
    local build=$work/cpack
    cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_UNITY_BUILD=ON \
        -DCMAKE_INSTALL_PREFIX="$prefix" -DARMCI_BUILD_TESTS=OFF -DARMCI_BUILD_EXAMPLES=OFF \
        -DMPI_C_COMPILER=/usr/bin/mpicc.mpich -DMPI_Fortran_COMPILER=/usr/bin/mpifort.mpich
    cmake --build "$build"
    (cd "$build" && cpack -G 'TGZ;DEB;RPM')
    ls -l "$build"/packages/*.*

    local depends package
    depends=$(dpkg --field "$build"/packages/*.deb Depends)
    for package in libfabric-dev libhwloc-dev python3 libfabric1; do
        grep -qE "(^|, )$package($|[ ,])" <<<"$depends" ||
            die "the package of cpack does not depend on $package, only on $depends"
    done
    dpkg --install "$build"/packages/*.deb
    check_program
    dpkg --remove armci-ofi-mpich
    [[ ! -e $prefix ]] || die "$prefix is still there"

    rpm --install --nodeps "$build"/packages/*.rpm
    check_program
    rpm --erase armci-ofi-mpich
    [[ ! -e $prefix ]] || die "$prefix is still there"

    mkdir "$prefix"
    tar -C "$prefix" --strip-components=1 -xf "$build"/packages/*.tar.gz
    check_program
    rm -r "$prefix"
}

# The spec file, whose packages are for Fedora, with Debian's compilers and libraries.
run_rpmbuild() {
    local top=$work/rpm version mpi program options
    version=$(dpkg-parsechangelog -l "$root/debian/changelog" -S Version)
    version=${version%-*}
    for mpi in mpich openmpi; do
        mkdir -p "$top/bin/$mpi"
        for program in mpicc mpifort mpiexec; do
            # No links: Hydra looks for its proxy beside the name by which it was called.
            printf '#!/bin/sh\nexec /usr/bin/%s.%s "$@"\n' "$program" "$mpi" >"$top/bin/$mpi/$program"
            chmod +x "$top/bin/$mpi/$program"
        done
    done
    mkdir -p "$top/SOURCES"
    tar -C "$work" --exclude="armci-ofi-$version/debian" --transform 's/^\.\///' -czf \
        "$top/SOURCES/armci-ofi-$version.tar.gz" "armci-ofi-$version"
    options=(--load "$root/packaging/rpm/macros.debian" --define "_topdir $top"
        --define "armci_mpi_bin $top/bin")
    rpmspec "${options[@]}" --parse "$root/packaging/rpm/armci-ofi.spec"
    rpmbuild "${options[@]}" --nodeps -bb "$root/packaging/rpm/armci-ofi.spec"
    find "$top/RPMS" -name '*.rpm' -exec sh -c 'echo "$1" && rpm -qpl "$1"' sh {} \;
    rpmlint --config "$root/packaging/rpm/rpmlint.toml" "$root/packaging/rpm/armci-ofi.spec" \
        "$top"/RPMS/*/*.rpm
}

here() {
    [[ -e /etc/made-by-test-on ]] ||
        die "--here installs packages: only in a chroot of scripts/test-on.sh"
    rm -rf "$work"
    mkdir -p "$work"
    step tools 4 install_tools
    step source 1 make_source
    step packages 8 build_packages
    step lintian 1 run_lintian
    step autopkgtest 6 run_autopkgtest
    step cpack 4 run_cpack
    step rpmbuild 4 run_rpmbuild
    ls -l "$work"/*.deb
}

case ${1:-} in
    --here) here ;;
    *)
        main "$@"
        exit # without reading on, in a file that may have changed
        ;;
esac

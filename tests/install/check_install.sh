#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs the library into a temporary prefix and builds and runs programs against it as users do.
# usage: check_install.sh STEP
# STEP is prepare, one of the ways to build below, or clean. From the environment:
#   WORK BUILD_DIR SOURCE_DIR LIBDIR DOCDIR VERSION CMAKE CC FC MPI MPICC MPIFORT MPIEXEC READELF
#   FORTRAN_MODULE (1 if it was built)
set -eu
unset DESTDIR

prefix=$WORK/prefix
# The same, moved elsewhere and without the shared library: what -larmci finds there is libarmci.a.
static_prefix=$WORK/static
consumer=$(cd "$(dirname "$0")" && pwd)/consumer

fail() {
    echo "FAILED: $*"
    exit 1
}

# usage: run_program PROGRAM [ENVIRONMENT_SETTING...]
run_program() {
    program=$1
    shift
    env "$@" timeout 1200 "$MPIEXEC" -n 2 "$program"
}

# usage: check_linkage PROGRAM shared|static
check_linkage() {
    if "$READELF" -d "$1" | grep -q 'NEEDED.*\[libarmci\.so'; then
        found=shared
    else
        found=static
    fi
    [ "$found" = "$2" ] || fail "$1 is linked with the $found library, not the $2 one"
}

# usage: check_folders PREFIX FLAGS
# The flags name the library directory of the prefix, and of the others none where linkers look anyway.
check_folders() {
    folders=
    for flag in $2; do
        case $flag in
        -L*) folders="$folders $(realpath -m "${flag#-L}")" ;;
        esac
    done
    case " $folders " in
    *" $1/$LIBDIR "*) ;;
    *) fail "armci.pc does not name $1/$LIBDIR: $2" ;;
    esac
    for folder in $folders; do
        case $folder in
        /lib | /lib/* | /usr/lib | /usr/lib/*) fail "armci.pc names $folder: $2" ;;
        esac
    done
}

prepare() {
    rm -rf "$WORK"
    mkdir -p "$WORK"
    "$CMAKE" --install "$BUILD_DIR" --prefix "$prefix" >"$WORK/install.log"

    for file in "$LIBDIR/libarmci.so" "$LIBDIR/libarmci.a" "$LIBDIR/libarmci-$MPI.so" \
        "$LIBDIR/libarmci-$MPI.a" "$LIBDIR/pkgconfig/armci.pc" \
        "$LIBDIR/cmake/armci/armci-config.cmake" \
        "$LIBDIR/cmake/armci/armci-config-version.cmake" \
        include/armci.h include/armcix.h include/message.h include/mp3.h \
        include/armci/armci.h include/armci/armcix.h include/armci/message.h \
        "$DOCDIR/README.md" "$DOCDIR/SECURITY.md" "$DOCDIR/CONTRIBUTING.md" \
        "$DOCDIR/LICENSE" "$DOCDIR/docs/checking.md" \
        share/armci/armci_plot/drawing.py share/bash-completion/completions/armci-bench \
        "$DOCDIR/examples/first_put.c"; do
        [ -s "$prefix/$file" ] || fail "$file is not installed"
    done
    if command -v pandoc >/dev/null; then
        for page in man7/armci.7 man1/armci-info.1 man1/armci-bench.1 man1/armci-trace.1 man1/armci-tune.1 man1/armci-plot.1; do
            [ -s "$prefix/share/man/$page" ] || fail "$page is not installed"
        done
    fi
    [ "$(readlink "$prefix/$LIBDIR/libarmci-$MPI.so")" = libarmci.so ] || fail "wrong alias"
    "$READELF" -d "$prefix/$LIBDIR/libarmci.so" >"$WORK/dynamic"
    grep -q 'SONAME.*\[libarmci\.so\.0\]' "$WORK/dynamic" || fail "wrong soname"
    grep -q 'NEEDED.*\[libfabric\.so' "$WORK/dynamic" || fail "libarmci.so does not bring libfabric"
    if grep -qE 'R(UN)?PATH' "$WORK/dynamic"; then
        fail "libarmci.so has a run path"
    fi
    if grep -rlF -e "$SOURCE_DIR/" -e "$BUILD_DIR/" -e "$prefix" "$prefix/include" \
        "$prefix/$LIBDIR/pkgconfig" "$prefix/$LIBDIR/cmake"; then
        fail "these files name the build or the prefix"
    fi

    cp -a "$prefix" "$static_prefix"
    rm "$static_prefix/$LIBDIR"/*.so*
}

# As NWChem and GA link: directories and -larmci, nothing else.
shared() {
    "$MPICC" -I"$prefix/include" "$consumer/main.c" "$consumer/ring_exchange.c" \
        -L"$prefix/$LIBDIR" -larmci -o "$WORK/ring_shared"
    check_linkage "$WORK/ring_shared" shared
    run_program "$WORK/ring_shared" LD_LIBRARY_PATH="$prefix/$LIBDIR"
}

# As programs link that were made for Debian's ARMCI-MPI.
alias_name() {
    "$MPICC" -I"$prefix/include" "$consumer/main.c" "$consumer/ring_exchange.c" \
        -L"$prefix/$LIBDIR" -larmci-"$MPI" -o "$WORK/ring_alias"
    check_linkage "$WORK/ring_alias" shared
    run_program "$WORK/ring_alias" LD_LIBRARY_PATH="$prefix/$LIBDIR"
}

# move_prefix: until the end of this step
move_prefix() {
    moved=$WORK/elsewhere
    mv "$prefix" "$moved"
    trap 'mv "$moved" "$prefix"' EXIT
}

# With the prefix moved, and nothing under its own name.
pkgconfig_shared() {
    move_prefix
    export PKG_CONFIG_PATH="$moved/$LIBDIR/pkgconfig"
    [ "$(pkg-config --modversion armci)" = "$VERSION" ] || fail "wrong version in armci.pc"
    check_folders "$moved" "$(pkg-config --libs armci)"
    # shellcheck disable=SC2046 # words of a command line
    "$MPICC" $(pkg-config --cflags armci) "$consumer/main.c" "$consumer/ring_exchange.c" \
        $(pkg-config --libs armci) -o "$WORK/ring_pkgconfig"
    check_linkage "$WORK/ring_pkgconfig" shared
    run_program "$WORK/ring_pkgconfig" LD_LIBRARY_PATH="$moved/$LIBDIR"
}

pkgconfig_static() {
    export PKG_CONFIG_PATH="$static_prefix/$LIBDIR/pkgconfig"
    check_folders "$static_prefix" "$(PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 pkg-config --static --libs armci)"
    # shellcheck disable=SC2046
    "$MPICC" $(pkg-config --cflags armci) "$consumer/main.c" "$consumer/ring_exchange.c" \
        $(pkg-config --static --libs armci) -o "$WORK/ring_static"
    check_linkage "$WORK/ring_static" static
    run_program "$WORK/ring_static"
}

# The tools use the shared library of their prefix, also when that has been moved.
tools() {
    cp -a "$prefix" "$WORK/moved"
    for tool in armci-bench armci-info armci-tune; do
        check_linkage "$WORK/moved/bin/$tool" shared
        found=$(env -u LD_LIBRARY_PATH ldd "$WORK/moved/bin/$tool" | sed -n 's/.*libarmci\.so\.0 => \(.*\) (.*/\1/p')
        [ "$(realpath "$found")" = "$(realpath "$WORK/moved/$LIBDIR/libarmci.so.0")" ] ||
            fail "$tool finds the library at '$found'"
    done
    "$WORK/moved/bin/armci-trace" --version | grep -qx "armci-trace $VERSION" || fail "armci-trace does not say its version"
    env -u LD_LIBRARY_PATH timeout 1200 "$MPIEXEC" -n 2 "$WORK/moved/bin/armci-info" >"$WORK/info"
    grep -q "^armci-ofi $VERSION " "$WORK/info" || fail "armci-info does not say its version"
    env -u LD_LIBRARY_PATH timeout 1200 "$MPIEXEC" -n 2 "$WORK/moved/bin/armci-bench" \
        --ops put --sizes 8 --repeat 1 --min-time 0
}

# As a package of a distribution.
system_prefix() {
    DESTDIR="$WORK/system" "$CMAKE" --install "$BUILD_DIR" --prefix /usr >"$WORK/system.log"
    export PKG_CONFIG_PATH="$WORK/system/usr/$LIBDIR/pkgconfig"
    flags=$(pkg-config --cflags --libs armci)
    [ "$flags" = "-larmci " ] || fail "armci.pc below /usr says: $flags"
}

fortran_static() {
    export PKG_CONFIG_PATH="$static_prefix/$LIBDIR/pkgconfig"
    # shellcheck disable=SC2046
    "$MPICC" -c $(pkg-config --cflags armci) "$consumer/ring_exchange.c" -o "$WORK/fortran.o"
    # shellcheck disable=SC2046
    "$MPIFORT" "$consumer/main.f90" "$WORK/fortran.o" \
        $(pkg-config --static --libs armci) -o "$WORK/ring_fortran"
    check_linkage "$WORK/ring_fortran" static
    run_program "$WORK/ring_fortran"
}

# A Fortran program that uses the module, as examples/fortran/column_sums.f90 says.
fortran_module() {
    export PKG_CONFIG_PATH="$prefix/$LIBDIR/pkgconfig"
    # shellcheck disable=SC2046
    "$MPIFORT" "$SOURCE_DIR/examples/fortran/column_sums.f90" \
        $(pkg-config --cflags --libs armci-fortran) -o "$WORK/column_sums"
    check_linkage "$WORK/column_sums" shared
    run_program "$WORK/column_sums" LD_LIBRARY_PATH="$prefix/$LIBDIR"
}

# With the prefix moved, and nothing under its own name.
cmake_package() {
    move_prefix
    set --
    if [ "$FORTRAN_MODULE" = 1 ]; then
        set -- "-DARMCI_FORTRAN_EXAMPLE=$SOURCE_DIR/examples/fortran/column_sums.f90" \
            "-DCMAKE_Fortran_COMPILER=$FC"
    fi
    # The second entry is for library directories in which CMake does not look here, such as lib64.
    "$CMAKE" -S "$consumer" -B "$WORK/cmake" -DCMAKE_C_COMPILER="$CC" -DMPI_C_COMPILER="$MPICC" \
        -DCMAKE_PREFIX_PATH="$moved;$moved/$LIBDIR/cmake" -DARMCI_WANTED_VERSION="$VERSION" \
        -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF "$@"
    "$CMAKE" --build "$WORK/cmake"
    if [ $# -gt 0 ]; then
        check_linkage "$WORK/cmake/fortran_example" shared
        run_program "$WORK/cmake/fortran_example"
    fi
    for kind in shared static; do
        check_linkage "$WORK/cmake/ring_$kind" $kind
        run_program "$WORK/cmake/ring_$kind"
    done
}

# A library for one MPI is not for another, also where that is chosen later.
other_mpi() {
    other=openmpi
    [ "$MPI" = mpich ] || other=mpich
    command -v "mpicc.$other" && command -v "mpicc.$MPI" || return 77
    # The wrapper may be there without the headers.
    echo '#include <mpi.h>' | "mpicc.$other" -E -x c - >/dev/null || return 77
    set -- "$CMAKE" -S "$consumer" -B "$WORK/other" -DCMAKE_C_COMPILER="$CC" "-DCMAKE_PREFIX_PATH=$prefix" \
        -DARMCI_WANTED_VERSION="$VERSION" -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
    "$@" "-DMPI_C_COMPILER=mpicc.$MPI"
    for wrong in "$other" "$MPI" "$other"; do
        "$@" -U 'MPI_*' "-DMPI_C_COMPILER=mpicc.$wrong" >"$WORK/other.log" 2>&1 && status=0 || status=$?
        if [ "$wrong" = "$MPI" ]; then
            [ $status = 0 ] || { cat "$WORK/other.log"; fail "$MPI is refused after $other"; }
        elif [ $status = 0 ] || ! tr -s '\n ' ' ' <"$WORK/other.log" | grep -q "is for another MPI ($MPI)"; then
            cat "$WORK/other.log"
            fail "$other is not refused"
        fi
    done
}

# What names C's MPI cannot be found without C, which a message says.
language() {
    mkdir -p "$WORK/language"
    printf '%s\n' 'cmake_minimum_required(VERSION 3.22)' 'project(language LANGUAGES NONE)' \
        'find_package(armci REQUIRED)' >"$WORK/language/CMakeLists.txt"
    if "$CMAKE" -S "$WORK/language" -B "$WORK/language/build" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF >"$WORK/language.log" 2>&1; then
        fail "a project without C is not refused"
    fi
    tr -s '\n ' ' ' <"$WORK/language.log" | grep -q 'Add C to the languages' ||
        { cat "$WORK/language.log"; fail "the message does not say what to do"; }
}

# Links of documents lead to what is installed, also where DESTDIR is in front of the prefix.
documents() {
    DESTDIR="$WORK/staged" "$CMAKE" --install "$BUILD_DIR" --prefix /opt/armci --component documentation \
        >"$WORK/staged.log"
    for folder in "$prefix/$DOCDIR" "$WORK/staged/opt/armci/$DOCDIR"; do
        (cd "$folder" && find . -name '*.md') >"$WORK/pages"
        while IFS= read -r page; do
            grep -oE '\]\([^)# ]+' "$folder/$page" | sed 's/^](//' | grep -v '^[a-z]*:' >"$WORK/targets" || true
            while IFS= read -r target; do
                echo "$target" >>"$WORK/links"
                [ -e "$(dirname "$folder/$page")/$target" ] || fail "$page: there is no $target in $folder"
            done <"$WORK/targets"
        done <"$WORK/pages"
        grep -q 'python/README.md$' "$WORK/links" || fail "no link to python/README.md"
        rm "$WORK/links"
        grep -qF 'include/armci/armci.h' "$folder/README.md" || fail "a link without a target has lost its text"
    done
}

# The components together are everything, and each file is in one of them.
components() {
    for component in runtime development fortran tools documentation; do
        folder=$WORK/components/$component
        "$CMAKE" --install "$BUILD_DIR" --prefix "$folder" --component $component >>"$WORK/install.log"
        mkdir -p "$folder" # where the build has nothing of it
        (cd "$folder" && find . ! -type d) >>"$WORK/files_of_components"
    done
    (cd "$prefix" && find . ! -type d) | sort >"$WORK/files"
    sort "$WORK/files_of_components" | diff - "$WORK/files" ||
        fail "< is in a component only, or in two; > is in none"
    (cd "$WORK/components/runtime" && find . ! -type d) >"$WORK/files_of_runtime"
    if grep -v "^\./$LIBDIR/libarmci\.so\.0" "$WORK/files_of_runtime"; then
        fail "the component runtime has more than the shared library"
    fi
    (cd "$WORK/components/tools" && find . ! -type d) >"$WORK/files_of_tools"
    if grep -v -e '^\./bin/' -e '^\./share/man/man1/' -e '^\./share/bash-completion/completions/' \
        -e '^\./share/armci/armci_plot/' "$WORK/files_of_tools"; then
        fail "the component tools has more than programs, their parts, completions and manual pages"
    fi
}

# What cpack makes by default: an archive to unpack anywhere.
archive() {
    "$(dirname "$CMAKE")/cpack" --config "$BUILD_DIR/CPackConfig.cmake" -G TGZ -B "$WORK/archive"
    mkdir "$WORK/unpacked"
    tar -C "$WORK/unpacked" --strip-components=1 -xf "$WORK/archive"/armci-ofi-*.tar.gz
    (cd "$prefix" && find . ! -type d) | sort >"$WORK/files"
    (cd "$WORK/unpacked" && find . ! -type d) | sort | diff - "$WORK/files" ||
        fail "the archive (<) is not what is installed (>)"
    for file in "$LIBDIR/libarmci.so" "$LIBDIR/libarmci.a" bin/armci-info bin/armci-bench bin/armci-tune; do
        "$READELF" --section-headers --wide "$WORK/unpacked/$file" >"$WORK/sections"
        if grep -q '\.debug_info' "$WORK/sections"; then
            fail "$file of the archive has debug information"
        fi
    done
    flags=$(PKG_CONFIG_PATH="$WORK/unpacked/$LIBDIR/pkgconfig" pkg-config --cflags --libs armci)
    # shellcheck disable=SC2086
    "$MPICC" "$consumer/main.c" "$consumer/ring_exchange.c" $flags -o "$WORK/ring_unpacked"
    run_program "$WORK/ring_unpacked" LD_LIBRARY_PATH="$WORK/unpacked/$LIBDIR"
}

clean() {
    rm -rf "$WORK"
}

case $1 in
prepare | shared | alias_name | pkgconfig_shared | pkgconfig_static | tools | system_prefix | \
    fortran_static | fortran_module | cmake_package | other_mpi | language | documents | components | archive | clean) "$1" ;;
*) fail "unknown step $1" ;;
esac

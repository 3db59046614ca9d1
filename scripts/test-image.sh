#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the image of packaging/Containerfile, and uses it as its user would. Needs buildah, and
# what scripts/test-on.sh needs: the image that it starts from is made by debootstrap, so no
# registry of images is asked. On two processors it takes 5 minutes.
#
#   scripts/test-image.sh [--keep]
#     --keep    the image stays in build/image/storage (buildah --root build/image/storage images).
#               Otherwise everything is removed but the chroot, build/chroot/image.
set -euo pipefail

usage() {
    sed -n '3,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$root/build/image
chroot=$root/build/chroot/image
keep=no
while (($# > 0)); do
    case $1 in
        --keep) keep=yes ;;
        *) usage ;;
    esac
    shift
done

type -P buildah >/dev/null || {
    echo "test-image: needs buildah (scripts/setup.sh nightly)" >&2
    exit 1
}

# Storage of its own, and neither a kernel's overlay nor a runtime of containers.
buildah() {
    BUILDAH_ISOLATION=chroot command buildah --root "$work/storage" --runroot "$work/run" \
        --storage-driver vfs "$@"
}

remove_images() {
    buildah rm --all >/dev/null
    buildah rmi --all --force >/dev/null
    rm -rf "$work"
}

make_base() {
    local container
    "$root/scripts/test-on.sh" trixie --chroot "$chroot" --run true
    container=$(buildah from scratch)
    tar -C "$chroot" --exclude=./usr/src/armci-ofi -cf "$work/base.tar" .
    buildah add --quiet "$container" "$work/base.tar" / >/dev/null
    rm "$work/base.tar"
    buildah commit --quiet --rm "$container" armci-base >/dev/null
}

# The files that git knows, as a user's clone has them.
copy_sources() {
    rm -rf "$work/sources" # of a run with --keep
    mkdir "$work/sources"
    git -C "$root" ls-files -z |
        tar -C "$root" --null --files-from=- -cf - | tar -C "$work/sources" -xf -
}

# What a user of the image does, in the image and as its user.
use_image() {
    local container
    container=$(buildah from --pull-never armci-ofi)
    buildah copy --quiet --chown 1000:1000 "$container" "$root/examples/first_put.c" /home/user/ \
        >/dev/null
    # shellcheck disable=SC2016 # the inner bash expands it
    buildah run --network host "$container" -- bash -euo pipefail -c '
        test "$(id -u)" = 1000
        cd
        mpiexec -n 2 armci-info | grep "2 ranks on 1 node"
        mpicc first_put.c -o first_put $(pkg-config --cflags --libs armci)
        mpiexec -n 2 ./first_put | tee words
        test "$(grep -c "reads: hello" words)" = 2
        mpiexec -n 2 armci-bench --ops put --sizes 8,1M --json put.json >/dev/null
        armci-plot --output put put.json
        test -s put-latency-size.png
        ls /opt/armci/share/man/man1/armci-bench.1 /opt/armci/share/bash-completion/completions/armci-bench'
}

mkdir -p "$work"
trap '[[ $keep == yes ]] || remove_images' EXIT
echo "test-image: the base, by debootstrap (1 minute the first time)"
make_base
copy_sources
echo "test-image: the image (3 minutes), output in $root/build/image.log"
if ! buildah build --network host --pull-never --layers=false --build-arg BASE=localhost/armci-base \
    --tag armci-ofi --file "$work/sources/packaging/Containerfile" "$work/sources" \
    >"$root/build/image.log" 2>&1; then
    tail -n 20 "$root/build/image.log" >&2
    exit 1
fi
echo "test-image: use of the image"
use_image
echo "test-image: passed"

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Compares the binary interface of libarmci.so with that of an earlier release (libabigail): what programs
# link with must neither go nor change.
#
#   scripts/abidiff.sh [TAG]    default: the last tag v* before this commit
#
# Exit status 0 if nothing has gone or changed, also where there is no earlier tag or no abidiff.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
if [[ ${1:-} == -* ]] || (($# > 1)); then
    sed -n '3,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
fi
if ! command -v abidiff >/dev/null; then
    echo "abidiff: left out, needs abidiff (scripts/setup.sh nightly)"
    exit 0
fi
if ! tag=${1:-$(git describe --tags --abbrev=0 --match 'v*' HEAD^ 2>/dev/null)} || [[ -z $tag ]]; then
    echo "abidiff: left out, there is no earlier release (no tag v*)"
    exit 0
fi

work=$root/build/abidiff
rm -rf "$work"
mkdir -p "$work/old"
git archive "$tag" | tar -x -C "$work/old"
# The preset leaves out what debuggers know of types, which is what abidiff compares.
types=(-DCMAKE_C_FLAGS_RELWITHDEBINFO="-O2 -g -DNDEBUG" -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O2 -g -DNDEBUG")
"$work/old/scripts/build.sh" release --target armci_shared "${types[@]}"
scripts/build.sh release --target armci_shared "${types[@]}"

# What the headers declare; names that only the project's tools use are not part of it.
status=0
abidiff --headers-dir1 "$work/old/include" --headers-dir2 include --drop-private-types \
    --suppressions scripts/abidiff.ignore --no-added-syms \
    "$work/old/build/release/src/libarmci.so" build/release/src/libarmci.so || status=$?
if ((status != 0)); then
    echo "abidiff: the binary interface has changed since $tag"
    exit 1
fi
echo "abidiff: the binary interface is that of $tag, perhaps with additions"

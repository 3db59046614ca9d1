#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs clang-tidy with .clang-tidy on the C++ files of src and tools that have changed.
#
#   scripts/tidy.sh [COMMIT]    since that commit; default: the last one that is older than a day
#   scripts/tidy.sh --all       all of them (an hour)
#
# Exit status 0 if it has found nothing, also where clang-tidy or git's history is not there.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
if [[ ${1:-} == --help ]] || (($# > 1)); then
    sed -n '3,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
fi
if ! command -v clang-tidy >/dev/null; then
    echo "tidy: left out, needs clang-tidy (scripts/setup.sh dev)"
    exit 0
fi

# A changed header is read together with the file of the same name.
with_sources() {
    local file
    while read -r file; do
        file=${file%.h}
        file=${file%.cpp}.cpp
        if [[ -f $file ]]; then
            echo "$file"
        fi
    done | sort -u
}

if [[ ${1:-} == --all ]]; then
    mapfile -t files < <(find src tools -name '*.cpp' | sort)
else
    if ! since=${1:-$(git rev-list -1 --before='1 day ago' HEAD 2>/dev/null)} || [[ -z $since ]]; then
        echo "tidy: left out, git knows no commit that is older than a day"
        exit 0
    fi
    mapfile -t files < <(git diff --name-only "$since" -- 'src/*.cpp' 'src/*.h' 'tools/*.cpp' 'tools/*.h' | with_sources)
fi
if ((${#files[@]} == 0)); then
    echo "tidy: no file has changed"
    exit 0
fi

# The preset dev compiles each file on its own. Nothing is built: only the list of commands is wanted.
scripts/build.sh dev -DARMCI_BUILD_TOOLS=ON --target help >/dev/null
echo "tidy: ${#files[@]} files"
if printf '%s\0' "${files[@]}" |
    xargs -0 --max-args=1 --max-procs="$(nproc)" clang-tidy --quiet -p build/dev 2>/dev/null; then
    echo "tidy: nothing found"
else
    echo "tidy: clang-tidy has found something"
    exit 1
fi

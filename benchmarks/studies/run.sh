#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds what the studies need and runs them. See README.md here.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
build=
options=()
while (($# > 0)); do
    if [[ $1 == --build ]]; then
        (($# > 1)) || { echo "run.sh: --build needs a folder" >&2; exit 2; }
        build=$2
        shift
    else
        options+=("$1")
    fi
    shift
done

if [[ -z $build ]]; then
    build=$root/build/release
    echo "studies: builds $build; some minutes if it is empty"
    "$root/scripts/build.sh" release -DARMCI_BUILD_TESTS=ON -DARMCI_BUILD_TOOLS=ON \
        -DARMCI_BUILD_EXAMPLES=ON -DARMCI_BUILD_BENCHMARKS=ON --target studies
fi
# Debian's matplotlib belongs to Debian's interpreter, which need not be the first one.
python=python3
if ! python3 -c 'import matplotlib' 2>/dev/null && /usr/bin/python3 -c 'import matplotlib' 2>/dev/null; then
    python=/usr/bin/python3
fi
exec "$python" -B "$here/run_studies.py" --build "$build" ${options[@]+"${options[@]}"}

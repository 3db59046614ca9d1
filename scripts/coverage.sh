#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Which lines and branches of src the tests run, as a summary and as pages in build/coverage/report.
#
#   scripts/coverage.sh [--filter REGEX]    only tests whose name matches (as ctest -R)
#
# Builds into build/coverage, without optimisation. Tests of time and of instructions are left out.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
filter=.
case ${1:-} in
    '') ;;
    --filter) filter=${2:?} ;;
    *)
        sed -n '3,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
        exit 2
        ;;
esac
if ! command -v gcovr >/dev/null; then
    echo "coverage: left out, needs gcovr (scripts/setup.sh nightly)"
    exit 0
fi

scripts/build.sh coverage -DARMCI_BUILD_TESTS=ON -DARMCI_BUILD_TOOLS=ON -DARMCI_BUILD_EXAMPLES=ON
find build/coverage -name '*.gcda' -delete
# A job that fails here has failed in scripts/test.sh, too, which says so.
ctest --test-dir build/coverage --output-on-failure -R "$filter" -E '^(instructions|install|conventions)' \
    -LE '^nightly$' || echo "coverage: some tests have failed"
mkdir -p build/coverage/report
gcovr --root . --filter src/ --object-directory build/coverage --exclude-unreachable-branches \
    --print-summary --html-details build/coverage/report/index.html \
    --txt build/coverage/report/files.txt
echo "coverage: build/coverage/report/index.html"

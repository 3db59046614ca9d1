#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs a job and decides whether it passed: its exit status is 0, PASS is the last line (except for the summary of checking
# mode), no line says FAIL, and the library has neither warned nor complained. Of the subscripts that the client
# repeats on purpose in one scatter, checking mode may say so.
# usage: run_job.sh COMMAND...
set -u

output=$(mktemp)
trap 'rm -f "$output"' EXIT
trap 'exit 1' HUP INT TERM

"$@" >"$output" 2>&1
status=$?
cat "$output"

failures=0
fail() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}
[ "$status" -eq 0 ] || fail "exit status $status"
[ "$(grep -v -e '^armci-ofi checks' -e '^  looked at' -e '^  not checked' "$output" | tail -n 1)" = PASS ] || fail "the last line is not PASS"
if grep -q 'FAIL' "$output"; then fail "a check has failed"; fi
if grep -v 'ARMCI Warning: ARMCI_PutV: blocks of the destination overlap: 8 bytes' "$output" |
    grep -Eq 'ARMCI (Warning|Error):'; then fail "a message of the library"; fi
[ "$failures" -eq 0 ]

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Compiles the layers base, strided and node for AArch64 and runs their unit tests under emulation.
# Installs missing packages first. No part of test.sh: the compiler and the emulator are large.
#
#   scripts/test-arm.sh [OPTION...]     options of ctest, such as --verbose
set -euo pipefail

if [[ ${1:-} == --help || ${1:-} == -h ]]; then
    sed -n '3,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit 0
fi

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/arm

"$root/scripts/setup.sh" arm
cmake -S "$root/tests/arm" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    --log-level=WARNING >/dev/null
cmake --build "$build" --parallel "$(nproc)"
ctest --test-dir "$build" --output-on-failure --no-tests=error "$@"

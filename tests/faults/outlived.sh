#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# outlived.sh PROGRAM ARGUMENT...: runs a rank so that its launcher does not notice its end. The connections
# to the launcher stay open in this shell, which ends a while after a rank that was killed, unless
# the other ranks have the launcher end the job before.
"$@"
status=$?
if [ "$status" -gt 128 ]; then
    sleep 4
fi
exit "$status"

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# For doxygen: a public header in which a comment is that of all functions up to the next empty line.
awk '
    BEGIN { RS = ""; ORS = "\n\n"; print "/** @file */" }
    /^\/\*\*/ && gsub(/\);/, "&") > 1 && !/struct/ { print "/**@{*/\n" $0 "\n/**@}*/"; next }
    { print }
' "$1"

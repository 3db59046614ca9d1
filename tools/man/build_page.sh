#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Makes a manual page from Markdown. A tool's page gets its options from the tool itself.
# usage: build_page.sh PANDOC VERSION NAME.SECTION.md OUTPUT [TOOL]
set -eu

pandoc=$1 version=$2 source=$3 output=$4 tool=${5:-}
page=$(basename "$source" .md)
work=$(mktemp)
trap 'rm -f "$work"' EXIT
sed '/^# EXAMPLES$/,$d' "$source" >"$work"
if [ -n "$tool" ]; then
    # pandoc takes what is indented as it is.
    { echo '# OPTIONS' && echo && "$tool" --help | sed 's/^/    /' && echo; } >>"$work"
fi
sed -n '/^# EXAMPLES$/,$p' "$source" >>"$work"
"$pandoc" --standalone --from markdown-smart --to man \
    --metadata "title=${page%.*}" --metadata "section=${page##*.}" \
    --metadata "footer=armci-ofi $version" --metadata "header=ARMCI" --output "$output" "$work"

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks the models of this folder with spin, all states of the sizes below, and that each mistake
# that can be planted in them is found.
#
#   docs/models/check.sh [small|large]
#
# small (the default) takes seconds and is what the test `models` runs; large takes half an
# hour and up to 8 GB of memory. Needs spin and a C compiler ($CC, or cc). Exit status 0 if
# everything is as it should be.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
effort=${1:-small}
if (($# > 1)) || [[ $effort != small && $effort != large ]]; then
    sed -n '3,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
fi
for program in spin "${CC:-cc}"; do
    if ! command -v "$program" >/dev/null; then
        echo "check.sh: $program is not there; install the package spin and a C compiler" >&2
        exit 2
    fi
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here"/*.pml "$work"
cd "$work"
failures=0

# build MODEL PANFLAG... -- SIZE...: the checker, as ./pan
build() {
    local model=$1 flags=()
    shift
    while [[ $1 != -- ]]; do
        flags+=("$1")
        shift
    done
    shift
    # Polls of channels beside an else are noted as dubious with partial-order reduction, which the
    # model that has them is checked without.
    if ! spin -a "$@" "$model.pml" >spin.log 2>&1 ||
        ! "${CC:-cc}" -O1 -w -DVECTORSZ=2048 "${flags[@]}" -o pan pan.c >cc.log 2>&1; then
        cat spin.log cc.log >&2
        exit 1
    fi
}

# run MISTAKE OPTION...: leaves the numbers in $states and $errors
run() {
    local mistake=$1
    shift
    rm -f ./*.trail
    MISTAKE=$mistake ./pan -m1000000 "$@" >pan.log 2>&1 || true
    states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' pan.log)
    errors=$(sed -n 's/.*errors: \([0-9]*\)$/\1/p' pan.log)
    if [[ -z $errors ]] || grep -q 'max search depth\|out of memory\|search was not completed' pan.log; then
        errors=incomplete
    fi
}

# check MODEL MISTAKES [SIZE...]: the model is right, and none of the mistakes is; with large effort
# also that no execution of the model is infinite
check() {
    local model=$1 mistakes=$2 found='' started=$SECONDS result all
    shift 2
    build "$model" "${reduction[@]}" -DSAFETY -- "$@"
    run 0 -w"${table:-18}"
    all=$states
    result=$errors
    for mistake in $mistakes; do
        run "$mistake" -w18
        found+=" $mistake"
        if [[ $errors != 1 ]]; then
            found+=" was NOT"
            failures=$((failures + 1))
        fi
    done
    if [[ $effort == large && $result == 0 ]]; then
        build "$model" "${reduction[@]}" -DNP -- "$@"
        run 0 -l -w"${table:-18}"
        result=$errors
    fi
    if [[ $result != 0 ]]; then
        failures=$((failures + 1))
        tail -20 pan.log >&2
    fi
    printf '%-16s %-56s %9s states %4d s  %s%s\n' "$model" "$*" "$all" $((SECONDS - started)) \
        "$([[ $result == 0 ]] && echo right || echo "WRONG ($result)")" \
        "${found:+, mistakes found:$found}"
}

# What polls channels in conditions is checked without partial-order reduction.
reduction=(-DNOREDUCE)
one=(-DTRANSFERS=1 -DAT_A_TIME=1)
check flow_control '1 2 3 4 5 6' "${one[@]}" -DCHUNKS=3 -DSERVER_BUFFERS=2 -DNETWORK=1 -DSTOPS=1
check flow_control '1 6' "${one[@]}" -DWRITES=0 -DSERVER_BUFFERS=2 -DNETWORK=1 -DSTOPS=1
if [[ $effort == large ]]; then
    check flow_control 7 "${one[@]}" -DCHUNKS=3
    table=25
    check flow_control '' "${one[@]}" -DCHUNKS=3 -DSTOPS=1
    check flow_control '' "${one[@]}" -DCHUNKS=3 -DRECV_BUFFERS=3 -DEARLY=1
    check flow_control '' "${one[@]}" -DWINDOW=1 -DNETWORK=1 -DBUFFERS=1 -DRECV_BUFFERS=1
    check flow_control '' "${one[@]}" -DRECV_BUFFERS=0 -DSTOPS=1
    check flow_control '' "${one[@]}" -DWRITES=0 -DSTOPS=1
    check flow_control '' "${one[@]}" -DORIGINS=3
    check flow_control '' -DTRANSFERS=2 -DAT_A_TIME=1 -DWINDOW=1 -DNETWORK=1
    check flow_control '' -DTRANSFERS=2 -DAT_A_TIME=2 -DRECV_BUFFERS=0
    table=18
fi
check group_life '1 2 4' -DROUNDS=1
check group_life '1 3 4' -DONE_NODE
if [[ $effort == large ]]; then
    table=22
    check group_life ''
    table=18
fi
reduction=()
check mutex_hand_over '1 2 3 4 5' -DROUNDS=1
check mutex_hand_over 6 -DLOCALS=1 -DTRIES=0
if [[ $effort == large ]]; then
    table=24
    check mutex_hand_over ''
    check mutex_hand_over '' -DROUNDS=1 -DREMOTES=2
    check mutex_hand_over '' -DLOCALS=1 -DREMOTES=2 -DTRIES=0
    check mutex_hand_over '' -DLOCALS=1 -DMUTEXES=2
    table=18
fi
check node_barrier '1 2 3 4 5 6 7'
check node_barrier '' -DONE_NODE -DRANKS=2 -DROUNDS=4
check copy_thread '1 2 3 4 5'
if [[ $effort == large ]]; then
    table=24
    check node_barrier '' -DROUNDS=3
    check node_barrier '' -DONE_NODE -DROUNDS=3
    check node_barrier '' -DRANKS=4 -DROUNDS=1
    table=18
    check copy_thread '' -DREQUESTS=6 -DSLOTS=3
fi

if ((failures > 0)); then
    echo "$failures failures"
fi
((failures == 0))

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Memory of a rank at several numbers of ranks on this machine (virtual nodes, more ranks than
# processors), and what a rank costs for each other one.
#
#   benchmarks/rank_memory/measure.sh PROGRAM [NODE_SIZE [RANKS...]]
#     PROGRAM    build/.../benchmarks/rank_memory/rank_memory
#     NODE_SIZE  ranks of a virtual node (default 8)
#     RANKS      default 16 64 128
set -euo pipefail

if (($# == 0)); then
    sed -n '3,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
fi
program=$1
node_size=${2:-8}
shift $(($# < 2 ? $# : 2))
(($# > 0)) || set -- 16 64 128

lines=$(mktemp --tmpdir armci-memory.XXXXXX)
trap 'rm -f "$lines"' EXIT
for ranks in "$@"; do
    printf '\n== %s ranks, %s to a node\n' "$ranks" "$node_size"
    ARMCI_NODE_SIZE=$node_size ARMCI_STATS=1 mpiexec.mpich -n "$ranks" "$program" </dev/null 2>&1 |
        tee -a "$lines" | grep -E '^(mpi|init|malloc|touched|used) |took|tables of peers|pipeline buffers'
done

# Between the smallest and the largest job: KiB by number of ranks, so bytes for each further rank.
printf '\n== bytes for each further rank of the job, in each rank\n'
awk '$2 == "all" && $3 == "ranks" && $5 == "RSS" {
        if (!($1 in least)) { order[++stages] = $1; least[$1] = $4; rss[$1] = $6; pss[$1] = $9; heap[$1] = $15 }
        most[$1] = $4; rss2[$1] = $6; pss2[$1] = $9; heap2[$1] = $15
     }
     END {
        for (i = 1; i <= stages; i++) {
            s = order[i]; n = most[s] - least[s]
            if (n > 0) printf "%-10s RSS %8.0f  PSS %8.0f  malloc %8.0f\n", s,
                (rss2[s] - rss[s]) * 1024 / n, (pss2[s] - pss[s]) * 1024 / n,
                (heap2[s] - heap[s]) * 1024 / n
        }
     }' "$lines"

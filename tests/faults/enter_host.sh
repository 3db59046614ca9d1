#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# enter_host.sh [-x] ADDRESS COMMAND...: mpiexec uses this as ssh; the hosts are network namespaces,
# whose names TEST_HOSTS has as ADDRESS=NAMESPACE.
while [ "$1" = -x ]; do
    shift
done
address=$1
shift
for host in $TEST_HOSTS; do
    if [ "${host%%=*}" = "$address" ]; then
        exec ip netns exec "${host#*=}" sh -c "$*"
    fi
done
echo "enter_host.sh: no host $address in $TEST_HOSTS" >&2
exit 1

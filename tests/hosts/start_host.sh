#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# start_host.sh NAME KEPT...: the first process of a host, in new namespaces of network, host name,
# mounts, processes and System V objects. Gives the host what no other has, and lives as long as it.
# Below /run/shared is what all hosts see. KEPT are directories that stay visible below /tmp.
set -eu
name=$1
shift

hostname "$name"
mount -t sysfs sysfs /sys

own=/run/$name
mkdir -p "$own"
mount -t tmpfs -o mode=755 "$name" "$own"
mkdir "$own/shared" "$own/sshd" "$own/munge" "$own/slurm" "$own/kept"
mount --bind /run/shared "$own/shared"
number=0
for directory; do
    number=$((number + 1))
    mkdir "$own/kept/$number"
    mount --bind "$directory" "$own/kept/$number"
done
mount --rbind "$own" /run

for directory in /dev/shm /tmp /var/tmp; do
    mount -t tmpfs -o mode=1777 "$name" "$directory"
done
number=0
for directory; do
    number=$((number + 1))
    mkdir -p "$directory"
    mount --bind "/run/kept/$number" "$directory"
done

# Each host has booted by itself, and all know the names of all.
cat /proc/sys/kernel/random/uuid >/run/boot_id
mount --bind /run/boot_id /proc/sys/kernel/random/boot_id
mount --bind /run/shared/hosts /etc/hosts
mount --bind /run/shared/ssh_config /etc/ssh/ssh_config

touch "/run/shared/$name.up"
# A shell that waits collects processes whose parents have ended.
exec bash -c 'trap : TERM INT; while :; do sleep infinity & wait; done'

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs the Debian packages that are missing, as listed in packages.txt.
#
#   scripts/setup.sh [GROUP...]     groups of packages.txt; default: build test
#
# Needs neither root nor network when nothing is missing. Without root it only says what is missing.
# While it installs it says every few seconds what it is at.
set -euo pipefail

scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [[ ${1-} == -h || ${1-} == --help ]]; then
    sed -n '3,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit 0
fi
groups=("$@")
if ((${#groups[@]} == 0)); then
    groups=(build test)
fi

packages_of() {
    awk -v group="$1" '!/^#/ && $1 == group { print $2 }' "$scripts/packages.txt"
}

is_installed() {
    [[ $(dpkg-query --show --showformat '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

# The Debian alternatives of MPI (compilers, launchers, headers) and what each points to.
mpi_alternatives() {
    { update-alternatives --get-selections 2>/dev/null || true; } |
        awk '$1 ~ /^mpi/ { print $1, $3 }'
}

# Packages of the groups test and openmpi bring Open MPI along, which Debian then makes the default.
# The project's scripts name the MPI they want, but the user's own mpicc and mpiexec should not change
# either: what there was before stays, and where nothing was it is MPICH.
keep_defaults() {
    local before=$1 name now wanted
    while read -r name now; do
        wanted=$(awk -v name="$name" '$1 == name { print $2 }' <<<"$before")
        wanted=${wanted:-$(update-alternatives --list "$name" | grep --max-count=1 mpich || true)}
        if [[ -e $wanted && $wanted != "$now" ]]; then
            update-alternatives --set "$name" "$wanted" >/dev/null
        fi
    done < <(mpi_alternatives)
}

# What apt tells by APT::Status-Fd on standard input, such as "dlstatus:3:12.5:Retrieving file 3 of 24" or
# "pmstatus:cmake:40.1:Unpacking cmake (amd64)": a line at most every five seconds, and at least every ten.
show_progress() {
    local line status said=$SECONDS now='' shown=''
    while :; do
        status=0
        IFS= read -r -t 2 line || status=$?
        if ((status > 0 && status <= 128)); then
            break # apt has ended
        fi
        if ((status == 0)) && [[ $line =~ ^(dl|pm)status:.*:([0-9]+)(\.[0-9]+)?:(.*)$ ]]; then
            now="${BASH_REMATCH[2]} % fetched"
            if [[ ${BASH_REMATCH[1]} == pm ]]; then
                now="${BASH_REMATCH[2]} % installed"
            fi
            now+=", ${BASH_REMATCH[4]}"
        fi
        if ((SECONDS - said >= 10)) || { ((SECONDS - said >= 5)) && [[ $now != "$shown" ]]; }; then
            printf 'setup: %4d s  %s\n' $((SECONDS - started)) "${now:-waiting for apt}"
            said=$SECONDS shown=$now
        fi
    done
}

# run_apt COMMAND...: its output goes to the log, what it is at to standard output
run_apt() {
    apt-get -o DPkg::Lock::Timeout=300 -o APT::Status-Fd=3 "$@" >>"$log" 2>&1 </dev/null 3> >(show_progress >&4)
}

# Some packages of the group hosts bring daemons. Tests start their own: none must run on this system
# because of a test, neither now nor after the next boot.
forbid_services() {
    policy=/usr/sbin/policy-rc.d
    if [[ ! -e $policy ]]; then
        trap 'rm -f "$policy"' EXIT
        printf '#!/bin/sh\nexit 101\n' >"$policy"
        chmod +x "$policy"
    fi
}

disable_services() {
    local services
    mapfile -t services < <(dpkg-query --listfiles "$@" | sed -n 's|^/lib/systemd/system/\([^@]*\.service\)$|\1|p')
    if ((${#services[@]} > 0)) && command -v systemctl >/dev/null; then
        systemctl disable "${services[@]}" >>"$log" 2>&1 || true
    fi
}

install_packages() {
    local alternatives started=$SECONDS
    log=$(mktemp --tmpdir armci-setup.XXXXXX)
    alternatives=$(mpi_alternatives)
    echo "setup: installing ${#missing[@]} packages and what they need: $*"
    export DEBIAN_FRONTEND=noninteractive
    exec 4>&1
    echo "setup: lists of packages"
    # An update that fails, say for a source of somebody else's, need not stop the installation.
    run_apt update || true
    # "0 upgraded, 24 newly installed, ...", "Need to get 98 MB of archives."
    { LC_ALL=C apt-get install --assume-no --no-install-recommends "$@" 2>&1 </dev/null || true; } |
        sed -n '/newly installed/s/^/setup: /p; /^Need to get/s/^/setup: /p; /^After this/s/^/setup: /p'
    forbid_services
    echo "setup: this takes a minute for every 100 MB or so, mostly of the mirror and the disk"
    if ! run_apt install --yes --no-install-recommends "$@"; then
        tail -n 20 "$log" >&2
        echo "setup: apt-get failed; all of its output is in $log" >&2
        exit 1
    fi
    disable_services "$@"
    rm -f "$log"
    keep_defaults "$alternatives"
    echo "setup: done in $((SECONDS - started)) s"
}

missing=()
for group in "${groups[@]}"; do
    mapfile -t packages < <(packages_of "$group")
    if ((${#packages[@]} == 0)); then
        echo "setup: packages.txt has no group '$group'" >&2
        exit 2
    fi
    for package in "${packages[@]}"; do
        is_installed "$package" || missing+=("$package")
    done
done

if ((${#missing[@]} == 0)); then
    exit 0
fi
if ! command -v apt-get >/dev/null; then
    echo "setup: this is not Debian; install what corresponds to: ${missing[*]}" >&2
    exit 1
fi
if ((EUID != 0)); then
    cat >&2 <<EOF
setup: these packages are missing: ${missing[*]}
setup: install them as root, then start this script again:

    apt-get update && apt-get install --yes --no-install-recommends ${missing[*]}

EOF
    exit 1
fi
install_packages "${missing[@]}"

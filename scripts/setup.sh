#!/usr/bin/env bash
# Installs the Debian packages that are missing, as listed in packages.txt.
#
#   scripts/setup.sh [GROUP...]     groups of packages.txt; default: build test
#
# Needs neither root nor network when nothing is missing. Without root it only says what is missing.
set -euo pipefail

scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
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

install_packages() {
    local log alternatives
    log=$(mktemp --tmpdir armci-setup.XXXXXX)
    alternatives=$(mpi_alternatives)
    echo "setup: installing $*"
    export DEBIAN_FRONTEND=noninteractive
    # An update that fails, say for a source of somebody else's, need not stop the installation.
    if ! {
        apt-get -o DPkg::Lock::Timeout=300 update || true
        apt-get -o DPkg::Lock::Timeout=300 install --yes --no-install-recommends "$@"
    } >"$log" 2>&1 </dev/null; then
        tail -n 20 "$log" >&2
        echo "setup: apt-get failed; all of its output is in $log" >&2
        exit 1
    fi
    rm -f "$log"
    keep_defaults "$alternatives"
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

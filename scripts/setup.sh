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

# What a Debian alternative (mpi: compilers, mpirun: launchers) points to; nothing if there is none.
alternative() {
    { update-alternatives --query "$1" 2>/dev/null || true; } | sed -n 's/^Value: //p'
}

# Packages of the test group bring Open MPI's launcher along, which Debian then makes the default.
# The project's scripts name MPICH's explicitly, but the user's own mpiexec should not change either.
keep_default() {
    local name=$1 before=$2 mpich=$3
    local wanted=${before:-$mpich}
    if [[ -x $wanted && $(alternative "$name") != "$wanted" ]]; then
        update-alternatives --set "$name" "$wanted" >/dev/null
    fi
}

install_packages() {
    local log compilers launchers
    log=$(mktemp --tmpdir armci-setup.XXXXXX)
    compilers=$(alternative mpi)
    launchers=$(alternative mpirun)
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
    keep_default mpi "$compilers" /usr/bin/mpicc.mpich
    keep_default mpirun "$launchers" /usr/bin/mpirun.mpich
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

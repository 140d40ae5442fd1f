# SPDX-License-Identifier: GPL-2.0-only
#
# What the scripts in this folder share. Sourced by them, with "set -euo pipefail" in force.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build_root=$top/build
self=$(basename "$0")

say() { printf '%s: %s\n' "$self" "$*"; }

die() {
    printf '%s: %s\n' "$self" "$*" >&2
    exit 1
}

# Prints the comment at the head of the script as its help.
usage() {
    sed -n '3,/^[^#]/{s/^# \{0,1\}//p}' "$0"
}

# Runs a command as root: directly, or by sudo.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif [ -t 0 ]; then
        sudo "$@"
    else
        sudo -n "$@"
    fi
}

# Packages for each purpose. The names are the same in Debian 12, 13 and later, and in Ubuntu.
packages_for() {
    case $1 in
        run) echo g++ cmake ninja-build ccache libns3-dev ns3 libboost-dev libyaml-cpp-dev ;;
        test) echo "$(packages_for run)" libgtest-dev python3 python3-scapy tshark ;;
        docs) echo python3-sphinx ;;
        clang) echo "$(packages_for test)" clang ;;
        in-tree) echo g++ cmake ninja-build ccache libboost-dev python3 libopenmpi-dev dpkg-dev ca-certificates ;;
        releases) echo mmdebstrap ;;
        *) die "no list of packages for '$1'" ;;
    esac
}

# Installs the packages of a purpose which are missing; does nothing, quickly, when all are there.
install_for() {
    local wanted missing=()
    wanted=$(packages_for "$1")
    if [ -n "${RDMA_NO_INSTALL:-}" ]; then
        return
    fi
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        die "this machine has no apt-get (it is neither Debian nor Ubuntu). Install the equivalents of these packages," \
            "then run RDMA_NO_INSTALL=1 $0: $wanted"
    fi
    local package
    for package in $wanted; do
        case $(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null) in
            ii*) ;;
            *) missing+=("$package") ;;
        esac
    done
    if [ ${#missing[@]} = 0 ]; then
        return
    fi
    if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
        die "packages are missing, and this is neither root nor is there sudo. Have an administrator run:" \
            "apt-get install --no-install-recommends ${missing[*]}"
    fi
    say "installing ${missing[*]}"
    local log
    log=$(mktemp)
    if ! apt_install "${missing[@]}" >"$log" 2>&1; then
        say "updating the package lists first"
        if ! { as_root apt-get -q update && apt_install "${missing[@]}"; } >"$log" 2>&1; then
            tail -n 20 "$log" >&2
            rm -f "$log"
            die "apt-get could not install ${missing[*]}; its last words are above"
        fi
    fi
    rm -f "$log"
}

# Prints "URI SUITE COMPONENT" of the distribution's own archive in apt's configuration.
apt_archive() {
    local codename
    codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        sed -n "/\/\(debian\|ubuntu\)\/ $codename \(main\|universe\)\$/p" | tail -n 1
}

apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends "$@"
}

# build_tree NAME TARGET [cmake options]: configures and builds TARGET in build/NAME. Quiet unless it fails or a person
# is watching.
build_tree() {
    local dir=$build_root/$1 target=$2 log=$build_root/$1.log
    shift 2
    mkdir -p "$dir"
    if ! cmake -S "$top" -B "$dir" -G Ninja "$@" >"$log" 2>&1; then
        cat "$log" >&2
        die "CMake could not configure $dir"
    fi
    sed -n 's/^-- ns-3 /'"$self"': building for ns-3 /p' "$log"
    if [ -t 1 ]; then
        cmake --build "$dir" --target "$target" || die "the build in $dir failed"
    elif ! cmake --build "$dir" --target "$target" >>"$log" 2>&1; then
        grep -vE '^(\[[0-9]+/[0-9]+\] [A-Z][a-z]+ |-- )' "$log" | tail -n 60 >&2
        die "the build in $dir failed; everything it said is in $log"
    fi
}

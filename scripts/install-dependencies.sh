#!/usr/bin/env bash
# Installs the Debian packages that are missing; prints the one command to run when it lacks the rights.
#   scripts/install-dependencies.sh           what building and testing needs
#   scripts/install-dependencies.sh lint      what `make lint` needs besides
#   scripts/install-dependencies.sh bench     what `make bench` needs besides
#   scripts/install-dependencies.sh simbody   one engine of `make bench-peers`; also mujoco, dart
set -euo pipefail

packages=(g++ cmake ninja-build pkg-config libeigen3-dev libfmt-dev libsleef-dev libasmjit-dev libhdf5-dev
    libcli11-dev nlohmann-json3-dev libgtest-dev)
case "${1:-}" in
lint) packages+=(clang-format clang-tidy) ;;
bench) packages+=(libsundials-dev) ;;
simbody | mujoco | dart) packages+=("lib$1-dev") ;;
"") ;;
*) echo "unknown set of packages: $1 (known: lint, bench, simbody, mujoco, dart)" >&2; exit 1 ;;
esac

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

run=()
if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        run=(sudo -n)
    else
        echo "Some packages are missing and installing them needs root. Please run once:" >&2
        echo "    sudo apt-get update && sudo apt-get install -y ${missing[*]}" >&2
        exit 1
    fi
fi
echo "Installing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { "${run[@]}" apt-get update -q && "${run[@]}" apt-get install -y -q --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "The installation failed. The command was: apt-get install -y ${missing[*]}" >&2
    exit 1
fi

#!/usr/bin/env bash
# Installs the Debian packages that are missing; prints the one command to run when it lacks the rights.
#   scripts/install-dependencies.sh           what building needs
#   scripts/install-dependencies.sh test      and what `make test` needs besides
#   scripts/install-dependencies.sh lint      and what `make lint` needs besides
#   scripts/install-dependencies.sh sanitize  and what `make sanitize` needs besides
#   scripts/install-dependencies.sh fuzz      what `make fuzz` needs, without the report page
#   scripts/install-dependencies.sh bench     and what `make bench` needs besides
#   scripts/install-dependencies.sh simbody   one engine of `make bench-peers`; also mujoco, dart
# node, npm and chromium are for the report page alone: without them everything else is built and tested.
set -euo pipefail

packages=(g++ cmake ninja-build pkg-config libeigen3-dev libfmt-dev libsleef-dev libasmjit-dev libsuitesparse-dev libhdf5-dev libcairo2-dev
    libcli11-dev nlohmann-json3-dev libgtest-dev)
optional=()
have() { command -v "$1" >/dev/null; }
have node && have npm || optional+=(nodejs npm)
case "${1:-}" in
test) have chromium || have chromium-browser || have google-chrome || optional+=(chromium fonts-dejavu-core) ;;
lint) packages+=(clang-format clang-tidy) ;;
sanitize) packages+=(clang libclang-rt-14-dev) ;;
fuzz) packages+=(clang libclang-rt-14-dev) optional=() ;;
bench) packages+=(libsundials-dev) ;;
simbody | mujoco | dart) packages+=("lib$1-dev") ;;
"") ;;
*) echo "unknown set of packages: $1 (known: test, lint, sanitize, fuzz, bench, simbody, mujoco, dart)" >&2; exit 1 ;;
esac

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && [ ${#optional[@]} -eq 0 ] && exit 0

run=()
if [ "$(id -u)" -ne 0 ]; then
    if have sudo && sudo -n true 2>/dev/null; then
        run=(sudo -n)
    elif [ ${#missing[@]} -gt 0 ]; then
        echo "Some packages are missing and installing them needs root. Please run once:" >&2
        echo "    sudo apt-get update && sudo apt-get install -y ${missing[*]} ${optional[*]}" >&2
        exit 1
    else
        echo "note: without ${optional[*]} the report page (--report) is not built or not tested. To have it:" >&2
        echo "    sudo apt-get install -y ${optional[*]}" >&2
        exit 0
    fi
fi
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() { "${run[@]}" apt-get install -y -q --no-install-recommends "$@" >"$log" 2>&1; }

echo "Installing: ${missing[*]} ${optional[*]}"
"${run[@]}" apt-get update -q >"$log" 2>&1 || true
if [ ${#missing[@]} -gt 0 ] && ! install "${missing[@]}"; then
    tail -n 20 "$log" >&2
    echo "The installation failed. The command was: apt-get install -y ${missing[*]}" >&2
    exit 1
fi
if [ ${#optional[@]} -gt 0 ] && ! install "${optional[@]}"; then
    tail -n 5 "$log" >&2
    echo "note: ${optional[*]} could not be installed; the report page (--report) is not built or not tested." >&2
fi

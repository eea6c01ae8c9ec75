#!/usr/bin/env bash
# Runs a model of the gallery and shows what comes out. Argument: the program.
set -euo pipefail
ananke=$1
model=models/two_link_pendulum.ank

show() { printf '\n$ ananke %s\n\n' "$*"; "$ananke" "$@"; }

echo "The model ($model):"
echo
sed 's/^/    /' "$model"
show run "$model" --plot y,z
show check "$model"
mkdir -p results
show run "$model" --csv results/two_link_pendulum.csv --quiet
echo "Every quantity over time is in results/two_link_pendulum.csv ($(wc -l <results/two_link_pendulum.csv) lines):"
head -n 1 results/two_link_pendulum.csv | cut -c 1-100
echo
if "$ananke" run "$model" --report results/two_link_pendulum.html --quiet; then
    echo "The report, to open in a browser: results/two_link_pendulum.html"
    echo "    (animation, forces of constraint, curves, equations: one file, no network)"
fi
echo
echo "Next: docs/getting-started.md, or run another model: $ananke run models/duffing.ank --plot x1,x2"

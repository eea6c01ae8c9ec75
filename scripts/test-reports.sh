#!/usr/bin/env bash
# Writes reports of the gallery and opens them in a headless Chromium: plays, scrubs, switches arrows and curves, compares
# numbers with the CSV, checks labels and contrast. Arguments: the program, the viewer's sources, its bundle, a folder.
set -euo pipefail
ananke=$1
viewer=$2
bundle=$3
folder=$4
models=(two_link_pendulum duffing perpendicular bricard_square bicycle rolling_disk door_hinge_friction)

rm -rf "$folder"
mkdir -p "$folder"
pages=()
for model in "${models[@]}"; do
    "$ananke" run "models/$model.ank" --quiet --report "$folder/$model.html" --csv "$folder/$model.csv"
    pages+=("$folder/$model.html")
done
"$ananke" run models/duffing.ank --quiet --without guide --report "$folder/duffing_without.html"
pages+=("$folder/duffing_without.html")
cd "$viewer"
mkdir -p dist
cp "$bundle/viewer.js" "$bundle/viewer.css" dist/  # for the viewer's own samples
exec npm run --silent e2e -- "${pages[@]}"

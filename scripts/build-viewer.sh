#!/usr/bin/env bash
# Builds the report page: scripts/build-viewer.sh SOURCE BUNDLE writes BUNDLE/viewer.js and BUNDLE/viewer.css.
# Where its packages cannot be fetched, both are empty and old, so that the next build tries again.
set -euo pipefail
source=$1
bundle=$2
mkdir -p "$bundle"
log=$bundle/build.log

packages_are_current() {
    [ -f "$source/node_modules/.package-lock.json" ] &&
        [ ! "$source/package-lock.json" -nt "$source/node_modules/.package-lock.json" ]
}

# Several builds may share the packages of one source folder.
exec 9<"$source/package-lock.json"
flock 9
if ! packages_are_current && ! (cd "$source" && npm ci --no-audit --no-fund) >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    echo "warning: npm could not fetch the packages of the report page; the program is built without it." >&2
    echo "         --report will say so; build again when the network is there." >&2
    : >"$bundle/viewer.js"
    : >"$bundle/viewer.css"
    touch -d '2000-01-01' "$bundle/viewer.js" "$bundle/viewer.css"
    exit 0
fi
if ! (cd "$source" && npm run build -- --outDir "$bundle" --emptyOutDir false) >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    exit 1
fi
touch "$bundle/viewer.js" "$bundle/viewer.css"

#!/usr/bin/env bash
# The race with other engines: installs what it can of them, builds one program per engine, runs them one after the other and puts
# their lines together. An engine that is not there is left out.
set -euo pipefail

engines=(simbody mujoco dart)
for engine in "${engines[@]}"; do
    scripts/install-dependencies.sh "$engine" || echo "bench-peers: $engine could not be installed and is left out" >&2
done

cmake --preset bench -D ANANKE_PEERS=ON
cmake --build --preset bench --target ananke_races

programs=build/bench/bench/peers
lines=()
for engine in ananke "${engines[@]}"; do
    if [ ! -x "$programs/race_$engine" ]; then
        echo "bench-peers: $engine is not there: left out" >&2
        continue
    fi
    echo "bench-peers: racing $engine" >&2
    "$programs/race_$engine" >"$programs/$engine.csv" || echo "bench-peers: $engine failed; its lines so far are kept" >&2
    lines+=("$programs/$engine.csv")
done
"$programs/race_table" build/bench/peers.csv "${lines[@]}"

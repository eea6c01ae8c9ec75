#!/usr/bin/env bash
# Runs the fuzzers: each over the stored inputs, then over new ones made from them.
#   scripts/fuzz.sh BUILD SECONDS     the build folder; time for new inputs of each fuzzer, 0: the stored ones alone
# New inputs that reach new code stay in BUILD/corpus and are begun with next time; what fails is left in BUILD/findings.
set -euo pipefail
build=$1
seconds=$2
export LSAN_OPTIONS=suppressions=cmake/leaks.supp:print_suppressions=0 UBSAN_OPTIONS=print_stacktrace=1
mkdir -p "$build/findings"
failed=0

report() { # NAME LOG
    local input
    input=$(grep -o 'Test unit written to .*' "$2" | tail -n 1 | cut -d ' ' -f 5 || true)
    echo
    echo "fuzz_$1 found something:"
    grep -m 1 -A 12 -E 'runtime error:|ERROR: |contract violated' "$2" | sed 's/^/    /' || tail -n 5 "$2"
    echo "All of it is in $2."
    [ -z "$input" ] || echo "The input is $input; to try it again: $build/fuzz/fuzz_$1 $input"
    failed=1
}

for name in model settings results; do
    program=$build/fuzz/fuzz_$name
    log=$build/findings/$name.log
    new=$build/corpus/$name
    mkdir -p "$new"
    inputs=("$new" "fuzz/corpus/$name")
    others=()
    [ "$name" != model ] || others=(models tests/mistakes tests/warnings)
    options=(-dict="fuzz/dictionaries/$name.dict" -artifact_prefix="$build/findings/$name-" -timeout=60 -rss_limit_mb=4096
        -print_final_stats=1)
    [ "$name" = results ] && options+=(-max_len=60000) || options+=(-max_len=4000)
    begun=$(date +%s)
    if ! "$program" "${options[@]}" -runs=0 "${inputs[@]}" "${others[@]}" >"$log" 2>&1; then
        report "$name" "$log"
        continue
    fi
    stored=$(($(date +%s) - begun))
    if [ "$seconds" -eq 0 ]; then
        echo "fuzz_$name: nothing found in the stored inputs ($stored s)"
        continue
    fi
    # A short search is not to spend its time on reading all of them again. The time that libFuzzer counts begins
    # before it reads, so that a long one gets more.
    limit=$seconds
    if [ "$seconds" -ge 120 ]; then
        inputs+=("${others[@]}")
        limit=$((stored + seconds))
    fi
    if ! "$program" "${options[@]}" -max_total_time="$limit" "${inputs[@]}" >"$log" 2>&1; then
        report "$name" "$log"
        continue
    fi
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    echo "fuzz_$name: $runs inputs, nothing found ($stored s for the stored ones, $seconds s for new ones)"
done
exit $failed

#!/usr/bin/env bash
# clang-format and clang-tidy over the tracked sources; argument: a build folder with compile_commands.json.
set -euo pipefail
build=$1
git ls-files '*.cpp' '*.h' | xargs clang-format --dry-run --Werror
git ls-files 'src/*.cpp' 'app/*.cpp' | grep -v '_test\.cpp$' |
    xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p "$build" --extra-arg=-Wno-unknown-warning-option
echo "lint: clean"

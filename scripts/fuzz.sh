#!/usr/bin/env bash
# Runs every fuzz target of the module, one after the other, each for the time
# given as first argument (default 10s). Further arguments select packages.
#
#   scripts/fuzz.sh 10m ./internal/mptcp
set -euo pipefail
cd "$(dirname "$0")/.."

time=${1:-10s}
shift || true
for dir in $(grep -rl --include='*_test.go' '^func Fuzz' "${@:-.}" | xargs -rn1 dirname | sort -u); do
  for target in $(grep -hoE '^func Fuzz[A-Za-z0-9_]+' "$dir"/*_test.go | sed 's/^func //' | sort); do
    echo "fuzz: $dir $target for $time"
    go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "./${dir#./}"
  done
done

#!/usr/bin/env bash
# Runs every fuzz target of the module, one after the other, each for the time
# given as first argument (default 10s). Further arguments select packages.
#
#   scripts/fuzz.sh 10m ./internal/mptcp
#
# An input that is new is made shorter by 10 executions only: the 60 s that are usual
# would be nearly all of the time, since the coverage of equal runs of goroutines
# differs and no shorter input seems to be equal.
set -euo pipefail
cd "$(dirname "$0")/.."

time=${1:-10s}
shift || true
for dir in $(grep -rl --include='*_test.go' '^func Fuzz' "${@:-.}" | xargs -rn1 dirname | sort -u); do
  for target in $(grep -hoE '^func Fuzz[A-Za-z0-9_]+' "$dir"/*_test.go | sed 's/^func //' | sort); do
    echo "fuzz: $dir $target for $time"
    go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 10x "./${dir#./}"
  done
done

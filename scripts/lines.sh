#!/usr/bin/env bash
# Counts the lines of Go outside tests that git tracks, and fails if there are more than the
# number in .ci/lines. Each line is read by the next maintainer, so the number only falls.
set -euo pipefail
cd "$(dirname "$0")/.."

git rev-parse --is-inside-work-tree >/dev/null 2>&1 || { echo "lines: skipped: the ceiling of lines: this is no clone"; exit 0; }
ceiling=$(cat .ci/lines)
count=$(git grep -hc '' -- '*.go' ':!*_test.go' | awk '{n += $1} END {print n + 0}')
if [ "$count" -gt "$ceiling" ]; then
  echo "lines: $count lines of Go outside tests, $((count - ceiling)) more than .ci/lines allows ($ceiling): replace or remove code of another form; do not raise the number" >&2
  exit 1
fi
echo "lines: $count lines of Go outside tests; at most $ceiling (.ci/lines)"
[ $((ceiling - count)) -lt 100 ] || echo "lines: write $count into .ci/lines, so that they do not come back"

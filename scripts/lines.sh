#!/usr/bin/env bash
# Counts the lines of Go that git tracks, outside tests and in tests, and fails if there are more
# than the numbers in .ci/lines and .ci/testlines. Each line is read by the next maintainer, so the
# first number only falls, and the second one rises with tests of new rules alone.
set -euo pipefail
cd "$(dirname "$0")/.."

git rev-parse --is-inside-work-tree >/dev/null 2>&1 || { echo "lines: skipped: the ceilings of lines: this is no clone"; exit 0; }

# holds FILE WHAT PATHS...: counts the lines of the paths and compares with the number in a file.
holds() {
  local file=$1 what=$2 ceiling count
  shift 2
  ceiling=$(cat "$file")
  count=$(git grep -hc '' -- "$@" | awk '{n += $1} END {print n + 0}')
  if [ "$count" -gt "$ceiling" ]; then
    echo "lines: $count lines of Go $what, $((count - ceiling)) more than $file allows ($ceiling): replace or remove code of another form; do not raise the number" >&2
    return 1
  fi
  echo "lines: $count lines of Go $what; at most $ceiling ($file)"
  [ $((ceiling - count)) -lt 100 ] || echo "lines: write $count into $file, so that they do not come back"
}

status=0
holds .ci/lines 'outside tests' '*.go' ':!*_test.go' || status=1
holds .ci/testlines 'in tests' '*_test.go' || status=1
exit $status

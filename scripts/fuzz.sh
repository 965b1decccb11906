#!/usr/bin/env bash
# Runs every fuzz target of the module, one after the other. The first argument says how
# long: a time or a number of executions (default 2000x). Further arguments select
# packages.
#
#   scripts/fuzz.sh 10m ./internal/mptcp
#
# An input that is new is made shorter by 10 executions only: the 60 s that are usual
# would be nearly all of the time, since the coverage of equal runs of goroutines
# differs and no shorter input seems to be equal.
#
# With a time, Go before 1.27 sometimes fails at the end of it with "context deadline
# exceeded" although every input passed (go.dev/issue/75804). An input that fails is always
# written to testdata/fuzz, and the output says so; without such an input, this message
# is not a failure.
set -euo pipefail
cd "$(dirname "$0")/.."

# A target that writes files waits most of its time for the disk, unless they lie in memory.
[ -n "${TMPDIR:-}" ] || ! [ -w /dev/shm ] || export TMPDIR=/dev/shm

time=${1:-2000x}
shift || true
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# onlyDeadline reports whether the output of a failed run has no other failure than Go's own.
onlyDeadline() {
  grep -qx '    context deadline exceeded' "$log" && ! grep -qE 'Failing input|panic|fuzzing process|testdata/fuzz|_test\.go:' "$log"
}

for dir in $(grep -rl --include='*_test.go' '^func Fuzz' "${@:-.}" | xargs -rn1 dirname | sort -u); do
  for target in $(grep -hoE '^func Fuzz[A-Za-z0-9_]+' "$dir"/*_test.go | sed 's/^func //' | sort); do
    echo "fuzz: $dir $target for $time"
    go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 10x "./${dir#./}" 2>&1 | tee "$log" && continue
    onlyDeadline || exit 1
    echo "fuzz: $target: the time ended, no input failed"
  done
done

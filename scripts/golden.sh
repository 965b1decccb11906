#!/usr/bin/env bash
# Rewrites the golden files: all, or none where a test cannot run or does not pass afterwards.
# It runs the tests that write, with -update, in a copy of the sources, runs them once more
# without, and then takes over what changed. Look at the difference with git.
set -euo pipefail
cd "$(dirname "$0")/.."
export CGO_ENABLED="${CGO_ENABLED:-$(cat bin/cgo 2>/dev/null || echo 0)}"
copy=$(mktemp -d)
log=$(mktemp)
trap 'rm -rf "$copy" "$log"' EXIT
git ls-files -z --cached --others --exclude-standard | while IFS= read -rd '' f; do [ ! -e "$f" ] || printf '%s\0' "$f"; done |
  tar --null -T - -cf - | tar -xf - -C "$copy"

# writing DIR prints a pattern of the tests in a folder that write a golden file.
writing() {
  local files
  files=$(grep -lE '\*update|\bgolden\(|\bkeep\(|-update|FlagUpdate\(' "$1"/*_test.go)
  # shellcheck disable=SC2086 # one word per file
  sed -n 's/^func \(Test[A-Za-z0-9_]*\)(t .*/\1/p' $files | grep -vx TestMain | paste -sd'|' | sed 's/.*/^(&)$/'
}
# run DIR FLAG... runs these tests in the copy. The limit is ten times what the slowest needs.
run() { (cd "$copy" && go test -count=1 -timeout 10m -pgo=off "./$1" -run "$(writing "$1")" "${@:2}"); }

# Fields of the report follow from the rows of metrics, the schema from the fields, and
# documents from both. A run that writes fails on purpose, so its status says nothing.
folders=$(grep -rlE --include='*_test.go' 'FlagUpdate\(\)' . | xargs -rn1 dirname | sed 's|^\./||' | sort -u)
first="internal/metrics internal"
for dir in $first $(comm -23 <(echo "$folders") <(tr ' ' '\n' <<<"$first" | sort)); do
  run "$dir" -update >"$log" 2>&1 || true
  if ! run "$dir" >"$log" 2>&1; then
    cat "$log"
    echo "golden: nothing was written, because $dir does not pass" >&2
    exit 1
  fi
done
(cd "$copy" && find . -type f -printf '%P\0') | while IFS= read -rd '' f; do
  cmp -s "$copy/$f" "$f" || { install -D -m 644 "$copy/$f" "$f" && echo "golden: wrote $f"; }
done

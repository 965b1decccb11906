#!/usr/bin/env bash
# Rewrites the golden files: runs the tests of every package that has an
# -update flag with it. Such a run fails on purpose where a file changed, so
# that nobody takes it for a passed test; look at the difference with git.
set -uo pipefail
cd "$(dirname "$0")/.."
export CGO_ENABLED="${CGO_ENABLED:-$(cat bin/cgo 2>/dev/null || echo 0)}"

# Fields of the report follow from the rows of metrics, the schema from the fields, and
# documents from both.
go test -count=1 ./internal/metrics -run TestFieldsFollowRows -update
go test -count=1 ./internal/report -run TestSchemaIsCurrent -update
packages=$(grep -rlE --include='*_test.go' 'flag\.Bool(Var)?\(.*"update"' . | xargs -rn1 dirname | sort -u)
[ -n "$packages" ] || { echo "golden: no package has golden files"; exit 0; }
# shellcheck disable=SC2086 # one word per package
go test -count=1 $packages -update
git status --short -- '*testdata*' >&2
